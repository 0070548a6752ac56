// What the demanding forms of a mapping cost beside the plain one: references to objects that come later, and identities of two
// attributes. And whether an export of a graph full of cycles stays linear in its size.

import Foundation
import Graft

/// The benchmarks of mappings, in a temporary folder.
struct MappingBenchmark {
    let table: Table
    let folder: URL

    func runImport() throws {
        let count = 100_000
        table.title("Import of \(count) items, by the form of their references and identities")
        let forms: [(name: String, file: ItemFile)] = [
            ("plain: a reference to an item before it", ItemFile(count: count)),
            ("every fifth refers to an item behind it", ItemFile(count: count, refersAhead: true)),
            ("identity of two attributes", ItemFile(count: count, isComposite: true)),
            ("both", ItemFile(count: count, refersAhead: true, isComposite: true)),
        ]
        let files = try forms.map { try $0.file.write(to: folder) }
        var costs = forms.map { _ in Cost.infinite }
        // By turns, so that whatever else the machine does meets all.
        for run in 0..<3 {
            for (index, form) in forms.enumerated() {
                let step: Step = form.file.isComposite ? .importingCompositeItems : .importingItems
                let outcome = try step.run(files[index], folder.appending(path: "items-\(run)-\(index).sqlite"))
                guard outcome.count == count else { throw unexpected(outcome.count, count) }
                costs[index] = costs[index].best(outcome.cost)
            }
        }
        for (index, form) in forms.enumerated() { table.add(form.name, costs[index], peer: costs[0]) }
        for (index, form) in forms.enumerated().dropFirst() {
            table.goal("\(form.name) / plain", costs[index], to: costs[0], "at most 1.3") { $0 <= 1.3 }
        }
    }

    func runCycles() throws {
        table.title("Export of a graph with cycles, nested")
        var perObject: [Cost] = []
        for count in [10_000, 100_000, 300_000] {
            let file = try NodeFile(count: count).write(to: folder)
            let store = folder.appending(path: "nodes-\(count).sqlite")
            _ = try Step.importingNodes.run(file, store)
            var cost = Cost.infinite
            for _ in 0..<3 {
                let outcome = try Step.exportingNodes.run(store, folder.appending(path: "nodes.json"))
                guard outcome.count == count else { throw unexpected(outcome.count, count) }
                cost = cost.best(outcome.cost)
            }
            let size = try FileManager.default.attributesOfItem(atPath: folder.appending(path: "nodes.json").path)[
                .size]
            table.add(
                "\(count) nodes", cost, megabytes: ((size as? NSNumber)?.doubleValue ?? 0) / 1e6, peer: nil)
            perObject.append(Cost(seconds: cost.seconds / Double(count), processor: cost.processor / Double(count)))
            table.note(
                String(
                    format: "    %.1f µs a node (processor time: %.1f)", perObject[perObject.count - 1].seconds * 1e6,
                    perObject[perObject.count - 1].processor * 1e6))
        }
        table.goal("time per node, 300000 / 10000", perObject[2], to: perObject[0], "at most 1.5") { $0 <= 1.5 }
    }

    private func unexpected(_ found: Int, _ expected: Int) -> GraftError {
        GraftError(.other(finding: "\(found) objects where \(expected) were expected", remedy: "Repair the code."))
    }
}
