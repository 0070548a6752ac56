// Every real model and store: the source, the compiled form and the store's own copy have to say the same, and our
// version hashes have to be Core Data's.

import CoreData
import Foundation
import Testing

@Suite(.needsReferenceData) struct RealModelTests {
    @Test func `all the real models and stores are there`() {
        #expect(ModelTestData.sources.count == 17)
        #expect(ModelTestData.compiled.count == 12)
        #expect(ModelTestData.databases.count == 9)
    }

    // MARK: Sources

    @Test(arguments: ModelTestData.sources)
    func `a real model's source is read whole`(_ path: String) throws {
        let model = try ModelTestData.model(path)
        let text = try String(
            contentsOf: ModelTestData.stores.appendingPathComponent("\(path)/contents"), encoding: .utf8)
        #expect(model.entities.count == text.occurrences(of: "<entity "))
        #expect(
            model.entities.flatMap(\.ownProperties).count { $0 is NSAttributeDescription }
                == text.occurrences(of: "<attribute "))
        #expect(
            model.entities.flatMap(\.ownProperties).count { $0 is NSRelationshipDescription }
                == text.occurrences(of: "<relationship "))
        #expect(model.entities.flatMap(\.uniquenessConstraints).count == text.occurrences(of: "<uniquenessConstraint>"))
    }

    @Test(arguments: [
        ("BNR-CoreDataStack/Sample.xcdatamodeld", "BNR-CoreDataStack/Sample.xcdatamodeld/TestModel 2.xcdatamodel"),
        ("CareKit/CareKitStore.xcdatamodeld", "CareKit/CareKitStore.xcdatamodeld/CareKitStore2.1.xcdatamodel"),
        (
            "CoreDataPlus-SampleModel/SampleModel.xcdatamodeld",
            "CoreDataPlus-SampleModel/SampleModel.xcdatamodeld/SampleModel.xcdatamodel"
        ),
        (
            "XCServerCoreData/XCServerCoreData.xcdatamodeld",
            "XCServerCoreData/XCServerCoreData.xcdatamodeld/XCServerCoreData2.0.3.xcdatamodel"
        ),
    ])
    func `of a versioned model the current version is read`(_ bundle: String, _ current: String) throws {
        let pointer = ModelTestData.stores.appendingPathComponent("\(bundle)/.xccurrentversion")
        let name = try String(contentsOf: pointer, encoding: .utf8)
        try #require(name.contains(URL(fileURLWithPath: current).lastPathComponent))
        #expect(
            ModelSummary(try ModelTestData.model(bundle)).lines == ModelSummary(try ModelTestData.model(current)).lines)
    }

    // MARK: Compiled models

    @Test(arguments: ModelTestData.compiled)
    func `a real compiled model says what its source says`(_ path: String) throws {
        let source = try #require(ModelTestData.source(of: path))
        let expected = ModelSummary(try ModelTestData.model(source)).lines.map { line in
            // The source got this class after it was compiled.
            path.hasSuffix("/SampleModel.mom") ? line.replacingOccurrences(of: ", of Color", with: "") : line
        }
        #expect(ModelSummary(try ModelTestData.model(path)).lines == expected)
    }

    @Test(arguments: [
        ("CoreDataPlus-SampleModel/Fixtures/SampleModel.momd", "SampleModel"),
        ("CoreDataPlus-SampleModel3/Fixtures/SampleModel3.momd", "SampleModel3"),
        ("XCServerCoreData/XCServerCoreData.momd", "XCServerCoreData2.0.2"),
    ])
    func `of a compiled model folder the current version is read`(_ folder: String, _ current: String) throws {
        let info = ModelTestData.stores.appendingPathComponent("\(folder)/VersionInfo.plist")
        let list = try propertyList(Data(contentsOf: info))
        try #require(list["NSManagedObjectModel_CurrentVersionName"] as? String == current)
        #expect(try ModelTestData.model(folder) == ModelTestData.model("\(folder)/\(current).mom"))
    }

    @Test(arguments: ModelTestData.compiled)
    func `the version hashes of a compiled model are those of its VersionInfo`(_ path: String) throws {
        let file = ModelTestData.stores.appendingPathComponent(path)
        let info = try propertyList(
            Data(contentsOf: file.deletingLastPathComponent().appendingPathComponent("VersionInfo.plist")))
        let all = try #require(info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
        let version = file.deletingPathExtension().lastPathComponent
        let model = try ModelTestData.model(path)
        #expect(model.entities.allSatisfy { $0.hasComputableVersionHash })
        #expect(model.entityVersionHashesByName == all[version])
        if let checksums = info["NSManagedObjectModel_VersionChecksums"] as? [String: String] {
            #expect(model.versionChecksum == checksums[version])
        }
    }

    // MARK: Stores

    @Test(arguments: ModelTestData.databases)
    func `a real store's model cache is read and has the store's version hashes`(_ path: String) throws {
        let store = try ModelTestData.storeModel(path)
        let model = try NSManagedObjectModel(modelCache: #require(store.cache))
        #expect(model.entityVersionHashesByName == store.hashes)
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: store.metadata))
        if let digest = store.metadata["NSStoreModelVersionHashesDigest"] as? String {
            #expect(model.versionHashesDigest == digest)
        }
        if let checksum = store.metadata["NSStoreModelVersionChecksumKey"] as? String {
            #expect(model.versionChecksum == checksum)
        }
    }

    @Test(arguments: [
        ("BNR-CoreDataStack/TestModel.sqlite", "BNR-CoreDataStack/Sample.xcdatamodeld/TestModel.xcdatamodel"),
        ("CareKit/SampleStore2.1.sqlite", "CareKit/CareKitStore.xcdatamodeld/CareKitStore2.1.xcdatamodel"),
        (
            "CoreDataPlus-SampleModel/Fixtures/SampleModel_V1.sqlite",
            "CoreDataPlus-SampleModel/SampleModel.xcdatamodeld/SampleModel.xcdatamodel"
        ),
        (
            "CoreDataPlus-SampleModel/Fixtures/SampleModel_V2.sqlite",
            "CoreDataPlus-SampleModel/SampleModel.xcdatamodeld/SampleModel2.xcdatamodel"
        ),
        (
            "CoreDataPlus-SampleModel3/Fixtures/SampleModel3_V1.sqlite",
            "CoreDataPlus-SampleModel3/SampleModel3.xcdatamodeld/SampleModel3.xcdatamodel"
        ),
        (
            "XCServerCoreData/XCServerCoreData_1.2.0.sqlite",
            "XCServerCoreData/XCServerCoreData.xcdatamodeld/XCServerCoreData1.2.0.xcdatamodel"
        ),
        (
            "XCServerCoreData/XCServerCoreData_2.0.1.sqlite",
            "XCServerCoreData/XCServerCoreData.xcdatamodeld/XCServerCoreData2.0.1.xcdatamodel"
        ),
    ])
    func `a store fits the model that it was made from and no other version`(
        _ path: String, _ source: String
    ) throws {
        let store = try ModelTestData.storeModel(path)
        let model = try ModelTestData.model(source)
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: store.metadata))
        let others = ModelTestData.sources.filter { $0.prefix { $0 != "/" } == source.prefix { $0 != "/" } }
        for other in others where other != source {
            let model = try ModelTestData.model(other)
            if model.entityVersionHashesByName == store.hashes { continue }
            #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: store.metadata))
        }
    }

    // MARK: Writing

    @Test(arguments: ModelTestData.compiled + ModelTestData.sources)
    func `a real model survives being written and read`(_ path: String) throws {
        let model = try ModelTestData.model(path)
        let archive = try model.archived()
        let again = try NSManagedObjectModel(archive: archive)
        #expect(ModelSummary(again).lines == ModelSummary(model).lines)
        #expect(try again.archived() == archive)
        let cache = try model.modelCacheData()
        #expect(cache.count < archive.count)
        #expect(try NSManagedObjectModel(modelCache: cache) == model)
    }

    @Test(arguments: ModelTestData.compiled)
    func `a written archive has the objects and keys of the compiled model`(_ path: String) throws {
        let original = try ArchiveShape(Data(contentsOf: ModelTestData.stores.appendingPathComponent(path)))
        let written = try ArchiveShape(ModelTestData.model(path).archived())
        #expect(written.differences(from: original) == [])
    }
}

extension String {
    func occurrences(of text: String) -> Int { components(separatedBy: text).count - 1 }
}

func propertyList(_ data: Data) throws -> [String: Any] {
    try unsafe PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] ?? [:]
}
