// docs/diff.md, Applying: "What it doesn't know (there can be such links only with skip and force, or in excluded relationships) obeys the
// delete rules: owned objects are deleted and listed in the report, deny is a conflict."

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ExcludedDeleteRuleTests {
    /// Persons with addresses, by a delete rule.
    private func people(_ rule: NSDeleteRule) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["id": "name"],
            [.attribute("name"), .toMany("addresses", "Address", inverse: "person", rule: rule)])
        sketch.entity(
            "Address", info: ["id": "guid"],
            [.attribute("guid"), .toOne("person", "Person", inverse: "addresses")])
        return sketch.model()
    }

    /// Runs a block with a diff that deletes Ann, who had no addresses when it was made and has three now.
    private func withAnn(
        _ rule: NSDeleteRule, _ options: DiffOptions, _ body: (NSManagedObjectContext, GraphDiff) throws -> Void
    ) throws {
        let model = people(rule)
        try TestStack(model).perform { context in
            let ann = context.make("Person", ["name": "Ann"])
            try context.save()
            let diff = try GraphDiff(
                from: GraphSnapshot(of: context, options: options), to: GraphSnapshot(model: model), options: options)
            #expect(diff.deleted.map(\.key) == [ObjectKey("Person", [.string("Ann")])])
            for guid in ["1", "2", "3"] { context.make("Address", ["guid": guid]).setValue(ann, forKey: "person") }
            try context.save()
            try body(context, diff)
        }
    }

    private let addresses = DiffOptions(excluded: [.init("Person", "addresses")])
    private let both = DiffOptions(excluded: [.init("Person", "addresses"), .init("Address", "person")])

    @Test func `what a deleted object owns by an excluded relationship goes with it, and is reported`() throws {
        for options in [addresses, both] {
            try withAnn(.cascadeDeleteRule, options) { context, diff in
                let report = try context.apply(diff, options: GraphDiff.ApplyingOptions(diff: options))
                try context.save()
                #expect(try context.all("Person").isEmpty)
                // Without the inverse being excluded, too, they stay and have lost their person.
                #expect(try context.all("Address").isEmpty)
                #expect(report.cascaded == ["1", "2", "3"].map { ObjectKey("Address", [.string($0)]) })
            }
        }
    }

    @Test func `what goes with its owner by an excluded relationship counts for the limit`() throws {
        for options in [addresses, both] {
            try withAnn(.cascadeDeleteRule, options) { context, diff in
                let error = graftError {
                    try context.apply(
                        diff, options: GraphDiff.ApplyingOptions(diff: options, deletionLimit: .count(2)))
                }
                #expect(error?.description.contains("3 of 3 objects would be deleted") == true)
                #expect(!context.hasChanges)
            }
        }
    }

    @Test func `an excluded relationship that denies the deletion denies it`() throws {
        for options in [addresses, both] {
            try withAnn(.denyDeleteRule, options) { context, diff in
                let error = graftError { try context.apply(diff, options: GraphDiff.ApplyingOptions(diff: options)) }
                if case .changesDoNotFit? = error?.problem {} else { Issue.record("\(String(describing: error))") }
                // Where the inverse isn't excluded, Ann is deleted and all addresses have lost her.
                #expect(try context.all("Person").count == 1)
                for address in try context.all("Address") { #expect(address.object("person") != nil) }
            }
        }
    }
}
