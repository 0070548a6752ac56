// Laws of three-way merges over random models and graphs.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct MergeLawTests {
    private struct Sides {
        var base: RandomWorld
        var ours: RandomWorld
        var theirs: RandomWorld
    }

    private func sides(_ seed: Int) -> Sides {
        var random = SeededGenerator(seed: seed)
        let model = RandomModel(&random)
        let base = RandomWorld(model, count: 3 + random.below(5), &random)
        var (ours, theirs) = (base, base)
        ours.mutate(1 + random.below(5), &random)
        // Sometimes both insert objects with one identity.
        theirs.mutate(1 + random.below(5), numbersFrom: random.chance(50) ? 100 : nil, &random)
        return Sides(base: base, ours: ours, theirs: theirs)
    }

    @Test(arguments: Laws.cases(0..<30))
    func `a merge is the same with the sides swapped, and nothing dangles`(_ block: Int) throws {
        for seed in block * 30..<block * 30 + 30 {
            let sides = sides(seed)
            let (base, ours, theirs) = (
                try sides.base.snapshot(), try sides.ours.snapshot(), try sides.theirs.snapshot()
            )
            for policy in [GraphMerge.Policy.leave, .ours, .theirs, .custom { $0.property == nil ? .ours : .base }] {
                let options = GraphMerge.Options(policy: policy)
                let merge = try GraphMerge(base: base, ours: ours, theirs: theirs, options: options)
                let swapped = try GraphMerge(base: base, ours: theirs, theirs: ours, options: options.mirrored)
                let contents = try merge.snapshot.contents()
                try #require(try swapped.snapshot.contents() == contents, "seed \(seed) \(policy)")
                #expect(merge.conflicts == swapped.conflicts.map(\.mirrored).sorted(), "seed \(seed) \(policy)")
                checkLinks(contents, sides.base.model, "seed \(seed) \(policy)")
                if case .leave = policy { continue }
                #expect(merge.conflicts.isEmpty, "seed \(seed) \(policy)")
            }
        }
    }

    /// Each link leads to an object that is there, and back.
    private func checkLinks(_ contents: [ObjectContents], _ model: RandomModel, _ name: Comment) {
        let objects = Dictionary(uniqueKeysWithValues: contents.map { ($0.key, $0) })
        for object in contents {
            let ends = model.entities.first { $0.name == object.key.entity }?.ends ?? []
            for end in ends {
                guard let value = object[end.name] else { continue }
                for other in keys(value) {
                    guard let found = objects[other] else {
                        Issue.record("\(name): \(object.key) \(end.name) leads to \(other)")
                        continue
                    }
                    guard let inverse = end.inverse else { continue }
                    let back = found[inverse].map(keys) ?? []
                    #expect(back.contains(object.key), "\(name): \(object.key) \(end.name) \(other)")
                }
            }
        }
    }

    private func keys(_ value: PropertyValue) -> [ObjectKey] {
        switch value {
        case .attribute, .toOne(nil): []
        case .toOne(let key?): [key]
        case .toMany(let keys, _): keys
        }
    }

    @Test(arguments: Laws.cases(0..<10))
    func `with one side unchanged, a merge is the other side`(_ block: Int) throws {
        for seed in block * 40..<block * 40 + 40 {
            let sides = sides(seed)
            let (base, ours) = (try sides.base.snapshot(), try sides.ours.snapshot())
            for (one, other) in [(ours, base), (base, ours), (ours, ours)] {
                let merge = try GraphMerge(base: base, ours: one, theirs: other)
                #expect(merge.conflicts.isEmpty, "seed \(seed)")
                #expect(try merge.snapshot.contents() == sides.ours.contents, "seed \(seed)")
            }
        }
    }

    @Test(arguments: Laws.cases(0..<10))
    func `what one side alone changed is merged`(_ block: Int) throws {
        for seed in block * 40..<block * 40 + 40 {
            let sides = sides(seed)
            let merge = try GraphMerge(
                base: sides.base.snapshot(), ours: sides.ours.snapshot(), theirs: sides.theirs.snapshot())
            let merged = Dictionary(uniqueKeysWithValues: try merge.snapshot.contents().map { ($0.key, $0) })
            for (side, other) in [(merge.ours, merge.theirs), (merge.theirs, merge.ours)] {
                let others = Dictionary(uniqueKeysWithValues: other.changed.map { ($0.key, $0) })
                for change in side.changed {
                    guard let object = merged[change.key] else { continue }
                    for property in change.properties where others[change.key]?[property.name] == nil {
                        guard case .attribute(_, let new) = property.kind else { continue }
                        #expect(object[property.name] == .attribute(new), "seed \(seed)")
                    }
                }
            }
        }
    }

    @Test(arguments: Laws.cases(0..<10))
    func `conflicts settled one by one after a coder end where a policy does`(_ block: Int) throws {
        for seed in block * 20..<block * 20 + 20 {
            let sides = sides(seed)
            let (base, ours, theirs) = (
                try sides.base.snapshot(), try sides.ours.snapshot(), try sides.theirs.snapshot()
            )
            let merge = try GraphMerge(base: base, ours: ours, theirs: theirs)
            var stored = try JSONDecoder().decode(GraphMerge.self, from: JSONEncoder().encode(merge))
            #expect(stored.conflicts == merge.conflicts, "seed \(seed)")
            var rounds = 0
            while let conflict = stored.conflicts.first, rounds < 100 {
                try stored.settle(conflict, .theirs)
                rounds += 1
            }
            let policy = try GraphMerge(base: base, ours: ours, theirs: theirs, options: .init(policy: .theirs))
            #expect(try stored.snapshot.contents() == policy.snapshot.contents(), "seed \(seed)")
        }
    }
}
