// Patches made from two documents: they apply, always; and they are short.

import Foundation
import Testing

@testable import Graft

@Suite struct JSONPatchGeneratingTests {
    @Test func `a patch made from two documents leads from one to the other`() throws {
        for seed: UInt64 in 1...3000 {
            var random = SeededGenerator(seed: seed)
            let old = random.document()
            let new = Bool.random(using: &random) ? random.changed(old) : random.document()
            var options = Bool.random(using: &random) ? JSONPatch.Options() : .identified(by: ["id"])
            options.testsOldValues = Bool.random(using: &random)
            let patch = try JSONPatch(from: old, to: new, options: options)
            let result = try #require(try? patch.applying(to: old), "seed \(seed): \(old) to \(new): \(patch)")
            #expect(result == new, "seed \(seed): \(old) to \(new): \(patch)")
            #expect(patch.isEmpty == (old == new), "seed \(seed)")
            #expect(try JSONPatch(parsing: patch.description) == patch, "seed \(seed)")
        }
    }

    @Test func `an element at the front of a thousand is one operation`() throws {
        let old = JSONValue.array((0..<1000).map { ["id": .number(JSONValue.Number($0)), "name": "n"] })
        guard case .array(let elements) = old else { return }
        let new = JSONValue.array([["id": -1, "name": "first"]] + elements)
        for options in [JSONPatch.Options(), .identified(by: ["id"])] {
            let patch = try JSONPatch(from: old, to: new, options: options)
            #expect(patch.operations == [.add(JSONPatch.Pointer(["0"]), ["id": -1, "name": "first"])])
        }
    }

    @Test func `a move is a move, and what changes in a moved element is changed at its new place`() throws {
        let old: JSONValue = ["list": [["id": 1, "n": "a"], ["id": 2, "n": "b"], ["id": 3, "n": "c"]]]
        let new: JSONValue = ["list": [["id": 3, "n": "x"], ["id": 1, "n": "a"], ["id": 2, "n": "b"]]]
        let patch = try JSONPatch(from: old, to: new, options: .identified(by: ["id"]))
        #expect(
            patch.operations == [
                .move(from: JSONPatch.Pointer(["list", "2"]), to: JSONPatch.Pointer(["list", "0"])),
                .replace(JSONPatch.Pointer(["list", "0", "n"]), "x"),
            ])
    }

    @Test func `an element with another identity is another element, one without is changed in its place`() throws {
        let old: JSONValue = [["id": 1, "n": "a"], ["n": "b", "m": 1]]
        let new: JSONValue = [["id": 2, "n": "a"], ["n": "c", "m": 1]]
        #expect(
            try JSONPatch(from: old, to: new, options: .identified(by: ["id"])).operations == [
                .remove(JSONPatch.Pointer(["0"])), .add(JSONPatch.Pointer(["0"]), ["id": 2, "n": "a"]),
                .replace(JSONPatch.Pointer(["1", "n"]), "c"),
            ])
        #expect(
            try JSONPatch(from: old, to: new).operations == [
                .replace(JSONPatch.Pointer(["0", "id"]), 2), .replace(JSONPatch.Pointer(["1", "n"]), "c"),
            ])
    }

    @Test func `identities can be composite, nested, and different for each list`() throws {
        var options = JSONPatch.Options()
        options.identity = { $0.tokens.last == "crew" ? [["name", "first"], ["name", "last"]] : nil }
        func person(_ first: String, _ last: String, _ age: Int) -> JSONValue {
            ["name": ["first": .string(first), "last": .string(last)], "age": .number(JSONValue.Number(age))]
        }
        let old: JSONValue = ["crew": [person("A", "X", 1), person("A", "Y", 2)]]
        let new: JSONValue = ["crew": [person("A", "Y", 3), person("A", "X", 1)]]
        let patch = try JSONPatch(from: old, to: new, options: options)
        #expect(patch.operations.map(\.name) == ["move", "replace"])
        #expect(try patch.applying(to: old) == new)
    }

    @Test func `tests refuse a document that isn't the one that the patch was made from`() throws {
        var options = JSONPatch.Options.identified(by: ["id"])
        options.testsOldValues = true
        let old: JSONValue = ["name": "a", "list": [["id": 1], ["id": 2]], "gone": 1]
        let new: JSONValue = ["name": "b", "list": [["id": 2], ["id": 1]]]
        let patch = try JSONPatch(from: old, to: new, options: options)
        #expect(try patch.applying(to: old) == new)
        for changed: JSONValue in [
            ["name": "x", "list": [["id": 1], ["id": 2]], "gone": 1],
            ["name": "a", "list": [["id": 2], ["id": 1]], "gone": 1],
            ["name": "a", "list": [["id": 1], ["id": 2]], "gone": 2],
        ] {
            #expect(throws: GraftError.self) { try patch.applying(to: changed) }
        }
    }

    @Test func `a list needs as many moves as elements leave the longest run in order`() throws {
        for seed: UInt64 in 1...500 {
            var random = SeededGenerator(seed: seed)
            let count = Int.random(in: 0...12, using: &random)
            let old = Array(0..<count)
            let new = old.shuffled(using: &random)
            let steps = ListAlignment(from: old, to: new).steps
            #expect(steps.count == count - Self.longestRun(new), "seed \(seed)")
            #expect(Self.run(steps, old, new) == new, "seed \(seed)")
        }
    }

    @Test func `the steps between random lists with repeated elements lead from one to the other`() throws {
        for seed: UInt64 in 1...3000 {
            var random = SeededGenerator(seed: seed)
            let range = 0...Int.random(in: 1...12, using: &random)
            func list() -> [Int] {
                (0..<Int.random(in: 0...14, using: &random)).map { _ in Int.random(in: range, using: &random) }
            }
            let (old, new) = (list(), list())
            #expect(Self.run(ListAlignment(from: old, to: new).steps, old, new) == new, "seed \(seed)")
        }
    }

    @Test func `a list turned round takes time that hardly grows faster than the list`() throws {
        let old = Array(0..<50_000)
        let steps = ListAlignment(from: old, to: old.reversed()).steps
        #expect(steps.count == old.count - 1)
    }

    private static func run(_ steps: [ListAlignment.Step], _ old: [Int], _ new: [Int]) -> [Int] {
        steps.reduce(into: old) { list, step in
            switch step {
            case .remove(let index, let origin):
                #expect(list[index] == old[origin])
                list.remove(at: index)
            case .insert(let index, let origin): list.insert(new[origin], at: index)
            case .move(let from, let to): list.insert(list.remove(at: from), at: to)
            }
        }
    }

    /// The length of a longest increasing run, by trying for each element all before it.
    private static func longestRun(_ list: [Int]) -> Int {
        var best: [Int] = []
        for (index, value) in list.enumerated() {
            best.append(1 + (0..<index).filter { list[$0] < value }.map { best[$0] }.reduce(0, max))
        }
        return best.max() ?? 0
    }
}

extension SeededGenerator {
    /// A document of few different values, so that two of them have much in common.
    mutating func document(depth: Int = 0) -> JSONValue {
        switch Int.random(in: 0...(depth < 4 ? 7 : 3), using: &self) {
        case 0: return .null
        case 1: return .number(JSONValue.Number(Int.random(in: 0...3, using: &self)))
        case 2: return .string(["", "a", "é", "e\u{301}", "~/"][Int.random(in: 0...4, using: &self)])
        case 3: return .bool(Bool.random(using: &self))
        case 4, 5: return .array((0..<Int.random(in: 0...6, using: &self)).map { _ in document(depth: depth + 1) })
        default:
            let keys = ["id", "a", "b", "a/b", "m~n", "", "é", "e\u{301}"].shuffled(using: &self)
            return .object(
                JSONValue.Object(
                    keys.prefix(Int.random(in: 0...4, using: &self)).map { ($0, document(depth: depth + 1)) }))
        }
    }

    /// The document with some of it changed, moved, added or removed.
    mutating func changed(_ value: JSONValue) -> JSONValue {
        if Int.random(in: 0...9, using: &self) == 0 { return document(depth: 3) }
        switch value {
        case .array(var elements):
            for index in elements.indices where Bool.random(using: &self) {
                elements[index] = changed(elements[index])
            }
            if !elements.isEmpty, Bool.random(using: &self) {
                let element = elements.remove(at: Int.random(in: elements.indices, using: &self))
                let place = Int.random(in: 0...elements.count, using: &self)
                if Bool.random(using: &self) { elements.insert(element, at: place) }
            }
            if Bool.random(using: &self) {
                elements.insert(document(depth: 3), at: Int.random(in: 0...elements.count, using: &self))
            }
            return .array(elements)
        case .object(var object):
            for index in object.members.indices { object.members[index].value = changed(object.members[index].value) }
            object.members.shuffle(using: &self)
            if Bool.random(using: &self) { _ = object.members.popLast() }
            return .object(object)
        default:
            return value
        }
    }
}
