// Property lists that come from files, in Foundation's classes. Foundation reads them too, but ends the process on some: a
// binary one that has a reference as a key, a text that isn't Unicode, lists nested without end.

package import Foundation

package enum PropertyListFile {
    private static let deepest = 512

    /// The object of a property list, binary or XML.
    package static func object(of data: Data) throws(PropertyListError) -> Any {
        if data.starts(with: Array("bplist".utf8)) { return try BinaryPropertyListReader.value(of: data).object() }
        let text = try XMLText.checked(data)
        guard text.drop(while: \.isWhitespace).hasPrefix("<") else {
            throw PropertyListError(description: "it is neither a binary nor an XML property list")
        }
        try checkDepth(text)
        do {
            return try unsafe PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
        } catch {
            throw PropertyListError(description: "its XML is none of a property list")
        }
    }

    /// Foundation's reader calls itself for each level.
    private static func checkDepth(_ text: String) throws(PropertyListError) {
        var depth = 0
        for part in text.utf8.split(separator: UInt8(ascii: "<")) {
            if part.starts(with: "array".utf8) || part.starts(with: "dict".utf8) { depth += 1 }
            if part.starts(with: "/array".utf8) || part.starts(with: "/dict".utf8) { depth -= 1 }
            if depth > deepest { throw PropertyListError(description: "it is nested more than \(deepest) deep") }
        }
    }
}

/// The text of an XML document. Foundation's XML readers end the process on what isn't Unicode.
enum XMLText {
    /// - Throws: ``PropertyListError`` for anything but UTF-8, also where the document says that it is something else.
    static func checked(_ data: Data) throws(PropertyListError) -> String {
        guard let text = String(validating: data, as: UTF8.self), !text.utf8.contains(0) else {
            throw PropertyListError(description: "it isn't UTF-8. Save it as UTF-8")
        }
        let head = text.prefix(200)
        guard head.contains("<?xml"), let start = head.range(of: "encoding") else { return text }
        let rest = head[start.upperBound...].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return text }
        let name = rest.dropFirst().prefix { $0 != quote }
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name.lowercased()) else {
            throw PropertyListError(
                description: "it says that it is '\(name.prefix(40))' and not UTF-8. Save it as UTF-8")
        }
        return text
    }
}
