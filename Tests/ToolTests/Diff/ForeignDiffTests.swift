// `graft apply` with diffs that nobody computed from such stores: edited by hand, damaged, or of another model.

import Foundation
import Testing

@Suite struct ForeignDiffTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        let model = try folder.model(
            """
            <entity name="Thing"><attribute name="id" attributeType="Integer 64"/>
            <attribute name="size" optional="YES" attributeType="Integer 64"/>
            <relationship name="notes" optional="YES" toMany="YES" ordered="YES" destinationEntity="Note" inverseName="thing" inverseEntity="Note"/>
            <relationship name="parent" optional="YES" maxCount="1" destinationEntity="Thing" inverseName="children" inverseEntity="Thing"/>
            <relationship name="children" optional="YES" toMany="YES" destinationEntity="Thing" inverseName="parent" inverseEntity="Thing"/>
            <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            <entity name="Note"><attribute name="a" optional="YES" attributeType="String"/>
            <attribute name="b" optional="YES" attributeType="String"/><attribute name="c" optional="YES" attributeType="String"/>
            <relationship name="thing" optional="YES" maxCount="1" destinationEntity="Thing" inverseName="notes" inverseEntity="Thing"/>
            </entity>
            <entity name="Tag"><attribute name="name" attributeType="String"/>
            <userInfo><entry key="identityAttributes" value="name"/></userInfo></entity>
            """)
        store = folder.path("S.sqlite")
        let data = try folder.file(
            "data.json", #"{"Thing": [{"id": 1}, {"id": 2}], "Tag": [{"name": "t"}, {"name": "u"}]}"#)
        try graft("import", data, "--store", store, "--model", model).succeeded()
    }

    private static let tag = #"{"entity": "Tag", "identity": [{"string": "t"}]}"#

    private func refused(_ diff: String, _ words: String...) throws {
        let file = try folder.file("diff.json", diff), before = try StoreFile(path: store).bytes
        for policy in ["fail", "skip", "force"] {
            let run = try graft("apply", file, "--store", store, "--on-conflict", policy)
            #expect(run.status == 1 && !run.isKilled, "\(policy): \(run.diagnostics)")
            for word in words { #expect(run.diagnostics.contains(word), "\(policy): \(run.diagnostics)") }
            #expect(try StoreFile(path: store).bytes == before)
        }
    }

    @Test(arguments: [
        #"{"name": "notes", "toMany": {"added": [{"index": 0, "key": \#(tag)}]}}"#,
        #"{"name": "notes", "toMany": {"removed": [{"index": 0, "key": \#(tag)}]}}"#,
        #"{"name": "children", "toMany": {"added": [{"key": \#(tag)}]}}"#,
        #"{"name": "parent", "toOne": {"new": \#(tag)}}"#,
    ])
    func `a link to an object of an entity that the relationship doesn't lead to is an error`(_ change: String) throws {
        try refused(
            """
            {"version": 1, "changed": [{"key": {"entity": "Thing", "identity": [{"integer": 1}]}, "properties": [\(change)]}]}
            """, "Thing.", "an object of 'Tag'")
    }

    @Test func `a new object's link to an object of another entity is an error`() throws {
        try refused(
            """
            {"version": 1, "inserted": [{"key": {"entity": "Thing", "identity": [{"integer": 3}]},
            "properties": [{"name": "parent", "object": \(Self.tag)}]}]}
            """, "Thing.parent", "an object of 'Tag'")
    }

    @Test func `a value of the identity that the key contradicts is an error`() throws {
        try refused(
            """
            {"version": 1, "changed": [{"key": {"entity": "Thing", "identity": [{"integer": 2}]},
            "properties": [{"name": "id", "attribute": {"old": {"integer": 2}, "new": {"integer": 1}}}]}]}
            """, "Thing.id", "as the object's key says")
        try refused(
            """
            {"version": 1, "inserted": [{"key": {"entity": "Tag", "identity": [{"string": "new"}]},
            "properties": [{"name": "name", "value": {"string": "t"}}]}]}
            """, "Tag.name", "as the object's key says")
    }
}
