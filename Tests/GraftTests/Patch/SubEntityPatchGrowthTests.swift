// Many objects without identity in a super-entity's export, with keys that only a sub-entity knows.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct SubEntityPatchGrowthTests {
    /// Circles, ten of each person.
    private func circles(_ count: Int) throws -> TestStack {
        let stack = try TestStack(ModelSketch.shapes())
        try stack.fill { context in
            for person in 0..<(count / 10) {
                let circles = (0..<10).map { context.add("Circle", ["name": "c\($0)", "radius": person * 10 + $0]) }
                context.add("Person", ["id": person, "name": "p", "shapes": NSOrderedSet(array: circles)])
            }
        }
        return stack
    }

    /// Patches the name of one person.
    private func patch(_ stack: TestStack) throws {
        let patch = try JSONPatch(parsing: #"[{"op": "replace", "path": "/0/name", "value": "q"}]"#)
        try stack.perform { context in
            var conflicts: [GraphDiff.Conflict] = []
            let diff = try GraphDiff(changing: context, entity: "Person", conflicts: &conflicts) {
                try patch.applying(to: $0)
            }
            #expect(diff.changed.count == 1)
        }
    }

    @Test func `a patch beside four times as many of them takes about four times as long`() throws {
        let (small, large) = (try circles(500), try circles(2000))
        let ratio = try Growth.ratio {
            try patch(small)
        } large: {
            try patch(large)
        }
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }
}
