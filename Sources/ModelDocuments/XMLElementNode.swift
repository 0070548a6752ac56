// XML as a tree of elements. Models are small (the largest known has 15,000 elements), so that reading one whole is
// simpler than following events, and every element keeps its line for error messages.

package import Foundation
import FoundationXML

/// What is wrong with a document, and where.
package struct XMLDamage: Error, Equatable {
    package var line: Int
    package var column: Int
    package var reason: String

    package init(line: Int, column: Int, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }
}

/// An element with its attributes and child elements; text is dropped unless asked for, since models have none.
package final class XMLElementNode {
    package let name: String
    package private(set) var attributes: [String: String]
    package fileprivate(set) var children: [XMLElementNode] = []
    /// The text in the element itself, where it is kept.
    package fileprivate(set) var text = ""
    /// The line that the element begins on, from 1.
    package let line: Int

    fileprivate init(name: String, attributes: [String: String], line: Int) {
        self.name = name
        self.attributes = attributes
        self.line = line
    }

    package subscript(attribute: String) -> String? {
        get { attributes[attribute] }
        set { attributes[attribute] = newValue }
    }

    /// Whether an attribute is there and says yes.
    package func says(_ attribute: String) -> Bool { attributes[attribute] == "YES" }

    package func children(named name: String) -> [XMLElementNode] { children.filter { $0.name == name } }

    /// Reads a document.
    ///
    /// External entities aren't followed.
    /// - Throws: ``XMLDamage`` also for what isn't UTF-8 and for a document type, on which Foundation's parser ends the process.
    package static func root(of data: Data, keepsText: Bool = false) throws(XMLDamage) -> XMLElementNode {
        let text = try XMLText.checked(data)
        // What a document type declares is nothing that a model has.
        if let declaration = text.range(of: "<!DOCTYPE") {
            let line = text[..<declaration.lowerBound].utf8.count { $0 == UInt8(ascii: "\n") } + 1
            throw XMLDamage(line: line, column: 1, reason: "a document type isn't allowed")
        }
        let parser = XMLParser(data: Data(text.utf8))
        parser.shouldResolveExternalEntities = false
        let builder = Builder(keepsText: keepsText)
        parser.delegate = builder
        let isWellFormed = parser.parse()
        if let problem = builder.problem { throw problem }
        if let root = builder.root, isWellFormed { return root }
        throw XMLDamage(line: parser.lineNumber, column: parser.columnNumber, reason: "there is no element")
    }

    // MARK: Writing

    /// The element as a document. The same element gives the same text.
    package var document: String { "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + text(indented: "") }

    private func text(indented indent: String) -> String {
        let values = attributes.sorted { $0.key < $1.key }.map { " \($0.key)=\"\(Self.escaped($0.value))\"" }
        let start = "\(indent)<\(name)\(values.joined())"
        guard !children.isEmpty else { return "\(start)/>\n" }
        let inner = children.map { $0.text(indented: indent + "    ") }.joined()
        return "\(start)>\n\(inner)\(indent)</\(name)>\n"
    }

    /// Line ends and tabs in attributes would be read as spaces.
    private static func escaped(_ text: String) -> String {
        let forms: [Unicode.Scalar: String] = [
            "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;",
        ]
        guard text.unicodeScalars.contains(where: { forms[$0] != nil }) else { return text }
        return text.unicodeScalars.map { forms[$0] ?? String($0) }.joined()
    }

    // MARK: Reading

    private final class Builder: NSObject, XMLParserDelegate {
        private static let deepest = 64
        private(set) var root: XMLElementNode?
        private(set) var problem: XMLDamage?
        private var open: [XMLElementNode] = []
        private let keepsText: Bool

        init(keepsText: Bool) { self.keepsText = keepsText }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            if keepsText { open.last?.text += text }
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            let element = XMLElementNode(name: name, attributes: attributes, line: parser.lineNumber)
            if let parent = open.last {
                parent.children.append(element)
            } else {
                root = element
            }
            open.append(element)
            if open.count > Self.deepest {
                note("elements are nested more than \(Self.deepest) deep", parser)
                parser.abortParsing()
            }
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            _ = open.popLast()
        }

        func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
            note(Self.words(for: (error as NSError).code), parser)
        }

        /// Keeps the first problem; the parser goes on, and what it finds then only follows from it.
        private func note(_ reason: String, _ parser: XMLParser) {
            if problem != nil { return }
            problem = XMLDamage(line: parser.lineNumber, column: parser.columnNumber, reason: reason)
        }

        /// Foundation on Linux has no descriptions for the parser's errors.
        private static func words(for code: Int) -> String {
            switch XMLParser.ErrorCode(rawValue: code) {
            case .emptyDocumentError: "the document is empty"
            case .prematureDocumentEndError: "the document ends too early"
            case .tagNameMismatchError: "the end tag doesn't fit the start tag"
            case .attributeRedefinedError: "an attribute is there twice"
            case .attributeNotStartedError: "an attribute's value has no quotes"
            case .attributeNotFinishedError: "an attribute's value isn't closed"
            case .lessThanSymbolInAttributeError: "an attribute's value contains <"
            case .undeclaredEntityError: "an entity isn't declared"
            case .invalidCharacterError: "a character isn't allowed"
            case .documentStartError: "the document doesn't begin with <"
            default: "the XML isn't well-formed (error \(code))"
            }
        }
    }
}
