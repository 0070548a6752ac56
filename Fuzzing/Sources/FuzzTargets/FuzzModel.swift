// What the readers read into: one model with every kind of attribute and relationship, and a few objects of it.

import CoreData
import Foundation
import Graft

/// What is made once. Readers are run one after the other, so that nothing is shared at a time.
struct OneThread<Value>: @unchecked Sendable {
    let value: Value

    fileprivate init(_ make: () throws -> Value) { value = FuzzModel.made(make) }
}

/// The model and its objects, made once.
enum FuzzModel {
    /// A folder for the readers that want files: in memory where the system has one, and gone when the process exits.
    static let folder: URL = {
        let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
        let parent =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        let folder = parent.appending(path: "graft-fuzzing-\(ProcessInfo.processInfo.processIdentifier)")
        made { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        atexit { try? FileManager.default.removeItem(at: FuzzModel.folder) }
        return folder
    }()

    static var model: NSManagedObjectModel { madeModel.value }

    private static let madeModel = OneThread { try readModel(xml) }

    private static func readModel(_ xml: String) throws -> NSManagedObjectModel {
        let version = folder.appending(path: "Model.xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try Data(xml.utf8).write(to: version.appending(path: "contents"))
        return try NSManagedObjectModel(readingContentsOf: version)
    }

    /// The model's mapping. To make one takes as long as to read some hundred records.
    private static let mapping = made { try GraphMapping(model) }

    /// Reads whatever is a graph.
    static func snapshot(reading bytes: Data, entity: String? = nil) throws -> GraphSnapshot {
        try GraphSnapshot(reading: .data(bytes), entity: entity, model: model, mapping: mapping)
    }

    /// A store in memory, and one of SQLite, with the same objects.
    static var filledContainers: [NSPersistentContainer] { filled.value }

    private static let filled = OneThread {
        let containers = [
            container(model, NSInMemoryStoreType, nil),
            container(model, NSSQLiteStoreType, folder.appending(path: "filled.sqlite")),
        ]
        for container in containers { try container.importJSON(from: [.data(Data(records.utf8))], entity: "Book") }
        return containers
    }

    /// A store in memory of the small model, for short archives.
    static let small = OneThread {
        let made = container(try readModel(smallXML), NSInMemoryStoreType, nil)
        try made.importJSON(from: [.data(Data(smallRecords.utf8))], entity: "N")
        return made
    }

    private static let empty = OneThread { container(model, NSInMemoryStoreType, nil) }

    /// A context over a store without objects. Nothing is saved in it.
    static func emptyContext() -> NSManagedObjectContext { empty.value.viewContext }

    static let snapshot: GraphSnapshot = made {
        try GraphSnapshot(reading: .data(Data(records.utf8)), entity: "Book", model: model)
    }

    static let document: JSONValue = made { try JSONValue(parsing: records) }

    private static func container(
        _ model: NSManagedObjectModel, _ type: String, _ url: URL?
    ) -> NSPersistentContainer {
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

    private static let smallRecords = """
        [{"i": 1, "b": true, "s": "a", "t": "1965-08-01T12:00:00Z", "m": "1.5", "x": "AQI=", "o": [1], "k": [{"i": 2}],
          "u": "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "l": "a:b", "d": 0.5},
         {"i": 3, "s": "a", "p": {"i": 1}}]
        """

    private static let smallXML = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
          <entity name="N">
            <attribute name="b" optional="YES" attributeType="Boolean"/>
            <attribute name="d" optional="YES" attributeType="Double"/>
            <attribute name="i" optional="YES" attributeType="Integer 64"/>
            <attribute name="l" optional="YES" attributeType="URI"/>
            <attribute name="m" optional="YES" attributeType="Decimal"/>
            <attribute name="o" optional="YES" attributeType="Transformable"/>
            <attribute name="s" optional="YES" attributeType="String"/>
            <attribute name="t" optional="YES" attributeType="Date"/>
            <attribute name="u" optional="YES" attributeType="UUID"/>
            <attribute name="x" optional="YES" attributeType="Binary"/>
            <relationship name="k" optional="YES" toMany="YES" deletionRule="Nullify" ordered="YES" destinationEntity="N"
                inverseName="p" inverseEntity="N"/>
            <relationship name="p" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="N"
                inverseName="k" inverseEntity="N"/>
            <userInfo><entry key="identityAttributes" value="i"/></userInfo>
          </entity>
        </model>
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
