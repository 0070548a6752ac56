// `graft lint`: what it says of the example's model and of a broken one, and its exit codes.

import Foundation
import Testing

@Suite struct LintCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func broken() throws -> String {
        let model = folder.url.appending(path: "Broken.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
              <entity name="Hero">
                <attribute name="id" attributeType="String" optional="YES">
                  <userInfo><entry key="JSONKeypath" value="id"/></userInfo>
                </attribute>
                <attribute name="name" attributeType="String" optional="YES">
                  <userInfo>
                    <entry key="JSONKeyPath" value="name"/>
                    <entry key="JSONTransformerName" value="Upper"/>
                  </userInfo>
                </attribute>
                <userInfo><entry key="identityAttributes" value="id"/></userInfo>
              </entity>
            </model>
            """
        try Data(text.utf8).write(to: model.appending(path: "contents"))
        return model.path
    }

    @Test func `the example's model has nothing wrong, and its identities are shown`() throws {
        let run = try graft("lint", Project.heroesModel).succeeded()
        #expect(run.lines.first == "ENTITY     IDENTITY  DECLARED BY")
        #expect(run.lines.contains("Power      id        identityAttributes"))
    }

    @Test func `what Xcode's compiler takes is a warning, and is read`() throws {
        let model = folder.url.appending(path: "Old.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let text = """
            <model type="com.apple.IDECoreDataModeler.DataModel"><entity name="Hero">
            <attribute name="id" attributeType="Integer 32" defaultValueString="NO" usesScalarValueType="YES">
              <userInfo><entry key="mappedKeyName" value="id"/></userInfo></attribute>
            <attribute name="born" attributeType="Date" optional="YES">
              <userInfo><entry key="mappedKeyName" value="born"/><entry key="dateFormat" value="unixTime13"/></userInfo>
            </attribute>
            <userInfo><entry key="relatedByAttribute" value="id"/></userInfo>
            </entity></model>
            """
        try Data(text.utf8).write(to: model.appending(path: "contents"))
        let run = try graft("lint", model.path).succeeded()
        #expect(
            run.text.contains(
                "warning: Hero.id: the default value 'NO' isn't one of its type, and is read as 0. Write 0. [unusualValue]"
            ))
        #expect(
            run.text.contains("warning: Hero.born: the date format 'unixTime13' is read as milliseconds since 1970."))
        let store = folder.path("Old.sqlite")
        let input = try folder.file("in.json", #"[{"id": 1, "born": 1363911910000}]"#)
        try graft("import", input, "--entity", "Hero", "--store", store, "--model", model.path).succeeded()
        #expect(try StoreFile(path: store).count("ZHERO", where: "ZBORN = 1363911910 - 978307200") == 1)
    }

    @Test func `identities without an index or a constraint are named, since imports would be faster with one`()
        throws
    {
        func entity(_ name: String, _ more: String = "") -> String {
            """
            <entity name="\(name)">
            <attribute name="id" attributeType="String" optional="YES"/>
            <attribute name="name" attributeType="String" optional="YES"/>\(more)
            <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            """
        }
        let indexed = """
            <fetchIndex name="byID"><fetchIndexElement property="id" type="Binary" order="ascending"/></fetchIndex>
            """
        let unique = """
            <uniquenessConstraints><uniquenessConstraint><constraint value="id"/></uniquenessConstraint>
            </uniquenessConstraints>
            """
        let words = "No index on the identity, which large imports would be faster with: "
        let bare = try folder.model(
            entity("Hero") + entity("Pet", indexed) + entity("Team", unique) + entity("Villain"))
        #expect(try graft("lint", bare).succeeded().lines.last == "\(words)Hero, Villain")
        let fast = try folder.model(entity("Pet", indexed) + entity("Team", unique), named: "Fast")
        #expect(try !graft("lint", fast).succeeded().text.contains("No index"))
    }

    @Test func `a transformer that is given has to be one that the model names, with a rule or without`() throws {
        let model = try broken()
        for name in ["Upper", "Upper=case:upper"] {
            let run = try graft("lint", model, "--transformer", name)
            #expect(run.text.contains("error: Hero.id") && !run.text.contains("'Upper'"), "\(run.text)")
        }
        for name in ["Uper", "Uper=case:upper"] {
            try graft("lint", model, "--transformer", name).failed(saying: "'Uper'", "Did you mean 'Upper'?")
        }
    }

    @Test func `what is wrong is listed with a suggestion each, and the exit code is 1`() throws {
        let run = try graft("lint", try broken())
        #expect(run.status == 1)
        #expect(
            run.text.contains("warning: Hero.id: found 'JSONKeypath', which nobody reads. Did you mean 'JSONKeyPath'?"))
        #expect(run.text.contains("error: Hero.id: it identifies the objects, and takes no part in JSON"))
        #expect(run.text.contains("error: Hero.name: JSONTransformerName names 'Upper'"))
        #expect(run.diagnostics.contains("2 things are wrong"))
        let promised = try graft("lint", try broken(), "--transformer", "Upper", "--strict", "--json")
        #expect(promised.status == 1)
        #expect(promised.text.contains(#""rule" : "unmappedIdentity""#))
        #expect(!promised.text.contains("unknownTransformer"))
        #expect(promised.diagnostics.contains("2 things are wrong"))
    }
}
