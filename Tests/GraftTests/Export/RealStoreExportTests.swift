// Stores that Apple's Core Data has written, without any annotation: their archives make equal stores.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct RealStoreExportTests {
    struct Store: CustomTestStringConvertible, Sendable {
        let file: String, model: String
        /// How many rows the store has in the tables of its entities.
        let count: Int
        var testDescription: String { file }
    }

    static let stores = [
        Store(
            file: "BNR-CoreDataStack/TestModel.sqlite",
            model: "BNR-CoreDataStack/Sample.xcdatamodeld/TestModel.xcdatamodel", count: 0),
        Store(
            file: "CareKit/SampleStore2.0.sqlite",
            model: "CareKit/CareKitStore.xcdatamodeld/CareKitStore2.0.xcdatamodel", count: 19),
        Store(
            file: "CareKit/SampleStore2.1.sqlite",
            model: "CareKit/CareKitStore.xcdatamodeld/CareKitStore2.1.xcdatamodel", count: 28),
        Store(
            file: "CoreDataPlus-SampleModel/Fixtures/SampleModel_V1.sqlite",
            model: "CoreDataPlus-SampleModel/SampleModel.xcdatamodeld/SampleModel.xcdatamodel", count: 145),
        Store(
            file: "CoreDataPlus-SampleModel/Fixtures/SampleModel_V2.sqlite",
            model: "CoreDataPlus-SampleModel/SampleModel.xcdatamodeld/SampleModel2.xcdatamodel", count: 145),
        Store(
            file: "CoreDataPlus-SampleModel3/Fixtures/SampleModel3_V1.sqlite",
            model: "CoreDataPlus-SampleModel3/SampleModel3.xcdatamodeld/SampleModel3.xcdatamodel", count: 12),
        Store(
            file: "XCServerCoreData/XCServerCoreData_1.2.0.sqlite",
            model: "XCServerCoreData/XCServerCoreData.xcdatamodeld/XCServerCoreData1.2.0.xcdatamodel", count: 304),
        Store(
            file: "XCServerCoreData/XCServerCoreData_2.0.1.sqlite",
            model: "XCServerCoreData/XCServerCoreData.xcdatamodeld/XCServerCoreData2.0.1.xcdatamodel", count: 13225),
    ]

    /// A copy of a real store, because opening one writes to it.
    private func open(_ store: Store, _ folder: URL) throws -> NSPersistentContainer {
        let original = sharedData.appendingPathComponent("stores/\(store.file)")
        let copy = folder.appendingPathComponent(original.lastPathComponent)
        try FileManager.default.copyItem(at: original, to: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path)
        let model = try #require(
            NSManagedObjectModel(contentsOf: sharedData.appendingPathComponent("stores/\(store.model)")))
        let container = NSPersistentContainer(name: "Real", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: copy)]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    // CareKit's second store has mandatory to-many relationships without members: Core Data asks for no more than their
    // minimum count, which is 0.
    @Test(arguments: stores)
    func `the archive of a real store makes an equal one`(_ store: Store) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = try open(store, folder)
        let archive = folder.appendingPathComponent("archive.json")
        let count = try container.exportArchive(to: .file(archive))
        #expect(count == store.count)

        let copy = try TestStack(container.managedObjectModel, .sqlite)
        let report = try copy.container.importJSON(contentsOf: [archive])
        #expect(report.total.inserted == count)
        #expect(report.total.stubs == 0)
        let again = try copy.perform { try $0.exportArchive() }
        let difference = try zip(Data(contentsOf: archive), again + [0x0A]).enumerated().first { $1.0 != $1.1 }?.offset
        #expect(difference == nil)
        #expect(try !copy.container.importJSON(contentsOf: [archive]).hasChanges)
    }
}
