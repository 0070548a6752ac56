// What the readers read into: one model with every kind of attribute and relationship, and a few objects of it.

import CoreData
import Foundation
import Graft

/// What is made once. Readers are run one after the other, so that nothing is shared at a time.
private struct OneThread<Value>: @unchecked Sendable {
    let value: Value

    init(_ make: () throws -> Value) { value = FuzzModel.made(make) }
}

/// The model and its objects, made once.
enum FuzzModel {
    /// A folder for the readers that want files: in memory where the system has one.
    static let folder: URL = {
        let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
        let parent =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        let folder = parent.appending(path: "graft-fuzzing-\(ProcessInfo.processInfo.processIdentifier)")
        made { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        return folder
    }()

    static var model: NSManagedObjectModel { madeModel.value }

    private static let madeModel = OneThread {
        let version = folder.appending(path: "Library.xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try Data(xml.utf8).write(to: version.appending(path: "contents"))
        return try NSManagedObjectModel(readingContentsOf: version)
    }

    /// A store in memory, and one of SQLite, with the same objects.
    static var filledContainers: [NSPersistentContainer] { filled.value }

    private static let filled = OneThread {
        let containers = [
            container(NSInMemoryStoreType, nil), container(NSSQLiteStoreType, folder.appending(path: "filled.sqlite")),
        ]
        for container in containers { try container.importJSON(from: [.data(Data(records.utf8))], entity: "Book") }
        return containers
    }

    private static let empty = OneThread { container(NSInMemoryStoreType, nil) }

    /// A context over a store without objects. Nothing is saved in it.
    static func emptyContext() -> NSManagedObjectContext { empty.value.viewContext }

    static let snapshot: GraphSnapshot = made {
        try GraphSnapshot(reading: .data(Data(records.utf8)), entity: "Book", model: model)
    }

    static let document: JSONValue = made { try JSONValue(parsing: records) }

    private static func container(_ type: String, _ url: URL?) -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = type
        description.url = url
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in precondition(error == nil, "\(error!)") }
        return container
    }

    /// What can't fail, because none of it comes from outside.
    static func made<T>(_ make: () throws -> T) -> T {
        do {
            return try make()
        } catch {
            fatalError("the fuzzing model itself: \(error)")
        }
    }

    static let records = """
        [{"id": 1, "title": "Dune", "price": "12.50", "rating": 4.5, "isLent": true, "added": "1965-08-01T12:00:00Z",
          "cover": "iVBORw0KGgo=", "uuid": "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "link": "https://example.org/dune",
          "notes": {"shelf": [1, 2.5, null, "three"]}, "author": {"name": "Frank Herbert"}, "tags": ["sand", "spice"],
          "chapters": [{"number": 1}, {"number": 2}]},
         {"id": 2, "title": "Émile", "author": "Rousseau", "tags": [], "price": null}]
        """

    static let xml = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
          <entity name="Item" isAbstract="YES">
            <attribute name="id" attributeType="Integer 64" usesScalarValueType="YES"/>
            <attribute name="title" optional="YES" attributeType="String" minValueString="1" regularExpressionString=".*"/>
            <userInfo><entry key="identityAttributes" value="id"/></userInfo>
          </entity>
          <entity name="Book" parentEntity="Item">
            <attribute name="added" optional="YES" attributeType="Date"/>
            <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <attribute name="isLent" optional="YES" attributeType="Boolean" defaultValueString="NO"/>
            <attribute name="link" optional="YES" attributeType="URI"/>
            <attribute name="notes" optional="YES" attributeType="Transformable"
                valueTransformerName="NSSecureUnarchiveFromData"/>
            <attribute name="price" optional="YES" attributeType="Decimal"/>
            <attribute name="rating" optional="YES" attributeType="Double" minValueString="0" maxValueString="5"/>
            <attribute name="stock" optional="YES" attributeType="Integer 16" defaultValueString="0"/>
            <attribute name="uuid" optional="YES" attributeType="UUID"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author"
                inverseName="books" inverseEntity="Author"/>
            <relationship name="chapters" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES"
                destinationEntity="Chapter" inverseName="book" inverseEntity="Chapter"/>
            <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag"
                inverseName="books" inverseEntity="Tag"/>
            <fetchIndex name="byPrice"><fetchIndexElement property="price" type="Binary" order="ascending"/></fetchIndex>
          </entity>
          <entity name="Author">
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book"
                inverseName="author" inverseEntity="Book"/>
            <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint></uniquenessConstraints>
            <userInfo><entry key="identityAttributes" value="name"/></userInfo>
          </entity>
          <entity name="Chapter">
            <attribute name="number" optional="YES" attributeType="Integer 32"/>
            <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book"
                inverseName="chapters" inverseEntity="Book"/>
          </entity>
          <entity name="Tag">
            <attribute name="label" optional="YES" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book"
                inverseName="tags" inverseEntity="Book"/>
            <userInfo><entry key="identityAttributes" value="label"/></userInfo>
          </entity>
          <configuration name="Books"><memberEntity name="Book"/><memberEntity name="Item"/></configuration>
        </model>
        """
}
