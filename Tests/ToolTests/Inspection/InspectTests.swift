// `graft inspect`, compared with checked-in texts.

import Foundation
import Testing

@Suite struct InspectTests {
    private func resource(_ name: String) throws -> String {
        try String(contentsOf: Project.resources.appending(path: name), encoding: .utf8)
    }

    @Test func `a model is shown with its entities, properties and mapping`() throws {
        let run = try shell(
            "cd '\(Project.heroes.path)' && \"$GRAFT\" inspect Heroes.xcdatamodeld", in: TemporaryFolder())
        run.succeeded()
        #expect(try run.text == resource("heroes-model.txt"))
    }

    @Test func `the file within a model is the model`() throws {
        let contents = Project.heroesModel + "/Heroes.xcdatamodel/contents"
        let run = try graft("inspect", contents).succeeded()
        #expect(run.text.contains("Hero") && run.lines.count > 10)
        try graft("inspect", Project.heroesModel + "/Heroes.xcdatamodel/nothing").failed(saying: "nothing")
    }

    @Test func `a model's JSON has a stable order`() throws {
        let run = try shell(
            "cd '\(Project.heroes.path)' && \"$GRAFT\" inspect Heroes.xcdatamodeld --json", in: TemporaryFolder())
        run.succeeded()
        #expect(try run.text == resource("heroes-model.json"))
    }

    @Test func `a model whose annotations can't be followed is shown without what they say`() throws {
        let folder = try TemporaryFolder()
        let model = folder.url.appending(path: "M.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(
            """
            <model type="com.apple.IDECoreDataModeler.DataModel"><entity name="Person">
            <attribute name="born" attributeType="Date" optional="YES"/>
            <userInfo><entry key="relatedByAttribute" value="nobody"/></userInfo>
            </entity></model>
            """.utf8
        ).write(to: model.appending(path: "contents"))
        let run = try graft("inspect", "M.xcdatamodel", in: folder).succeeded()
        #expect(run.text.contains("born") && run.text.contains("nobody") && run.text.contains("graft lint"))
    }

    @Test func `a store is shown with the number of its objects`() throws {
        let folder = try TemporaryFolder()
        _ = try heroStore(in: folder)
        let run = try graft("inspect", "Heroes.sqlite", in: folder).succeeded()
        // The UUID is the store's own, and the size depends on SQLite's version.
        let text = run.text.replacing(/UUID [0-9A-F-]{36}/, with: "UUID …").replacing(/[0-9]+ bytes/, with: "… bytes")
        #expect(try text == resource("heroes-store.txt"))
    }

    @Test func `a store in a folder that can't be written is inspected and exported`() throws {
        let folder = try TemporaryFolder()
        let store = try heroStore(in: folder)
        let names = try folder.names
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
        defer { _ = try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path) }
        try graft("inspect", store).succeeded()
        try graft("export", "--store", store).succeeded()
        #expect(try folder.names == names)
    }
}
