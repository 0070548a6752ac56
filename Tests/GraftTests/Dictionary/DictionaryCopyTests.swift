// Copies in the context that the dictionary comes from, and an object's own dictionary: nothing is taken, doubled or lost.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DictionaryCopyTests {
    /// Owners, who own pets (with or without identity) and a collar each, and like toys of their own and somebody's.
    private func stack(petIdentity: Bool = false, unique: Bool = false) throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Owner",
            [
                .attribute("name"),
                .toMany("pets", "Pet", inverse: "owner", rule: .cascadeDeleteRule),
                .toOne("house", "House", inverse: "tenant"),
                .toMany("clubs", "Club", inverse: "members"),
            ])
        sketch.entity(
            "Pet", info: petIdentity && !unique ? ["id": "tag"] : [:], unique: unique ? [["tag"]] : [],
            [.attribute("tag"), .attribute("name"), .toOne("owner", "Owner", inverse: "pets")])
        sketch.entity(
            "House", info: ["id": "street"], [.attribute("street"), .toOne("tenant", "Owner", inverse: "house")])
        sketch.entity(
            "Club", info: ["id": "name"], [.attribute("name"), .toMany("members", "Owner", inverse: "clubs")])
        return try TestStack(sketch.model(), .sqlite)
    }

    private func fill(_ context: NSManagedObjectContext, tags: [String?], names: [String?]) -> NSManagedObject {
        let owner = ArchiveArticleModel.new("Owner", ["name": "Ann"], context)
        for (tag, name) in zip(tags, names) {
            let pet = ArchiveArticleModel.new("Pet", [:], context)
            pet.setValue(tag, forKey: "tag")
            pet.setValue(name, forKey: "name")
            pet.setValue(owner, forKey: "owner")
        }
        owner.setValue(ArchiveArticleModel.new("House", ["street": "Elm"], context), forKey: "house")
        owner.setValue(NSSet(object: ArchiveArticleModel.new("Club", ["name": "Chess"], context)), forKey: "clubs")
        return owner
    }

    @Test(arguments: MappingOptions.MembersPolicy.allCases)
    func `owned pets without identity stay as many as they are`(_ members: MappingOptions.MembersPolicy) throws {
        for names in [["Rex", "Rex", "Tom"], [nil, nil, nil], ["Rex", nil, "Rex"]] {
            try stack().perform { context throws in
                let owner = fill(context, tags: [nil, "t", nil], names: names)
                try context.save()
                var options = PopulateOptions()
                options.membersPolicy = members
                for _ in 0..<2 {
                    let report = try owner.populate(fromDictionary: owner.toDictionary(), options: options)
                    #expect(report.total.inserted == 0 && report.total.updated == 0)
                    #expect(!context.hasChanges)
                }
                #expect(try context.all("Pet").count == 3)
                // Another context reads them in another order.
                let dictionary = try owner.toDictionary()
                let other = try #require(context.persistentStoreCoordinator)
                let second = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                second.persistentStoreCoordinator = other
                try second.performAndWait { () throws in
                    let same = try #require(try second.all("Owner").first)
                    #expect(try same.populate(fromDictionary: dictionary, options: options).total.inserted == 0)
                    #expect(!second.hasChanges)
                }
            }
        }
    }

    @Test func `add deletes nothing, and replace deletes what was owned`() throws {
        try stack().perform { context throws in
            let owner = fill(context, tags: [nil, nil, nil], names: ["Rex", "Tom", nil])
            try context.save()
            let dictionary: [String: Any] = [
                "pets": [["name": "Rex"], ["name": "New"], [:]], "clubs": [], "house": NSNull(),
            ]
            let report = try owner.populate(fromDictionary: dictionary)
            #expect(report.total.inserted == 1)
            #expect(owner.texts("pets", "name") == ["New", "Rex", "Tom"])
            #expect(try context.all("Pet").count == 4)
            try owner.populate(fromDictionary: ["pets": NSNull()])
            #expect(try context.all("Pet").count == 4)
            context.rollback()
            var options = PopulateOptions()
            options.membersPolicy = .replace
            try owner.populate(fromDictionary: dictionary, options: options)
            #expect(owner.texts("pets", "name") == ["New", "Rex"])
            #expect((owner.value(forKey: "pets") as? NSSet)?.count == 3)
            try context.save()
            #expect(try context.all("Pet").count == 3)
            // Nobody owns a club or a house.
            #expect(try context.all("Club").count == 1 && context.all("House").count == 1)
        }
    }

    @Test func `a dictionary that says nothing stands for no object that has something`() throws {
        try stack().perform { context throws in
            let owner = fill(context, tags: [nil], names: ["Rex"])
            let report = try owner.populate(fromDictionary: ["pets": [[:], ["name": NSNull()]]])
            #expect(report.total.inserted == 2)
            #expect((owner.value(forKey: "pets") as? NSSet)?.count == 3)
            #expect(owner.texts("pets", "name") == ["Rex"])
        }
    }

    @Test func `a copy takes nothing away from the original`() throws {
        try stack().perform { context throws in
            let owner = fill(context, tags: [nil, nil], names: ["Rex", "Rex"])
            let copy = try NSManagedObject.create(fromDictionary: owner.toDictionary(), in: context)
            #expect(copy !== owner)
            for one in [owner, copy] {
                #expect(one.texts("pets", "name") == ["Rex", "Rex"])
                #expect(one.texts("clubs", "name") == ["Chess"])
            }
            #expect(owner.object("house")?.text("street") == "Elm")
            #expect(copy.object("house") == nil)
            #expect(
                try context.all("Pet").count == 4 && context.all("House").count == 1 && context.all("Club").count == 1)
            var options = PopulateOptions()
            options.makesCopies = true
            let report = try context.populateObjects(fromDictionaries: [owner.toDictionary()], options: options).report
            #expect(report.keptLinks.map(\.property) == ["house"])
            #expect(report.keptLinks.first?.message.contains("belongs to another one") == true)
            // From the other end as well.
            let house = try #require(owner.object("house"))
            let second = try context.populateObjects(
                fromDictionaries: [["class": "Owner", "house": ["class": "House", "street": "Elm"]]], options: options)
            #expect(second.objects[0].object("house") == nil && house.object("tenant") === owner)
            context.checkInvariants()
        }
    }

    @Test func `each dictionary is a copy of its own, also where it stands there twice`() throws {
        try stack(petIdentity: true).perform { context throws in
            let pet: [String: Any] = ["class": "Pet", "tag": "3", "name": "Tom"]
            let owner: [String: Any] = [
                "class": "Owner", "$id": 1, "pets": [["tag": "1", "name": "Rex", "owner": ["$ref": 1]], ["tag": "2"]],
                "clubs": [["name": "Chess"]],
            ]
            for (dictionary, path, tag) in [(pet, "$[1]", "3"), (owner, "$[1].pets[0]", "1")] {
                let error = graftError {
                    _ = try NSManagedObject.create(fromDictionaries: [dictionary, dictionary], in: context)
                }
                #expect(error?.problem == .duplicateIdentity("\"\(tag)\""))
                #expect(error?.place.description.contains(path) == true, "\(String(describing: error))")
                #expect(!context.hasChanges)
            }
            var options = PopulateOptions()
            options.copiesIdentities = false
            let pets = try NSManagedObject.create(fromDictionaries: [pet, pet], in: context, options: options)
            #expect(pets[0] !== pets[1] && pets.map { $0.text("name") } == ["Tom", "Tom"])
            let owners = try NSManagedObject.create(fromDictionaries: [owner, owner], in: context, options: options)
            #expect(owners[0] !== owners[1] && owners.allSatisfy { $0.texts("pets", "name") == ["Rex"] })
            #expect(owners.map { ($0.value(forKey: "pets") as? NSSet)?.count } == [2, 2])
            #expect(try context.all("Pet").count == 6 && context.all("Club").count == 1)
            context.checkInvariants()
        }
    }

    @Test(arguments: [false, true])
    func `an identity that another object has is an error that names the attribute`(unique: Bool) throws {
        try stack(petIdentity: true, unique: unique).perform { context throws in
            let owner = fill(context, tags: ["1", "2"], names: ["Rex", "Tom"])
            try context.save()
            let dictionary = try owner.toDictionary()
            let error = graftError { _ = try NSManagedObject.create(fromDictionary: dictionary, in: context) }
            #expect(error?.problem == .duplicateIdentity("\"1\""))
            #expect(error?.place.entity == "Pet" && error?.place.property == "tag")
            let place = error?.place.description ?? ""
            #expect(place.contains("$.pets["))
            #expect(!context.hasChanges)
            #expect(owner.texts("pets", "name") == ["Rex", "Tom"])
            var options = PopulateOptions()
            options.copiesIdentities = false
            let copy = try NSManagedObject.create(fromDictionary: dictionary, in: context, options: options)
            #expect(copy.texts("pets", "name") == ["Rex", "Tom"])
            #expect(copy.texts("pets", "tag") == [])
            #expect(owner.texts("pets", "tag") == ["1", "2"])
            try context.save()
        }
    }
}
