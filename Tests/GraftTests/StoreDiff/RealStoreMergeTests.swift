// Two copies of a real store that were changed apart from each other are merged, most of them by the rows' numbers alone.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite(.needsReferenceData, .serialized) struct RealStoreMergeTests {
    /// A store and two copies of it, to be changed.
    private struct Versions {
        let base, ours, theirs: NSPersistentContainer
        let options: GraphMerge.Options
        private let copies: RealStoreCopies

        init(_ path: String) throws {
            copies = try RealStoreCopies()
            base = try copies.copy(path, "Base.sqlite")
            ours = try copies.copy(path, "Ours.sqlite")
            theirs = try copies.copy(path, "Theirs.sqlite")
            let lineage = try base.read { try GraphSnapshot(of: $0).lineage }
            options = GraphMerge.Options(diff: DiffOptions(guessesKeys: true, base: lineage))
        }

        func merge(_ ours: NSPersistentContainer, _ theirs: NSPersistentContainer) throws -> GraphMerge {
            let snapshots = try [base, ours, theirs].map { container in
                try container.read { try GraphSnapshot(of: $0) }
            }
            return try GraphMerge(base: snapshots[0], ours: snapshots[1], theirs: snapshots[2], options: options)
        }

        /// Brings one side up to a merge, in which it is ours.
        func complete(_ container: NSPersistentContainer, _ merge: GraphMerge) throws {
            try container.apply(
                merge.diffFromOurs(), options: GraphDiff.ApplyingOptions(diff: options.diff))
        }
    }

    /// Each store with each number of changes, or each second one with one of them.
    private static let changes = RealStoreDiffTests.sound.enumerated().flatMap { index, path in
        [1, 10, 100].enumerated().filter { Laws.isThorough || (index + $0.offset) % 6 == 1 }.map { (path, $0.element) }
    }

    @Test(arguments: changes)
    func `what two copies changed of different objects is all in the merge, whichever side is ours`(
        _ path: String, _ count: Int
    ) throws {
        let versions = try Versions(path)
        let before = try versions.base.rows { !$0.isToMany }
        var inserted = 0
        var expected = before
        for (half, side) in [versions.ours, versions.theirs].enumerated() {
            var random = SeededGenerator(seed: 2 * count + half)
            inserted += try StoreChanger.changeHalf(half, of: side, count, &random)
            let after = try side.rows { !$0.isToMany }
            let changed = before.keys.filter { after[$0] != before[$0] }
            for name in changed {
                #expect(expected[name] == before[name], "both changed \(name)")
                expected[name] = after[name]
            }
        }
        #expect(expected != before || inserted > 0)

        let forth = try versions.merge(versions.ours, versions.theirs)
        let back = try versions.merge(versions.theirs, versions.ours)
        #expect(forth.conflicts == [] && back.conflicts == [])
        try versions.complete(versions.ours, forth)
        try versions.complete(versions.theirs, back)
        for side in [versions.ours, versions.theirs] {
            let merged = try side.rows { !$0.isToMany }
            #expect(merged.filter { before[$0.key] != nil } == expected)
            #expect(merged.count == before.count + inserted)
        }
        let (one, other) = (try versions.ours.rows(), try versions.theirs.rows())
        #expect(one.filter { before[$0.key] != nil } == other.filter { before[$0.key] != nil })
        func added(_ rows: [String: String]) -> [String] { rows.filter { before[$0.key] == nil }.values.sorted() }
        #expect(added(one) == added(other))
    }

    @Test(arguments: Laws.cases(RealStoreDiffTests.sound, oneOf: 3))
    func `two values for one attribute are a conflict, and the only one`(_ path: String) throws {
        let versions = try Versions(path)
        let types: [NSAttributeType] = [.stringAttributeType, .dateAttributeType, .doubleAttributeType]
        var chosen: (name: String, attribute: String)?
        for (number, side) in [versions.ours, versions.theirs].enumerated() {
            try side.read { context in
                let objects = try context.everything()
                let found = objects.lazy.compactMap { object -> (NSManagedObject, NSAttributeDescription)? in
                    StoreChanger.changeable(object.entity).first { types.contains($0.attributeType) }
                        .map { (object, $0) }
                }.first
                let (object, attribute) = try #require(found)
                StoreChanger.set(attribute, of: object, number)
                try context.save()
                chosen = (object.objectID.shortName, attribute.name)
            }
        }
        for (ours, theirs) in [(versions.ours, versions.theirs), (versions.theirs, versions.ours)] {
            let merge = try versions.merge(ours, theirs)
            #expect(merge.conflicts.map(\.kind) == [.values])
            #expect(merge.conflicts.first?.property == chosen?.attribute)
            let values = merge.conflicts.first.map { ["\($0.ours)", "\($0.theirs)"] } ?? []
            #expect(values.count == 2 && values[0] != values[1])
            let key = try #require(merge.conflicts.first?.key)
            let names = try ours.read { context in
                try context.objects(with: [key], in: merge.identification).values.map(\.objectID.shortName)
            }
            #expect(names == [chosen?.name])
        }
    }
}
