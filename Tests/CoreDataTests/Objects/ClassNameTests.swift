// Classes that a model names without a module, classes within other types, and key paths of classes that no model has yet.
//
// Apple: "Setting up Core Data with code": `managedObjectClassName` takes the class's name; a class with @objc(Name) has that
// name in every module (The Swift Programming Language, "Attributes").

import CoreData
import Foundation
import Testing

enum Shelf {
    enum Kind: Int16 { case novel, lexicon }

    class Volume: NSManagedObject {
        var label: String {
            get { modelledValue(forKey: "label") }
            set { setModelledValue(newValue, forKey: "label") }
        }
        var kind: Kind { modelledValue(forKey: "kind") }
        var pages: Int32 { modelledValue(forKey: "pages") }
        var tags: [String: Int] { modelledValue(forKey: "tags") }
        var next: Volume? { modelledValue(forKey: "next") }
        var others: Set<Volume> { modelledValue(forKey: "others") }
    }

    class Twin: NSManagedObject {}
}

enum OtherShelf { class Twin: NSManagedObject {} }

class BareNamedVolume: NSManagedObject {}

@Suite struct ClassNameTests {
    fileprivate static func model(_ className: String) -> NSManagedObjectModel {
        let label = NSAttributeDescription()
        label.name = "label"
        label.attributeType = .stringAttributeType
        let entity = NSEntityDescription()
        entity.name = "Volume"
        entity.managedObjectClassName = className
        entity.properties = [label]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    fileprivate static func context(_ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private static func classOfObject(_ name: String) throws -> NSManagedObject.Type {
        let context = try context(model(name))
        return context.performAndWait {
            type(of: NSEntityDescription.insertNewObject(forEntityName: "Volume", into: context))
        }
    }

    @Test(arguments: ["BareNamedVolume", ".BareNamedVolume", "CoreDataTests.BareNamedVolume"])
    func `a class is found by its name alone`(_ name: String) throws {
        #expect(try Self.classOfObject(name) == BareNamedVolume.self)
    }

    @Test(arguments: ["Volume", "Shelf.Volume", "CoreDataTests.Shelf.Volume"])
    func `a class within another type is found, and finds its entity`(_ name: String) throws {
        #expect(try Self.classOfObject(name) == Shelf.Volume.self)
        let context = try Self.context(Self.model(name))
        try context.performAndWait {
            let volume = Shelf.Volume(context: context)
            volume.label = "A-C"
            try context.save()
            let request = NSFetchRequest<Shelf.Volume>(entityName: "Volume")
            request.sortDescriptors = [NSSortDescriptor(keyPath: \Shelf.Volume.label, ascending: true)]
            #expect(try context.fetch(request).map(\.label) == ["A-C"])
        }
    }

    @Test func `a class that isn't there is named with what was tried, and one of two is none`() throws {
        let absent = try #require(ManagedObjectClasses.missingClasses(of: Self.model("Absent")))
        #expect(absent.contains("Volume (tried 'Absent'"))
        let elsewhere = try #require(ManagedObjectClasses.missingClasses(of: Self.model("Nowhere.Absent")))
        #expect(elsewhere.contains("'Nowhere.Absent'"))
        let twins = try #require(ManagedObjectClasses.missingClasses(of: Self.model("Twin")))
        #expect(twins.contains("'CoreDataTests.OtherShelf.Twin', 'CoreDataTests.Shelf.Twin'"))
        #expect(try Self.classOfObject("Twin") == NSManagedObject.self)
        #expect(try Self.classOfObject("OtherShelf.Twin") == OtherShelf.Twin.self)
        #expect(ManagedObjectClasses.missingClasses(of: Self.model("BareNamedVolume")) == nil)
    }

    // Apple's log says "Unable to load class named 'Absent' for entity 'Volume'. Class not found, using default NSManagedObject instead."
    @Test func `a coordinator writes the names that it tried to standard error, once for each model`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let model = ClassNameTests.model("Absent"), other = ClassNameTests.model("Nowhere.Absent")
            for model in [model, model, other, ClassNameTests.model("BareNamedVolume")] {
                let context = try ClassNameTests.context(model)
                context.performAndWait {
                    _ = NSEntityDescription.insertNewObject(forEntityName: "Volume", into: context)
                }
            }
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("CoreData: warning:") }
        #expect(lines.count == 2)
        #expect(lines.first?.contains("Volume (tried 'Absent', ") == true)
        #expect(lines.first?.contains("and 'Absent' in every module") == true)
        #expect(lines.last?.contains("Volume (tried 'Nowhere.Absent'") == true)
    }

    @Test func `key paths have names where a loaded model lacks properties of the class`() {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model("Shelf.Volume"))
        withExtendedLifetime(coordinator) {
            #expect((\Shelf.Volume.next?.next?.pages)._kvcKeyPathString == "next.next.pages")
        }
    }

    @Test func `key paths have names before there is a model`() {
        #expect((\Shelf.Volume.label)._kvcKeyPathString == "label")
        #expect((\Shelf.Volume.kind)._kvcKeyPathString == "kind")
        #expect((\Shelf.Volume.tags)._kvcKeyPathString == "tags")
        #expect((\Shelf.Volume.next?.pages)._kvcKeyPathString == "next.pages")
        #expect((\Shelf.Volume.next?.next?.label)._kvcKeyPathString == "next.next.label")
        #expect((\Shelf.Volume.next?.others)._kvcKeyPathString == "next.others")
        #expect(NSExpression(forKeyPath: \Shelf.Volume.pages).keyPath == "pages")
        #expect((\Shelf.Volume.label.count)._kvcKeyPathString == nil)
    }
}
