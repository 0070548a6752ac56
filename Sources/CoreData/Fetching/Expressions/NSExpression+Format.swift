// `NSExpression(format:)`. As in NSPredicate+Format.swift the initialisers are in a protocol's extension, where they may assign
// `self`: a format that begins with FETCH makes an `NSFetchRequestExpression`.

import Foundation

/// Gives `NSExpression` the initialisers that read formats.
public protocol ExpressionFormatReading {}

extension NSExpression: ExpressionFormatReading {}

extension ExpressionFormatReading {
    /// The expression that a format describes, such as `"price * (1 + %@)"`.
    ///
    /// A format that can't be read stops the program with a message that points at the mistake, as Foundation raises.
    public init(format expressionFormat: String, _ args: any CVarArg...) {
        self = .expression(expressionFormat, args)
    }

    /// The expression that a format describes, with its arguments in an array.
    public init(format expressionFormat: String, argumentArray arguments: [Any]) {
        self = .expression(expressionFormat, arguments)
    }

    /// The expression that a format describes, with C's variable arguments.
    public init(format expressionFormat: String, arguments argList: CVaListPointer) {
        self = .expression(expressionFormat, unsafe VariadicArguments.values(for: expressionFormat, in: argList))
    }

    private static func expression(_ format: String, _ arguments: [Any]) -> Self {
        FormatReading.result(of: format, "NSExpression") { try NSExpression.parsing(format, arguments: arguments) }
    }
}

extension NSExpression {
    /// The expression that a format describes, for formats that are data.
    ///
    /// - Throws: ``PredicateError`` with the position of the first mistake.
    package static func parsing(_ format: String, arguments: [Any] = []) throws -> NSExpression {
        var parser = try PredicateParser(format, arguments: arguments)
        return try parser.wholeExpression()
    }
}
