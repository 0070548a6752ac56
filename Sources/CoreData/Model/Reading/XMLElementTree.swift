// XML as a tree of elements. Models are small (the largest known has 15,000 elements), so that reading one whole is
// simpler than following events, and every element keeps its line for error messages.

import Foundation
import FoundationXML

/// An element with its attributes and child elements; text is dropped, since models have none.
final class XMLElementNode {
    let name: String
    let attributes: [String: String]
    fileprivate(set) var children: [XMLElementNode] = []

    fileprivate init(name: String, attributes: [String: String]) {
        self.name = name
        self.attributes = attributes
    }

    subscript(attribute: String) -> String? { attributes[attribute] }

    /// Whether an attribute is there and says yes.
    func says(_ attribute: String) -> Bool { attributes[attribute] == "YES" }

    func children(named name: String) -> [XMLElementNode] { children.filter { $0.name == name } }

    /// Reads a document.
    ///
    /// External entities aren't followed.
    /// - Throws: ``ModelError/Finding/badXML(line:column:reason:)``.
    static func root(of data: Data) throws -> XMLElementNode {
        let text: String
        do {
            text = try XMLText.checked(data)
        } catch {
            throw ModelError(.badXML(line: 1, column: 1, reason: error.description))
        }
        // What a document type declares is nothing that a model has.
        if let declaration = text.range(of: "<!DOCTYPE") {
            let line = text[..<declaration.lowerBound].utf8.count { $0 == UInt8(ascii: "\n") } + 1
            throw ModelError(.badXML(line: line, column: 1, reason: "a document type isn't allowed"))
        }
        let parser = XMLParser(data: Data(text.utf8))
        parser.shouldResolveExternalEntities = false
        let builder = Builder()
        parser.delegate = builder
        let isWellFormed = parser.parse()
        if let problem = builder.problem { throw ModelError(problem) }
        if let root = builder.root, isWellFormed { return root }
        throw ModelError(.badXML(line: parser.lineNumber, column: parser.columnNumber, reason: "there is no element"))
    }

    private final class Builder: NSObject, XMLParserDelegate {
        private static let deepest = 64
        private(set) var root: XMLElementNode?
        private(set) var problem: ModelError.Finding?
        private var open: [XMLElementNode] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            let element = XMLElementNode(name: name, attributes: attributes)
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
            problem = .badXML(line: parser.lineNumber, column: parser.columnNumber, reason: reason)
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
