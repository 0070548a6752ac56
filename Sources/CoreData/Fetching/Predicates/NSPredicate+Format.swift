// `NSPredicate(format:)`, which Foundation on Linux doesn't have. The initialisers are in the extension of a protocol,
// because only there may an initialiser assign `self`, and so return a comparison or a compound.

public import Foundation

/// Gives `NSPredicate` the initialisers that read formats.
public protocol PredicateFormatReading {}

extension NSPredicate: PredicateFormatReading {}

extension PredicateFormatReading {
    /// The predicate that a format describes, such as `"name == %@ AND age > %d"`.
    ///
    /// A format that can't be read stops the program with a message that points at the mistake, as Foundation raises.
    public init(format predicateFormat: String, _ args: any CVarArg...) {
        self = .predicate(predicateFormat, args)
    }

    /// The predicate that a format describes, with its arguments in an array. `%d` and its like also take them as numbers.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self = .predicate(predicateFormat, arguments ?? [])
    }

    /// The predicate that a format describes, with C's variable arguments.
    public init(format predicateFormat: String, arguments argList: CVaListPointer) {
        self = .predicate(predicateFormat, unsafe VariadicArguments.values(for: predicateFormat, in: argList))
    }

    private static func predicate(_ format: String, _ arguments: [Any]) -> Self {
        FormatReading.result(of: format, "NSPredicate") { try NSPredicate.parsing(format, arguments: arguments) }
    }
}

/// Reading formats that a program has written: what is wrong with one stops it.
enum FormatReading {
    /// What a format describes, where it is of the class whose initialiser was called.
    ///
    /// - Parameter base: The class whose initialiser takes all formats.
    static func result<T>(of format: String, _ base: String, _ read: () throws -> NSObject) -> T {
        let result: NSObject
        do {
            result = try read()
        } catch {
            fatalError("\(error)")
        }
        guard let typed = result as? T else {
            fatalError(
                "The format \"\(format)\" describes a \(type(of: result)), not a \(T.self). "
                    + "Call \(base)(format:) and look at the class of the result.")
        }
        return typed
    }
}

extension NSPredicate {
    /// Allows a predicate that came from an archive to be evaluated. Here all may.
    public func allowEvaluation() {}

    /// The predicate that a format describes, for formats that are data: what a user typed, or what a model contains.
    ///
    /// - Throws: ``PredicateError`` with the position of the first mistake.
    package static func parsing(_ format: String, arguments: [Any] = []) throws -> NSPredicate {
        var parser = try PredicateParser(format, arguments: arguments)
        return try parser.predicate()
    }

    /// The predicate as a format. Unlike Foundation's `predicateFormat` it is also right for compounds that Foundation
    /// made.
    package var formatText: String { PredicatePrinter.text(of: self) }
}
