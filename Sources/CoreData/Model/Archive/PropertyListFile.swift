// Property lists that come from files, in Foundation's classes. Foundation reads them too, but ends the process on some: a
// binary one that has a reference as a key, a text that isn't Unicode, lists nested without end.

import Foundation
import ModelDocuments

package enum PropertyListFile {
    private static let deepest = 512

    /// The object of a property list, binary or XML.
    ///
    /// - Parameter levels: How deep a binary one may be nested; nil for as deep as those of stores and models are.
    package static func object(of data: Data, levels: Int? = nil) throws(PropertyListError) -> Any {
        if data.starts(with: Array("bplist".utf8)) {
            return try BinaryPropertyListReader.value(of: data, levels: levels ?? BinaryPropertyListReader.deepest)
                .object()
        }
        let text: String
        do throws(XMLDamage) {
            text = try XMLText.checked(data)
        } catch {
            throw PropertyListError(description: error.reason)
        }
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

    /// What stands between these is no tag.
    private static let asides = [(start: "!--", end: "-->"), (start: "![CDATA[", end: "]]>"), (start: "?", end: "?>")]

    /// Foundation's reader calls itself for each level. As there, a tag ends with the first `>`.
    private static func checkDepth(_ text: String) throws(PropertyListError) {
        var depth = 0
        var rest = text.utf8[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...].dropFirst()
            if let aside = asides.first(where: { rest.starts(with: $0.start.utf8) }) {
                rest = rest.dropFirst(aside.start.utf8.count)
                guard let end = rest.firstRange(of: aside.end.utf8) else { return }
                rest = rest[end.upperBound...]
                continue
            }
            let tag = rest.prefix { $0 != UInt8(ascii: ">") }
            rest = rest[tag.endIndex...]
            if tag.first == UInt8(ascii: "!"), tag.contains(UInt8(ascii: "[")) {
                throw PropertyListError(description: "its document type has declarations")
            }
            if tag.starts(with: "/array".utf8) || tag.starts(with: "/dict".utf8) { depth -= 1 }
            guard tag.last != UInt8(ascii: "/") else { continue }
            if tag.starts(with: "array".utf8) || tag.starts(with: "dict".utf8) { depth += 1 }
            if depth > deepest { throw PropertyListError(description: "it is nested more than \(deepest) deep") }
        }
    }
}
