// Order keys: ascending, sparse, and rewritten as seldom as possible.

import Testing

@testable import CoreData

@Suite struct SparseOrderTests {
    @Test func `a new collection begins at 2048 and goes on in steps of 1024`() {
        #expect(SparseOrder.keys(for: [nil, nil, nil]) == [2048, 3072, 4096])
    }

    @Test func `what is put in front of a new collection gets 1024`() {
        #expect(SparseOrder.keys(for: [nil, 2048, 3072]) == [1024, 2048, 3072])
    }

    @Test func `what comes last gets the next step`() {
        #expect(SparseOrder.keys(for: [2048, 3072, nil, nil]) == [2048, 3072, 4096, 5120])
    }

    @Test func `what comes between two members leaves both where they are`() {
        #expect(SparseOrder.keys(for: [2048, nil, 3072]) == [2048, 2560, 3072])
        #expect(SparseOrder.keys(for: [2048, nil, nil, nil, 3072]) == [2048, 2304, 2560, 2816, 3072])
    }

    @Test func `moving one member rewrites one key`() {
        let present: [Int64?] = [4096, 2048, 3072]
        #expect(SparseOrder.keys(for: present) == [1024, 2048, 3072])
    }

    @Test func `without room everything is numbered anew`() {
        #expect(SparseOrder.keys(for: [4, nil, 5]) == [2048, 3072, 4096])
        #expect(SparseOrder.keys(for: [nil, 0]) == [2048, 3072])
    }

    @Test func `equal keys can't both stay`() {
        let keys = SparseOrder.keys(for: [7, 7, 7])
        #expect(keys == keys.sorted())
        #expect(Set(keys).count == 3)
    }

    @Test func `nothing has no keys`() {
        #expect(SparseOrder.keys(for: []) == [])
    }

    @Test func `keys ascend strictly, and those in order already stay, whatever there was`() {
        var generator = SeededGenerator(seed: 42)
        for _ in 0..<500 {
            let count = Int.random(in: 1...12, using: &generator)
            let present: [Int64?] = (0..<count).map { _ in
                Bool.random(using: &generator) ? Int64.random(in: -5...5000, using: &generator) : nil
            }
            let keys = SparseOrder.keys(for: present)
            #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }, "\(present) gave \(keys)")
            let ordered = present.compactMap { $0 }
            if !ordered.isEmpty, ordered.count == count, zip(ordered, ordered.dropFirst()).allSatisfy({ $0 < $1 }) {
                #expect(keys == ordered)
            }
        }
    }
}
