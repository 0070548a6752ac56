// C's variable arguments, for `init(format:arguments:)`. Swift can't step through a `va_list`, so C's own printf does: the
// predicate's format becomes a printf format with one line per argument, and the lines are read back.
//
//     "a == %@ AND b > %d"   ->   "%p\n%d\n"   ->   "0x7f3c…\n42\n"   ->   [object, 42]

import Foundation

enum VariadicArguments {
    /// The arguments that a format asks for.
    ///
    /// - Precondition: `list` has them, of the types that the format says, as for every function of this kind in C.
    @unsafe static func values(for format: String, in list: CVaListPointer) -> [Any] {
        // A format that can't be read is reported by the parser, which comes next.
        let specifiers = ((try? PredicateTokenizer.tokens(of: format)) ?? []).compactMap { token -> FormatSpecifier? in
            if case .argument(let specifier) = token.kind { return specifier }
            return nil
        }
        guard !specifiers.isEmpty else { return [] }
        let printed = specifiers.map(\.printFormat).joined(separator: "\n")
        // Safe: printf reads exactly the arguments that the predicate's format names, and stays within the buffer; no
        // argument prints to more than 64 characters in these formats.
        var buffer = [CChar](repeating: 0, count: specifiers.count * 64 + 1)
        let length = unsafe vsnprintf(&buffer, buffer.count, printed, list)
        let text = String(decoding: buffer.prefix(max(0, Int(length))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return zip(specifiers, lines).map { unsafe $0.value(fromPrinted: $1) }
    }
}

extension FormatSpecifier {
    fileprivate var printFormat: String {
        switch self {
        case .object, .keyPath, .text: "%p"
        case .integer(let text): "%\(text)"
        case .real: "%a"
        case .character: "%d"
        }
    }

    /// - Precondition: For objects, the printed text is the address of a living object, for texts that of characters that end with
    ///   a zero.
    @unsafe fileprivate func value(fromPrinted text: Substring) -> Any {
        switch self {
        case .object, .keyPath:
            guard let bits = UInt(text.dropFirst(2), radix: 16), let address = unsafe UnsafeRawPointer(bitPattern: bits)
            else { return NSNull() }
            return unsafe Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
        case .text:
            guard let bits = UInt(text.dropFirst(2), radix: 16),
                let characters = unsafe UnsafePointer<CChar>(bitPattern: bits)
            else { return NSNull() }
            return unsafe String(cString: characters)
        case .integer, .character: return Int64(text) ?? UInt64(text).map { $0 as Any } ?? NSNull()
        case .real: return Double(text) ?? 0
        }
    }
}

enum CText {
    /// The text that a pointer of C's stands for; nil for anything else.
    ///
    /// - Precondition: A pointer leads to characters that end with a zero, as `%s` asks for in every function of this kind.
    @unsafe static func string(at value: Any) -> String? {
        switch value {
        case let characters as UnsafePointer<CChar>: unsafe String(cString: characters)
        case let characters as UnsafeMutablePointer<CChar>: unsafe String(cString: characters)
        case let characters as UnsafePointer<UInt8>: unsafe String(cString: characters)
        case let characters as UnsafeMutablePointer<UInt8>: unsafe String(cString: characters)
        default: nil
        }
    }
}
