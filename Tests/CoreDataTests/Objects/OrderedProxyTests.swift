// The mutable ordered set that stands for an ordered relationship: whatever changes it changes the relationship.

import CoreData
import Foundation
import TestSupport
import Testing

@Suite struct OrderedProxyTests {
    private let context: NSManagedObjectContext
    private let book: NSManagedObject
    private let chapters: [NSManagedObject]

    init() throws {
        let (book, chapter) = (NSEntityDescription(), NSEntityDescription())
        let (down, back) = (NSRelationshipDescription(), NSRelationshipDescription())
        book.name = "Book"
        chapter.name = "Chapter"
        down.name = "chapters"
        down.isOrdered = true
        down.maxCount = 0
        down.destinationEntity = chapter
        down.inverseRelationship = back
        back.name = "book"
        back.maxCount = 1
        back.destinationEntity = book
        back.inverseRelationship = down
        let number = NSAttributeDescription()
        number.name = "number"
        number.attributeType = .integer16AttributeType
        book.properties = [down]
        chapter.properties = [back, number]
        let model = NSManagedObjectModel()
        model.entities = [book, chapter]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        self.context = context
        self.book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        chapters = Self.chapters(5, in: context)
    }

    private static func chapters(_ count: Int, in context: NSManagedObjectContext) -> [NSManagedObject] {
        (0..<count).map { index in
            let chapter = NSEntityDescription.insertNewObject(forEntityName: "Chapter", into: context)
            chapter.setValue(index, forKey: "number")
            return chapter
        }
    }

    private func numbers() -> [Int] {
        let set = book.value(forKey: "chapters") as? NSOrderedSet
        return (set?.array ?? []).compactMap { ($0 as? NSManagedObject)?.value(forKey: "number") as? Int }
    }

    private func change(_ change: (NSMutableOrderedSet) -> Void) -> [Int] {
        let proxy = book.mutableOrderedSetValue(forKey: "chapters")
        change(proxy)
        #expect(proxy.count == numbers().count)
        #expect(proxy.array.compactMap { ($0 as? NSManagedObject)?.value(forKey: "number") as? Int } == numbers())
        for chapter in chapters {
            let isMember = numbers().contains(chapter.value(forKey: "number") as? Int ?? -1)
            #expect((chapter.value(forKey: "book") as? NSManagedObject === book) == isMember)
            #expect(proxy.contains(chapter) == isMember)
        }
        return numbers()
    }

    @Test func `what is added, in every way, is in the relationship`() {
        #expect(change { $0.add(chapters[0]) } == [0])
        #expect(change { $0.add(chapters[0]) } == [0])
        #expect(change { $0.addObjects(from: [chapters[1], chapters[0], chapters[2]]) } == [0, 1, 2])
        #expect(change { $0.insert([chapters[3], chapters[4]], at: [0, 2]) } == [3, 0, 4, 1, 2])
    }

    @Test func `sets are united, cut and taken away`() {
        #expect(change { $0.union(NSOrderedSet(array: [chapters[2], chapters[1]])) } == [2, 1])
        #expect(change { $0.unionSet([chapters[0]]) } == [2, 1, 0])
        #expect(change { $0.intersect(NSOrderedSet(array: [chapters[0], chapters[2], chapters[4]])) } == [2, 0])
        #expect(change { $0.minus(NSOrderedSet(array: [chapters[2]])) } == [0])
        #expect(change { $0.minusSet([chapters[0]]) } == [])
    }

    @Test func `what is removed, in every way, isn't in the relationship`() {
        #expect(change { $0.addObjects(from: chapters) } == [0, 1, 2, 3, 4])
        #expect(change { $0.remove(chapters[1]) } == [0, 2, 3, 4])
        #expect(change { $0.removeObject(at: 0) } == [2, 3, 4])
        #expect(change { $0.removeObjects(at: [0, 2]) } == [3])
        #expect(change { $0.removeAllObjects() } == [])
    }

    @Test func `an array of before doesn't know what was changed elsewhere`() {
        let proxy = book.mutableOrderedSetValue(forKey: "chapters")
        chapters[0].setValue(book, forKey: "book")
        #expect(proxy.count == 1 && proxy.object(at: 0) as? NSManagedObject === chapters[0])
        #expect(proxy.array.isEmpty && !proxy.contains(chapters[0]))
        #expect(book.mutableOrderedSetValue(forKey: "chapters").array.count == 1)
    }

    @Test func `places are changed`() {
        #expect(change { $0.addObjects(from: Array(chapters[..<4])) } == [0, 1, 2, 3])
        #expect(change { $0.exchangeObject(at: 0, withObjectAt: 3) } == [3, 1, 2, 0])
        #expect(change { $0.moveObjects(at: [0, 1], to: 2) } == [2, 0, 3, 1])
        #expect(change { $0.replaceObject(at: 1, with: chapters[4]) } == [2, 4, 3, 1])
        let byNumber: (Any, Any) -> ComparisonResult = { one, other in
            let numbers = [one, other].map { ($0 as? NSManagedObject)?.value(forKey: "number") as? Int ?? 0 }
            return numbers[0] < numbers[1] ? .orderedAscending : .orderedDescending
        }
        #expect(change { $0.sort(comparator: byNumber) } == [1, 2, 3, 4])
        #expect(change { $0.sort(using: [NSSortDescriptor(key: "number", ascending: false)]) } == [4, 3, 2, 1])
    }

    // MARK: Many members

    @Test func `members that come and go at any place, on either side, are where an array has them`() {
        var random = SeededGenerator(seed: 7)
        let members = Self.chapters(150, in: context)
        let proxy = book.mutableOrderedSetValue(forKey: "chapters")
        proxy.addObjects(from: members)
        var expected = Array(members.indices)
        for step in 0..<1000 {
            let number = members.indices.randomElement(using: &random) ?? 0, member = members[number]
            let place = expected.firstIndex(of: number)
            #expect(proxy.index(of: member) == place ?? NSNotFound, "\(step)")
            if let place {
                switch step % 3 {
                case 0: proxy.removeObject(at: place)
                case 1: proxy.remove(member)
                default: member.setValue(nil, forKey: "book")
                }
                expected.remove(at: place)
            } else if step.isMultiple(of: 2) {
                let place = Int.random(in: 0...expected.count, using: &random)
                proxy.insert(member, at: place)
                expected.insert(number, at: place)
            } else {
                member.setValue(book, forKey: "book")
                expected.append(number)
            }
            if step.isMultiple(of: 50) { #expect(numbers() == expected, "\(step)") }
        }
        proxy.exchangeObject(at: 0, withObjectAt: 1)
        expected.swapAt(0, 1)
        #expect(numbers() == expected)
        #expect(proxy.array.compactMap { ($0 as? NSManagedObject)?.value(forKey: "number") as? Int } == expected)
    }

    @Test func `changing member by member takes time in proportion to their number`() {
        func fillAndEmpty(_ members: [NSManagedObject]) {
            let proxy = book.mutableOrderedSetValue(forKey: "chapters")
            for member in members { proxy.insert(member, at: 0) }
            for _ in members { proxy.removeObject(at: 0) }
            for member in members { proxy.add(member) }
            for member in members { member.setValue(nil, forKey: "book") }
        }
        let small = Self.chapters(250, in: context), large = Self.chapters(1000, in: context)
        let ratio = Growth.ratio(small: { fillAndEmpty(small) }, large: { fillAndEmpty(large) })
        #expect(ratio < 9, "\(ratio)")
    }

    @Test func `a list that one proxy is going through can be changed by another one`() {
        for chapter in chapters { book.mutableOrderedSetValue(forKey: "chapters").add(chapter) }
        for chapter in book.mutableOrderedSetValue(forKey: "chapters") {
            book.mutableOrderedSetValue(forKey: "chapters").remove(chapter)
        }
        #expect(numbers().isEmpty)
    }
}
