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

    private func processes(_ typeKey: String = "") -> String {
        """
        <entity name="Process"><attribute name="id" optional="YES" attributeType="Integer 64"/>
          <relationship name="host" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Host" \
          inverseName="processes" inverseEntity="Host"/>
          <userInfo><entry key="identityAttributes" value="id"/>\(typeKey)</userInfo></entity>
        <entity name="App" parentEntity="Process"/>
        <entity name="Host"><attribute name="name" optional="YES" attributeType="String"/>
          <relationship name="processes" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Process" \
          inverseName="host" inverseEntity="Process"/>
          <userInfo><entry key="identityAttributes" value="name"/></userInfo></entity>
        """
    }

    private static let graph =
        #"{"Host": [{"name": "h"}], "App": [{"id": 1, "host": "h"}, {"id": 2, "host": "h"}], "Process": [{"id": 3}]}"#

    @Test(arguments: ["Process", "Host"], [[], ["--keep-going"]])
    func `objects of sub-entities are counted that the JSON doesn't tell from those of the super-entity`(
        _ entity: String, _ options: [String]
    ) throws {
        let store = folder.path("S.sqlite"), model = try folder.model(processes())
        try graft("import", folder.file("in.json", Self.graph), "--store", store, "--model", model).succeeded()
        let run = try graft(["export", store, "--entity", entity] + options).endedWell()
        #expect(
            run.diagnostics
                == "graft: 2 objects of 'App' are some of 'Process' after an import of this JSON, which doesn't tell the two "
                + "apart. graft export without --entity does, and graft archive.\n")
        // What it says is so.
        let copy = StoreFile(path: folder.path("Copy.sqlite"))
        try graft("import", "-", "--entity", entity, "--store", copy.path, "--model", model, input: run.text)
            .succeeded()
        #expect(
            try copy.count("ZPROCESS", where: "Z_ENT <> (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Process')") == 0
        )
        try graft("export", store).succeeded()
        try graft("export", store, "--entity", "App").succeeded()
    }

    /// Recipes whose steps are theirs, whose notes can be many recipes', and whose tags, with or without identity, too.
    private static let recipes = """
        <entity name="Recipe"><attribute name="id" optional="YES" attributeType="Integer 64"/>
          <relationship name="steps" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Step" \
          inverseName="recipe" inverseEntity="Step"/>
          <relationship name="notes" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Note" \
          inverseName="recipes" inverseEntity="Note"/>
          <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" \
          inverseName="recipes" inverseEntity="Tag"/>
          <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
        <entity name="Step"><attribute name="text" optional="YES" attributeType="String"/>
          <relationship name="recipe" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Recipe" \
          inverseName="steps" inverseEntity="Recipe"/></entity>
        <entity name="Note"><attribute name="text" optional="YES" attributeType="String"/>
          <relationship name="recipes" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Recipe" \
          inverseName="notes" inverseEntity="Recipe"/></entity>
        <entity name="Tag"><attribute name="name" optional="YES" attributeType="String"/>
          <relationship name="recipes" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Recipe" \
          inverseName="tags" inverseEntity="Recipe"/>
          <userInfo><entry key="identityAttributes" value="name"/></userInfo></entity>
        """

    @Test(arguments: [[], ["--keep-going"], ["--format", "ndjson"], ["--relationships", "nested"]])
    func `objects without identity that stand under several others are counted`(_ options: [String]) throws {
        let store = folder.path("S.sqlite"), model = try folder.model(Self.recipes)
        try graft(
            "import",
            folder.file(
                "in.json",
                """
                {"Recipe": [
                  {"id": 1, "steps": [{"text": "Stir"}, {"text": "Wait"}], "tags": ["new", "hot"],
                   "notes": [{"$id": "a", "text": "Good"}, {"text": "Mine"}]},
                  {"id": 2, "steps": [{"text": "Stir"}], "tags": ["new"],
                   "notes": [{"$ref": "a"}, {"$id": "b", "text": "Good"}]},
                  {"id": 3, "tags": ["new"], "notes": [{"$ref": "a"}, {"$ref": "b"}]}]}
                """), "--store", store, "--model", model
        ).succeeded()
        #expect(try StoreFile(path: store).count("ZNOTE") == 3)
        let run = try graft(["export", store, "--entity", "Recipe"] + options).endedWell()
        #expect(
            run.diagnostics
                == "graft: 2 objects of 'Note' without identity stand in this JSON under several objects, and an import makes one "
                + "of each: it doesn't tell that they are the same. graft export without --entity does, and graft archive.\n"
        )
        // What it says is so.
        let copy = StoreFile(path: folder.path("Copy.sqlite"))
        try graft("import", "-", "--entity", "Recipe", "--store", copy.path, "--model", model, input: run.text)
            .succeeded()
        #expect(try copy.count("ZNOTE") == 6)
        #expect(try (copy.count("ZSTEP"), copy.count("ZTAG")) == (3, 2))
        try graft("export", store).succeeded()
    }

    @Test func `values in whose places others stand are counted`() throws {
        let model = try folder.model(
            """
            <entity name="Root"><attribute name="id" optional="YES" attributeType="Integer 64">
                <userInfo><entry key="JSONKeyPath" value="id"/></userInfo></attribute>
              <attribute name="x" optional="YES" attributeType="String">
                <userInfo><entry key="JSONKeyPath" value="v"/></userInfo></attribute>
              <attribute name="y" optional="YES" attributeType="String">
                <userInfo><entry key="JSONKeyPath" value="v"/></userInfo></attribute>
              <attribute name="kidName" optional="YES" attributeType="String">
                <userInfo><entry key="JSONKeyPath" value="kid.name"/></userInfo></attribute>
              <relationship name="kid" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Kid">
                <userInfo><entry key="JSONKeyPath" value="kid"/></userInfo></relationship>
              <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            <entity name="Kid"><attribute name="key" optional="YES" attributeType="Integer 64"/>
              <attribute name="name" optional="YES" attributeType="String"/>
              <userInfo><entry key="identityAttributes" value="key"/></userInfo></entity>
            """)
        let store = folder.path("S.sqlite")
        let graph =
            #"{"Root": [{"id": 1, "v": "ex", "$y": "why", "kid": {"name": "other"}, "$kid": 5}, {"id": 2, "v": "a", "$y": "a"}], "#
            + #""Kid": [{"key": 5, "name": "Kim"}]}"#
        try graft("import", folder.file("in.json", graph), "--store", store, "--model", model).succeeded()
        let run = try graft("export", store, "--entity", "Root").endedWell()
        #expect(
            run.diagnostics
                == "graft: 1 object of 'Root' has a value of 'kidName' that isn't written: in its place, an import finds what 'kid' "
                + "has. graft export without --entity writes it, and graft archive.\n"
                + "graft: 1 object of 'Root' has a value of 'y' that isn't written: in its place, an import finds what 'x' has. "
                + "graft export without --entity writes it, and graft archive.\n")
        try graft("export", store).succeeded()
    }

    @Test func `nothing is said where the JSON tells the type`() throws {
        let store = folder.path("S.sqlite")
        let model = try folder.model(processes(#"<entry key="JSONEntityKey" value="type"/>"#))
        try graft("import", folder.file("in.json", Self.graph), "--store", store, "--model", model).succeeded()
        for entity in ["Process", "Host"] { try graft("export", store, "--entity", entity).succeeded() }
    }
}
