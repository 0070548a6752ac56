// A stored relationship whose inverse is transient: the store has this side alone, and has to be told of it.

import CoreData
import TestSupport
import Testing

@Suite struct TransientInverseTests {
    @Test(arguments: StoreKind.allCases, [TestModel.Count.one, .many])
    func `members are stored although their own side is transient`(_ kind: StoreKind, _ count: TestModel.Count) throws {
        let owner = TestModel.entity("Owner", [TestModel.attribute("name", .stringAttributeType)])
        let pet = TestModel.entity("Pet", [TestModel.attribute("name", .stringAttributeType)])
        TestModel.connect(owner, "pets", .many, pet, "owner", count)
        pet.relationshipsByName["owner"]?.isTransient = true
        let library = try Library(kind, model: TestModel.model([owner, pet]))
        let ann = library.insert("Owner", ["name": "Ann"])
        let first = library.insert("Pet", ["name": "Rex"])
        ann.setValue(NSSet(array: [first]), forKey: "pets")
        try library.context.save()
        let second = library.insert("Pet", ["name": "Tom"])
        ann.setValue(NSSet(array: [first, second]), forKey: "pets")
        try library.context.save()
        let stored = try #require(try library.fetch("Owner", in: library.newContext()).first)
        #expect(Set(stored.many("pets").map { $0.text("name") }) == ["Rex", "Tom"])
        ann.setValue(NSSet(array: [second]), forKey: "pets")
        try library.context.save()
        let later = try #require(try library.fetch("Owner", in: library.newContext()).first)
        #expect(later.many("pets").map { $0.text("name") } == ["Tom"])
    }
}
