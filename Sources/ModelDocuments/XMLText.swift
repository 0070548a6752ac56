// The text of an XML document, checked before a parser sees it. Models and property lists come through here.

package import Foundation

/// The text of an XML document. Foundation's XML readers end the process on what isn't Unicode.
package enum XMLText {
    /// - Throws: ``XMLDamage`` for anything but UTF-8, also where the document says that it is something else.
    package static func checked(_ data: Data) throws(XMLDamage) -> String {
        guard let text = String(validating: data, as: UTF8.self), !text.utf8.contains(0) else {
            throw XMLDamage(line: 1, column: 1, reason: "it isn't UTF-8. Save it as UTF-8")
        }
        let head = text.prefix(200)
        guard head.contains("<?xml"), let start = head.range(of: "encoding") else { return text }
        let rest = head[start.upperBound...].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return text }
        let name = rest.dropFirst().prefix { $0 != quote }
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name.lowercased()) else {
            throw XMLDamage(
                line: 1, column: 1, reason: "it says that it is '\(name.prefix(40))' and not UTF-8. Save it as UTF-8")
        }
        return text
    }
}
