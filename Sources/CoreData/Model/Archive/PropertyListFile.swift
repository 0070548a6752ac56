// Property lists that come from files, in Foundation's classes. Foundation reads them too, but ends the process on some: a
// binary one that has a reference as a key, a text that isn't Unicode, lists nested without end.

import Foundation
import ModelDocuments

package enum PropertyListFile {
    private static let deepest = 512

    /// The object of a property list, binary or XML.
    package static func object(of data: Data) throws(PropertyListError) -> Any {
        if data.starts(with: Array("bplist".utf8)) { return try BinaryPropertyListReader.value(of: data).object() }
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
