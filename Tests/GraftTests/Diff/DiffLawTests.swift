// Laws of diffs over random models and graphs. Each seed is one model with six graphs and the diffs between all of them:
// 340 seeds of 30 pairs make 10,200 cases (`make laws`).

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DiffLawTests {
    /// A graph three times: as the oracle keeps it, and as Graft does.
    private struct Version {
        var contents: [ObjectContents]
        var snapshot: GraphSnapshot
    }

    private func versions(_ seed: Int, count: Int) throws -> (versions: [Version], hasOrder: Bool) {
        var random = SeededGenerator(seed: seed)
        let model = RandomModel(&random)
        var world = RandomWorld(model, count: 3 + random.below(4), &random)
        var versions: [Version] = []
        for _ in 0..<count {
            versions.append(Version(contents: world.contents, snapshot: try world.snapshot()))
            world.mutate(1 + random.below(4), &random)
        }
        return (versions, model.entities.contains { $0.ends.contains { $0.isOrdered } })
    }

    @Test(arguments: Laws.cases(0..<34))
    func `diffs lead there and back`(_ block: Int) throws {
        for seed in block * 10..<block * 10 + 10 {
            let versions = try versions(seed, count: 6).versions
            for version in versions {
                try #require(try version.snapshot.contents() == version.contents, "seed \(seed)")
            }
            for (one, old) in versions.enumerated() {
                for (other, new) in versions.enumerated() where one != other {
                    try checkPair(old, new, "seed \(seed), \(one) to \(other)")
                }
            }
        }
    }

    private func checkPair(_ old: Version, _ new: Version, _ name: Comment) throws {
        let diff = try GraphDiff(from: old.snapshot, to: new.snapshot)
        checkKeys(diff, old, new, name)
        #expect(try GraphDiff(from: new.snapshot, to: old.snapshot) == diff.inverted, name)
        let there = try old.snapshot.applying(diff)
        try #require(try there.contents() == new.contents, name)
        #expect(try GraphDiff(from: there, to: new.snapshot).isEmpty, name)
        let back = try there.applying(diff.inverted)
        #expect(try back.contents() == old.contents, name)
    }

    /// Which objects differ, told from the oracle's contents alone.
    private func checkKeys(_ diff: GraphDiff, _ old: Version, _ new: Version, _ name: Comment) {
        let before = Dictionary(uniqueKeysWithValues: old.contents.map { ($0.key, $0) })
        let after = Dictionary(uniqueKeysWithValues: new.contents.map { ($0.key, $0) })
        #expect(diff.deleted == old.contents.filter { after[$0.key] == nil }, name)
        #expect(diff.inserted == new.contents.filter { before[$0.key] == nil }, name)
        let differing = old.contents.filter { contents in after[contents.key].map { $0 != contents } ?? false }
        #expect(diff.changed.map(\.key) == differing.map(\.key), name)
    }

    @Test(arguments: Laws.cases(0..<20))
    func `trees say what diffs say`(_ block: Int) throws {
        for seed in block * 10..<block * 10 + 10 {
            var random = SeededGenerator(seed: seed)
            let entities = RandomModel(&random).entities
            let owning = Set(
                entities.flatMap { entity in
                    entity.ends.filter(\.isOwning).map { "\(entity.name).\($0.name)" }
                })
            let versions = try versions(seed, count: 4).versions
            for (one, old) in versions.enumerated() {
                for (other, new) in versions.enumerated() where one != other {
                    let diff = try GraphDiff(from: old.snapshot, to: new.snapshot)
                    var told = diff.inserted.map { "inserted \($0.key.entity) \($0.key.identity)" }
                    told += diff.deleted.map { "deleted \($0.key.entity) \($0.key.identity)" }
                    for change in diff.changed {
                        let names = change.properties.map(\.name).filter {
                            !owning.contains("\(change.key.entity).\($0)")
                        }
                        if names.isEmpty { continue }
                        told.append("changed \(change.key.entity) \(change.key.identity) \(names)")
                    }
                    let trees = try ObjectDiff.differences(
                        from: old.snapshot, to: new.snapshot, includesReferences: true)
                    #expect(trees.flatMap(words).sorted() == told.sorted(), "seed \(seed), \(one) to \(other)")
                }
            }
        }
    }

    /// What a tree says of each object in it.
    private func words(_ tree: ObjectDiff) -> [String] {
        var names = tree.attributes.map(\.name)
        var words: [String] = []
        for relationship in tree.relationships {
            switch relationship.content {
            case .object(let object): words += self.words(object)
            case .objects(let objects): words += objects.flatMap(self.words)
            case .references: names.append(relationship.name)
            }
        }
        let name = "\(tree.kind) \(tree.entityName) \(tree.identity.map(\.value))"
        if tree.kind != .changed { return words + [name] }
        return names.isEmpty ? words : words + ["\(name) \(names.sorted())"]
    }

    @Test(arguments: Laws.cases(0..<20))
    func `two diffs in a row are one`(_ block: Int) throws {
        for seed in block * 20..<block * 20 + 20 {
            let (versions, hasOrder) = try versions(seed, count: 3)
            let first = try GraphDiff(from: versions[0].snapshot, to: versions[1].snapshot)
            let second = try GraphDiff(from: versions[1].snapshot, to: versions[2].snapshot)
            let both = first.composed(with: second)
            let direct = try GraphDiff(from: versions[0].snapshot, to: versions[2].snapshot)
            if !hasOrder { #expect(both == direct, "seed \(seed)") }
            #expect(try versions[0].snapshot.applying(both).contents() == versions[2].contents, "seed \(seed)")
            #expect(
                try versions[2].snapshot.applying(both.inverted).contents() == versions[0].contents, "seed \(seed)")
            #expect(first.composed(with: first.inverted).isEmpty, "seed \(seed)")
            #expect(direct.composed(with: GraphDiff()) == direct && GraphDiff().composed(with: direct) == direct)
        }
    }

    @Test(arguments: Laws.cases(0..<10))
    func `a diff that was applied doesn't fit again`(_ block: Int) throws {
        for seed in block * 10..<block * 10 + 10 {
            let versions = try versions(seed, count: 2).versions
            let diff = try GraphDiff(from: versions[0].snapshot, to: versions[1].snapshot)
            if diff.isEmpty { continue }
            let error = graftError { _ = try versions[1].snapshot.applying(diff) }
            guard case .changesDoNotFit(let conflicts)? = error?.problem else {
                Issue.record("seed \(seed): \(String(describing: error))")
                continue
            }
            #expect(!conflicts.isEmpty)
            var skipped = versions[1].snapshot
            let report = try skipped.apply(diff, options: GraphDiff.ApplyingOptions(conflicts: .skip))
            #expect(report.conflicts == conflicts, "seed \(seed)")
            #expect(try skipped.contents() == versions[1].contents, "seed \(seed)")
            let forced = try versions[1].snapshot.applying(diff, options: GraphDiff.ApplyingOptions(conflicts: .force))
            #expect(try forced.contents() == versions[1].contents, "seed \(seed)")
        }
    }

    @Test func `a diff and its coder agree`() throws {
        for seed in 0..<40 {
            let versions = try versions(seed, count: 2).versions
            let diff = try GraphDiff(from: versions[0].snapshot, to: versions[1].snapshot)
            let data = try JSONEncoder().encode(diff)
            #expect(try JSONDecoder().decode(GraphDiff.self, from: data) == diff, "seed \(seed)")
        }
    }

    @Test func `a snapshot that many diffs were applied to survives a coder, and keeps nothing of them`() throws {
        for seed in 0..<40 {
            let versions = try versions(seed, count: 2).versions
            let diff = try GraphDiff(from: versions[0].snapshot, to: versions[1].snapshot)
            var snapshot = versions[0].snapshot
            for _ in 0..<5 {
                try snapshot.apply(diff)
                try snapshot.apply(diff.inverted)
            }
            let data = try JSONEncoder().encode(snapshot)
            let copy = try JSONDecoder().decode(GraphSnapshot.self, from: data)
            #expect(try copy.contents() == versions[0].contents, "seed \(seed)")
            #expect(try copy.applying(diff).contents() == versions[1].contents, "seed \(seed)")
            #expect(try JSONEncoder().encode(copy).count == data.count, "seed \(seed)")
            // The numbers of rows differ, and little else.
            let size = try JSONEncoder().encode(versions[0].snapshot).count
            #expect(data.count <= size + 200, "seed \(seed)")
        }
    }
}
