// What a step keeps of the changes of a list, and that it is enough to bring the list back.

import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite struct UndoStepTests {
    private let library: Library
    private let book: NSManagedObject
    private let chapters: [NSManagedObject]

    init() throws {
        let library = try Library(.inMemory)
        self.library = library
        book = library.insert("Book")
        chapters = (0..<6).map { library.insert("Chapter", ["heading": "\($0)"]) }
    }

    private func step(from old: [Int], to new: [Int]) throws -> UndoStep.Members {
        let slot = try #require(book.layout.slot(named: "chapters"))
        func value(_ places: [Int]) -> ManagedValue { .objects(ToManyMembers(unique: places.map { chapters[$0] })) }
        let change = UndoStep.Old(
            slot: book.layout.slots[slot], from: value(old), to: value(new), committed: value(old))
        guard case .members(let members)? = change else { throw CocoaError(.coderValueNotFound) }
        return members
    }

    @Test func `a step of a list's growth, and what takes it back, don't keep the list`() throws {
        for (short, long) in [([], [0]), ([0, 1, 2], [0, 1, 2, 3]), ([4, 2], [4, 2, 5, 0])] {
            let growth = try step(from: short, to: long)
            #expect(growth.added == long.dropFirst(short.count).map { chapters[$0] })
            #expect(growth.removed.isEmpty && growth.order == nil)
            let back = try step(from: long, to: short)
            #expect(back.added.isEmpty && back.removed == growth.added && back.order == nil)
        }
    }

    @Test func `whatever becomes of an order, undoing and redoing bring it back`() throws {
        library.context.processPendingChanges()
        let manager = UndoManager()
        manager.groupsByEvent = false
        library.context.undoManager = manager
        var generator = SeededGenerator(seed: 6)
        var states = [book.ordered("chapters")]
        for _ in 0..<40 {
            var next = chapters.shuffled(using: &generator)
            next.removeLast(Int.random(in: 0...chapters.count, using: &generator))
            if Bool.random(using: &generator) {
                next = states[states.count - 1] + next.filter { !states[states.count - 1].contains($0) }
            }
            book.setValue(NSOrderedSet(array: next), forKey: "chapters")
            library.context.processPendingChanges()
            if next != states[states.count - 1] { states.append(next) }
        }
        for state in states.dropLast().reversed() {
            library.context.undo()
            #expect(book.ordered("chapters") == state)
        }
        for state in states.dropFirst() {
            library.context.redo()
            #expect(book.ordered("chapters") == state)
        }
        library.context.checkInvariants()
    }
}
