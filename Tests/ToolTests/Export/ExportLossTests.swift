// What `graft export` says on standard error: what its JSON can't tell, so that an import of it makes something else.

import Foundation
import Testing

@Suite struct ExportLossTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(_ model: String, _ json: String, _ entity: String) throws -> String {
        let store = folder.path("S.sqlite")
        try graft(
            "import", folder.file("in.json", json), "--entity", entity, "--store", store, "--model", folder.model(model)
        ).succeeded()
        return store
    }

    @Test func `links at one end alone are counted, and the archive is named that keeps them`() throws {
        let store = try store(
            """
            <entity name="Owner"><attribute name="id" optional="YES" attributeType="Integer 64"/>
              <relationship name="pet" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Pet" \
              inverseName="owner" inverseEntity="Pet"/>
              <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            <entity name="Pet"><attribute name="name" optional="YES" attributeType="String"/>
              <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Owner" \
              inverseName="pet" inverseEntity="Owner"/>
              <userInfo><entry key="identityAttributes" value="name"/></userInfo></entity>
            """,
            #"[{"id": 1, "pet": {"name": "Rex"}}, {"id": 2, "pet": {"name": "Tom"}}, {"id": 3, "pet": "Ida"}]"#, "Owner"
        )
        let before = try graft("export", store).succeeded()
        try changeDatabase(at: store, "UPDATE ZPET SET ZOWNER = NULL WHERE ZNAME <> 'Rex'")
        let run = try graft("export", store).endedWell()
        #expect(
            run.diagnostics
                == "graft: Owner.pet: 2 links are at this end alone in the store, and an import of this JSON sets both ends. "
                + "graft archive keeps what the store has.\n")
        // What it says is so.
        try graft("import", "-", "--store", folder.path("Copy.sqlite"), "--model", store, input: run.text).succeeded()
        let copy = try graft("export", folder.path("Copy.sqlite")).succeeded()
        #expect(copy.output == before.output)
        try graft("export", store, "--entity", "Pet", "--entity", "Pet").succeeded()
    }
}
