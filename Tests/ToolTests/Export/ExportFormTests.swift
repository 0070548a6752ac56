// `graft export`: the options for the form of objects.

import Foundation
import Testing

@Suite struct ExportFormTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func exported(_ options: String...) throws -> String {
        let store = try heroStore(in: folder, named: "\(UUID().uuidString).sqlite")
        return try graft(
            ["export", "--store", store, "--entity", "Hero", "--where", "id == 103"] + options
        ).succeeded().text
    }

    @Test func `related objects are nested, identifiers, or left out`() throws {
        #expect(try exported().contains(#""publisher":{"id":12,"#))
        #expect(try exported("--relationships", "identifier").contains(#""publisher":12"#))
        #expect(try !exported("--relationships", "none").contains("publisher"))
        #expect(try exported("--depth", "0").contains(#""publisher":12"#))
        #expect(try exported("--depth", "1").contains(#""name":"Pohjola Panels""#))
    }

    @Test func `nulls can be left out, and keys sorted`() throws {
        #expect(try exported().contains(#""motto":null"#))
        #expect(try !exported("--omit-nulls").contains("null"))
        #expect(try exported("--sort-keys").hasPrefix(#"[{"active":false,"appearance":{"first_seen":"#))
    }

    @Test func `the form of objects is for one entity`() throws {
        let store = try heroStore(in: folder)
        let two = try graft("export", "--store", store, "--entity", "Hero", "--entity", "Power", "--depth", "1")
        #expect(two.status == 64)
        let deep = try graft("export", "--store", store, "--entity", "Hero", "--depth", "1000")
        #expect(deep.status == 64)
        let none = try graft("export", "--store", store, "--omit-nulls")
        #expect(none.status == 64)
        #expect(none.diagnostics.contains("--entity: Character, Power, Publisher"), "\(none.diagnostics)")
    }
}
