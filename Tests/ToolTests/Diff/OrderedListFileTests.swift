// A list that is put into another order: when a command ends, all of its work is in the store's file, and no log beside it. Git and `cp`
// take the file alone.

import Foundation
import Testing

@Suite struct OrderedListFileTests {
    private static let model = #"""
        <entity name="A"><attribute name="id" attributeType="Integer 64" optional="YES"/>
        <attribute name="name" attributeType="String" optional="YES"/>
        <relationship name="kids" optional="YES" toMany="YES" ordered="YES" destinationEntity="B" inverseName="dad"
        inverseEntity="B"/>
        <relationship name="tags" optional="YES" toMany="YES" ordered="YES" destinationEntity="B" inverseName="tagged"
        inverseEntity="B"/>
        <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
        <entity name="B"><attribute name="id" attributeType="Integer 64" optional="YES"/>
        <relationship name="dad" optional="YES" maxCount="1" destinationEntity="A" inverseName="kids" inverseEntity="A"/>
        <relationship name="tagged" optional="YES" toMany="YES" destinationEntity="A" inverseName="tags" inverseEntity="A"/>
        <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
        """#

    @Test func `imports, diffs and merges of lists are in the file alone`() throws {
        let folder = try TemporaryFolder()
        let model = try folder.model(Self.model)
        func text(_ name: String, _ order: [Int]) -> String {
            let list = order.map { #"{"id":\#($0)}"# }.joined(separator: ",")
            return #"{"A":[{"id":1,"name":"\#(name)","kids":[\#(list)],"tags":[\#(list)]}]}"#
        }
        func made(_ store: String, _ changed: String) throws -> String {
            for json in [text("x", [1, 2, 3]), changed] {
                let file = try folder.file("data.json", json)
                _ = try graft("import", file, "--store", folder.path(store), "--model", model).succeeded()
            }
            return folder.path(store)
        }
        let base = try made("base.sqlite", text("x", [1, 2, 3]))
        let ours = try made("ours.sqlite", text("x", [3, 1, 2])),
            theirs = try made("theirs.sqlite", text("y", [1, 2, 3]))
        let merged = folder.path("merged.sqlite")
        _ = try graft("merge", base, ours, theirs, "--output", merged).succeeded()
        let diff = try folder.file("diff.json", graft("diff", base, ours, "--format", "json").text)
        _ = try graft("apply", diff, "--store", base).succeeded()
        #expect(try folder.names.filter { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") } == [])
        let other = try TemporaryFolder()
        for (store, name) in [(merged, "y"), (base, "x"), (ours, "x")] {
            let copy = try other.copy(of: URL(filePath: store))
            let export = try graft("export", "--store", copy).succeeded().text
            #expect(export.contains(#""name":"\#(name)","kids":[3,1,2],"tags":[3,1,2]"#))
        }
    }
}
