// Models and property lists on which Foundation's readers end the process.

import Foundation
import ModelDocuments
import Testing

@testable import CoreData

@Suite struct ForeignTextTests {
    private static let model = #"<model type="x"><entity name="Héro"/></model>"#

    @Test func `a model that isn't UTF-8 is an error that says so`() throws {
        let head = #"<?xml version="1.0" encoding="%"?>"#
        let texts: [Data?] = [
            Self.model.data(using: .utf16), Self.model.data(using: .utf16LittleEndian),
            Self.model.data(using: .isoLatin1),
            (head.replacingOccurrences(of: "%", with: "ISO-8859-1") + Self.model).data(using: .isoLatin1),
            (head.replacingOccurrences(of: "%", with: "UTF-16") + Self.model).data(using: .utf8),
            Data([0xFF, 0xFE, 0, 0]), Data(Self.model.utf8 + [0xC3]), Data(Self.model.utf8 + [0]),
        ]
        for text in texts {
            let error = #expect(throws: XMLDamage.self) { try XMLElementNode.root(of: try #require(text)) }
            #expect(error?.reason.contains("UTF-8") == true)
        }
        let root = try XMLElementNode.root(
            of: Data((head.replacingOccurrences(of: "%", with: "utf-8") + Self.model).utf8))
        #expect(root.children.first?["name"] == "Héro")
    }

    @Test func `a model with a document type is an error`() {
        let text = "<!DOCTYPE model [<!ENTITY a \"b\">]>\n\(Self.model)"
        #expect(throws: XMLDamage.self) { try XMLElementNode.root(of: Data(text.utf8)) }
    }

    @Test func `a property list with a reference as key, or that is too deep, is an error`() {
        // A dictionary { UID 1: UID 1 }.
        let object: [UInt8] = Array("bplist00".utf8) + [0xD1, 1, 1, 0x80, 1]
        let trailer: [UInt8] =
            [8, 11] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 2] + [UInt8](repeating: 0, count: 8)
            + [0, 0, 0, 0, 0, 0, 0, 13]
        #expect(throws: PropertyListError.self) { try PropertyListFile.object(of: Data(object + trailer)) }
        let deep = String(repeating: "<array>", count: 100_000)
        #expect(throws: PropertyListError.self) { try PropertyListFile.object(of: Data("<?xml?><plist>\(deep)".utf8)) }
        #expect(throws: PropertyListError.self) { try PropertyListFile.object(of: Data("((((((".utf8)) }
    }

    @Test(arguments: ["<!--</array>-->", "<!--></array>-->", "<string><![CDATA[</array>]]></string>", "<?a </array>?>"])
    func `what is no tag makes a property list no flatter`(_ aside: String) {
        let deep = String(repeating: "<array>" + aside, count: 100_000)
        #expect(throws: PropertyListError.self) { try PropertyListFile.object(of: Data("<?xml?><plist>\(deep)".utf8)) }
        let declared = "<?xml?><!DOCTYPE plist [<!ENTITY a \"<!--\">]><plist>\(deep)<!-- -->"
        #expect(throws: PropertyListError.self) { try PropertyListFile.object(of: Data(declared.utf8)) }
    }

    @Test func `empty lists lead no deeper`() throws {
        let lists = String(repeating: "<array/><dict/><array></array>", count: 600)
        let text = "<?xml version=\"1.0\"?><plist version=\"1.0\"><array>\(lists)</array></plist>"
        #expect((try PropertyListFile.object(of: Data(text.utf8)) as? [Any])?.count == 1800)
    }

    @Test func `property lists are read as Foundation reads them`() throws {
        let object: [String: Any] = [
            "a": [1, 2.5, true, "x"], "b": Data([1]), "c": Date(timeIntervalSinceReferenceDate: 5),
        ]
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            let data = try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0)
            let read = try PropertyListFile.object(of: data) as? NSDictionary
            #expect(read == object as NSDictionary)
        }
    }
}
