// Stores that Apple's Core Data has written, with their models.

import CoreData
import Foundation
import Testing

struct RealStore: CustomTestStringConvertible, Sendable {
    let file: String, model: String
    /// How many rows the store has in the tables of its entities.
    let count: Int
    var testDescription: String { file }

    static let all = [
        RealStore(
            file: "BNR-CoreDataStack/TestModel.sqlite",
            model: "BNR-CoreDataStack/Sample.xcdatamodeld/TestModel.xcdatamodel", count: 0),
        RealStore(
            file: "CareKit/SampleStore2.0.sqlite",
            model: "CareKit/CareKitStore.xcdatamodeld/CareKitStore2.0.xcdatamodel", count: 19),
        RealStore(
            file: "CareKit/SampleStore2.1.sqlite",
            model: "CareKit/CareKitStore.xcdatamodeld/CareKitStore2.1.xcdatamodel", count: 28),
        RealStore(
            file: "CoreDataPlus-SampleModel/Fixtures/SampleModel_V1.sqlite",
            model: "CoreDataPlus-SampleModel/SampleModel.xcdatamodeld/SampleModel.xcdatamodel", count: 145),
        RealStore(
            file: "CoreDataPlus-SampleModel/Fixtures/SampleModel_V2.sqlite",
            model: "CoreDataPlus-SampleModel/SampleModel.xcdatamodeld/SampleModel2.xcdatamodel", count: 145),
        RealStore(
            file: "CoreDataPlus-SampleModel3/Fixtures/SampleModel3_V1.sqlite",
            model: "CoreDataPlus-SampleModel3/SampleModel3.xcdatamodeld/SampleModel3.xcdatamodel", count: 12),
        RealStore(
            file: "CoreDataPlus-SampleModel3/history-SampleModel3V1.sqlite",
            model: "CoreDataPlus-SampleModel3/SampleModel3.xcdatamodeld/SampleModel3.xcdatamodel", count: 12),
        RealStore(
            file: "XCServerCoreData/XCServerCoreData_1.2.0.sqlite",
            model: "XCServerCoreData/XCServerCoreData.xcdatamodeld/XCServerCoreData1.2.0.xcdatamodel", count: 304),
        RealStore(
            file: "XCServerCoreData/XCServerCoreData_2.0.1.sqlite",
            model: "XCServerCoreData/XCServerCoreData.xcdatamodeld/XCServerCoreData2.0.1.xcdatamodel", count: 13225),
    ]

    /// Opens a copy of the store in a folder, because opening one writes to it.
    func open(in folder: URL) throws -> NSPersistentContainer {
        let original = sharedData.appendingPathComponent("stores/\(file)")
        let copy = folder.appendingPathComponent(original.lastPathComponent)
        try FileManager.default.copyItem(at: original, to: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path)
        let model = try #require(
            NSManagedObjectModel(contentsOf: sharedData.appendingPathComponent("stores/\(self.model)")))
        return try .opened(copy, model)
    }
}

extension NSPersistentContainer {
    /// A container on the store in a file.
    static func opened(
        _ url: URL, _ model: NSManagedObjectModel, _ change: (NSPersistentStoreDescription) -> Void = { _ in }
    ) throws -> NSPersistentContainer {
        let description = NSPersistentStoreDescription(url: url)
        change(description)
        let container = NSPersistentContainer(name: "Test", managedObjectModel: model)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }
}
