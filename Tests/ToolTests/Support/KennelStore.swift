// A store with every kind of property and relationship that can be damaged, small enough to know each row of it.

import CoreData
import Foundation
import Testing

/// A sound store: owners Ada and Ben, each with a badge, in one club; Ada has the animals a1, a2 and a3; and there is a zone.
struct KennelStore {
    let path: String

    /// The model's source. Its entities get the numbers Animal 1, Dog 2, Badge 3, Club 4, Kennel 5, Owner 6, Yard 7, Zone 8.
    static let model = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
          <entity name="Animal">
            <attribute name="tag" attributeType="String"/>
            <relationship name="kennel" maxCount="1" deletionRule="Nullify" destinationEntity="Kennel"
              inverseName="animals" inverseEntity="Kennel"/>
            <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Owner"
              inverseName="animals" inverseEntity="Owner"/>
            <userInfo><entry key="identityAttributes" value="tag"/></userInfo>
          </entity>
          <entity name="Dog" parentEntity="Animal">
            <attribute name="tricks" optional="YES" attributeType="Integer 32"/>
            <relationship name="shows" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Club"
              inverseName="stars" inverseEntity="Club"/>
            <relationship name="trainer" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Owner"
              inverseName="trained" inverseEntity="Owner"/>
          </entity>
          <entity name="Badge">
            <attribute name="number" optional="YES" attributeType="Integer 64"/>
            <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Owner"
              inverseName="badge" inverseEntity="Owner"/>
          </entity>
          <entity name="Club">
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="members" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify"
              destinationEntity="Owner" inverseName="clubs" inverseEntity="Owner"/>
            <relationship name="stars" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Dog"
              inverseName="shows" inverseEntity="Dog"/>
          </entity>
          <entity name="Kennel">
            <relationship name="animals" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Animal"
              inverseName="kennel" inverseEntity="Animal"/>
          </entity>
          <entity name="Owner">
            <attribute name="age" attributeType="Integer 32" defaultValueString="0"/>
            <attribute name="email" optional="YES" attributeType="String"/>
            <attribute name="name" optional="YES" attributeType="String"/>
            <attribute name="notes" optional="YES" attributeType="Transformable"/>
            <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <relationship name="animals" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify"
              destinationEntity="Animal" inverseName="owner" inverseEntity="Animal"/>
            <relationship name="badge" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Badge"
              inverseName="owner" inverseEntity="Badge"/>
            <relationship name="clubs" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Club"
              inverseName="members" inverseEntity="Club"/>
            <relationship name="favourite" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Animal"/>
            <relationship name="guard" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Dog"/>
            <relationship name="trained" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify"
              destinationEntity="Dog" inverseName="trainer" inverseEntity="Dog"/>
            <relationship name="wishes" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Animal"/>
            <uniquenessConstraints>
              <uniquenessConstraint><constraint value="email"/></uniquenessConstraint>
            </uniquenessConstraints>
          </entity>
          <entity name="Yard" isAbstract="YES">
            <attribute name="size" optional="YES" attributeType="Integer 16"/>
            <attribute name="slope" optional="YES" attributeType="Float"/>
            <attribute name="site" optional="YES" attributeType="URI"/>
          </entity>
          <entity name="Zone" parentEntity="Yard">
            <attribute name="name" optional="YES" attributeType="String"/>
          </entity>
        </model>
        """

    init(in folder: TemporaryFolder) throws {
        path = folder.path("Kennel.sqlite")
        let source = folder.url.appending(path: "Kennel.xcdatamodel")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        try Data(Self.model.utf8).write(to: source.appending(path: "contents"))
        let model = try #require(NSManagedObjectModel(contentsOf: source))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
            options: [NSSQLitePragmasOption: ["journal_mode": "delete"]])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            Self.fill(context)
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// A store to be damaged, and the path of a sound one with the same objects.
    static func withTwin(in folder: TemporaryFolder) throws -> (store: KennelStore, twin: String) {
        let store = try KennelStore(in: folder)
        let (twin, archive) = (folder.path("Sound.sqlite"), folder.path("Sound.graft"))
        try graft("archive", store.path, "--output", archive).succeeded()
        try graft("restore", archive, "--store", twin).succeeded()
        return (store, twin)
    }

    private static func fill(_ context: NSManagedObjectContext) {
        func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            for (key, value) in values { object.setValue(value, forKey: key) }
            return object
        }
        let kennel = make("Kennel", [:])
        let animals = [
            make("Animal", ["tag": "a1", "kennel": kennel]), make("Dog", ["tag": "a2", "kennel": kennel]),
            make("Dog", ["tag": "a3", "kennel": kennel, "tricks": 3]),
        ]
        let ada = make(
            "Owner",
            [
                "name": "Ada", "email": "ada@example.org", "age": 36, "badge": make("Badge", ["number": 1]),
                "photo": Data(repeating: 7, count: 200_000), "notes": ["likes": ["dogs", 1.5]],
                "animals": NSOrderedSet(array: animals), "favourite": animals[1], "guard": animals[2],
            ])
        let ben = make(
            "Owner",
            [
                "name": "Ben", "email": "ben@example.org", "age": 41, "badge": make("Badge", ["number": 2]),
                "wishes": NSSet(object: animals[2]),
            ])
        _ = make("Zone", ["name": "North", "size": 12, "slope": 0.5])
        _ = make("Club", ["name": "Chess", "members": NSOrderedSet(array: [ada, ben])])
    }
}
