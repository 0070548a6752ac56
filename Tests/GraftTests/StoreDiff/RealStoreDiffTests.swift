// Stores that others have written, most of them of models that declare no identity: each can be compared with a copy, whatever was
// changed in that, and with what comes back from its archive.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite(.needsReferenceData, .serialized) struct RealStoreDiffTests {
    /// Stores that say of each link the same at both ends, and all of whose links lead somewhere.
    static let sound =
        RealStore.all.filter { $0.count > 0 }.map { "stores/\($0.file)" }
        + RealStoreArchiveTests.paths.filter { !$0.contains("Notes") && !$0.contains("Photos-26") }

    /// A store that is made of another one's archive.
    private func restored(
        _ original: NSPersistentContainer, _ name: String, _ copies: RealStoreCopies,
        onDamage: (@Sendable (GraftError) -> Void)? = nil
    ) throws -> NSPersistentContainer {
        let file = copies.folder.appendingPathComponent("\(name).archive")
        var options = GraphArchive.WritingOptions(.binary)
        options.onDamage = onDamage
        try original.writeArchive(to: .file(file), options: options)
        let archive = GraphArchive(contentsOf: file)
        let restored = try copies.open(
            copies.folder.appendingPathComponent("\(name).sqlite"), try #require(try archive.model()))
        try restored.restore(archive)
        return restored
    }

    /// All stores whose links lead somewhere: also those without objects, and with links that one end alone knows.
    private static let restorable =
        sound + RealStore.all.filter { $0.count == 0 }.map { "stores/\($0.file)" }
        + RealStoreArchiveTests.paths.filter { $0.contains("Notes") }

    @Test(arguments: restorable)
    func `a restored store has no difference from the original`(_ path: String) throws {
        let copies = try RealStoreCopies()
        let original = try copies.copy(path, "Original.sqlite")
        let restored = try restored(original, "Restored", copies)
        #expect(try GraphDiff(from: original, to: restored).isEmpty)
        #expect(try GraphDiff(from: restored, to: original).isEmpty)
        let stores = [original, restored].map { $0.persistentStoreCoordinator.persistentStores[0].identifier ?? "" }
        #expect(stores[0] == stores[1] || isPortable)
    }

    // A person's candidates for merging are gone, and the links to them are left. What they stand for can't be compared; a restored store
    // hasn't got them.
    @Test(arguments: RealStoreArchiveTests.paths.filter { $0.contains("Photos-26") })
    func `a store with links to rows that are gone is refused with the first of them, and its copies are the same`(
        _ path: String
    ) throws {
        let copies = try RealStoreCopies()
        let original = try copies.copy(path, "Original.sqlite")
        let one = try restored(original, "One", copies, onDamage: { _ in })
        for pair in [(original, one), (one, original)] {
            let error = graftError { _ = try GraphDiff(from: pair.0, to: pair.1) }
            #expect(error?.place.entity == "Person" && error?.place.property == "mergeCandidates")
            #expect(error?.description.contains("which isn't there") == true, "\(error?.description ?? "no error")")
        }
        let other = try restored(one, "Other", copies)
        #expect(try GraphDiff(from: one, to: other).isEmpty)
        #expect(try one.rows() == other.rows())
    }

    /// Each store with each number of changes, or each second one with one of them.
    private static let changes = sound.enumerated().flatMap { index, path in
        [1, 10, 100].enumerated().filter { Laws.isThorough || (index + $0.offset) % 6 == 0 }.map { (path, $0.element) }
    }

    @Test(arguments: changes)
    func `what was changed in a copy is found, carried over and taken back`(_ path: String, _ count: Int) throws {
        let copies = try RealStoreCopies()
        let (original, copy) = (try copies.copy(path, "Original.sqlite"), try copies.copy(path, "Copy.sqlite"))
        var random = SeededGenerator(seed: count)
        let before = try copy.rows()
        try StoreChanger.change(copy, count, &random)
        let after = try copy.rows()
        // Who knows the base needs no proof that the rows are the same.
        let base = try original.read { try GraphSnapshot(of: $0).lineage }
        let options = DiffOptions(guessesKeys: true, base: base)
        let diff = try GraphDiff(from: original, to: copy, options: options)
        #expect(try GraphDiff(from: original, to: copy, options: options, readingAll: true) == diff)
        let changed = before.keys.filter { after[$0] != nil && after[$0] != before[$0] }
        #expect(try Set(names(diff.deleted.map(\.key), diff, original)) == Set(before.keys).subtracting(after.keys))
        #expect(try Set(names(diff.inserted.map(\.key), diff, copy)) == Set(after.keys).subtracting(before.keys))
        #expect(try Set(names(diff.changed.map(\.key), diff, copy)) == Set(changed))
        // Stores break the rules of their own models, so nothing is asked of those.
        try apply(diff, to: original, options)
        #expect(try GraphDiff(from: original, to: copy, options: options).isEmpty)
        #expect(try original.rows().count == after.count)
        try apply(diff.inverted, to: original, options)
        let untouched = try copies.copy(path, "Untouched.sqlite")
        #expect(try GraphDiff(from: original, to: untouched, options: options).isEmpty)
        #expect(try original.rows().count == before.count)
    }

    private func apply(_ diff: GraphDiff, to container: NSPersistentContainer, _ options: DiffOptions) throws {
        try container.apply(diff, options: GraphDiff.ApplyingOptions(diff: options))
    }

    private func names(
        _ keys: [ObjectKey], _ diff: GraphDiff, _ container: NSPersistentContainer
    ) throws -> [String] {
        try container.read { context in
            let objects = try context.objects(with: keys, in: diff.identification)
            #expect(objects.count == keys.count)
            return objects.values.map { $0.objectID.shortName }
        }
    }
}
