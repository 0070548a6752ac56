// Which file is read for a path, and what is said where there is none.

import CoreData
import Foundation
import Testing

@Suite struct ModelFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func contents(_ entity: String) -> String { "<model><entity name='\(entity)'/></model>" }

    private func read(_ path: String) throws -> NSManagedObjectModel {
        try NSManagedObjectModel(readingContentsOf: folder.url.appendingPathComponent(path))
    }

    private func message(_ path: String) throws -> String {
        try #require(throws: ModelError.self) { try read(path) }.description
    }

    private func current(_ name: String) -> String {
        "<?xml version='1.0'?><plist version='1.0'><dict><key>_XCCurrentVersionName</key><string>\(name)</string></dict></plist>"
    }

    @Test func `a single version needs no pointer`() throws {
        try folder.write(contents("One"), to: "M.xcdatamodeld/M.xcdatamodel/contents")
        #expect(try read("M.xcdatamodeld").entities.map(\.name) == ["One"])
    }

    @Test func `the pointer chooses between versions`() throws {
        try folder.write(contents("One"), to: "M.xcdatamodeld/M.xcdatamodel/contents")
        try folder.write(contents("Two"), to: "M.xcdatamodeld/M 2.xcdatamodel/contents")
        try folder.write(current("M 2.xcdatamodel"), to: "M.xcdatamodeld/.xccurrentversion")
        #expect(try read("M.xcdatamodeld").entities.map(\.name) == ["Two"])
        #expect(try read("M.xcdatamodeld/M.xcdatamodel").entities.map(\.name) == ["One"])
        #expect(try read("M.xcdatamodeld/M.xcdatamodel/contents").entities.map(\.name) == ["One"])
    }

    @Test func `several versions without a pointer are an error that lists them`() throws {
        try folder.write(contents("One"), to: "M.xcdatamodeld/M.xcdatamodel/contents")
        try folder.write(contents("Two"), to: "M.xcdatamodeld/M 2.xcdatamodel/contents")
        #expect(try message("M.xcdatamodeld").hasSuffix("Name one of them: M 2.xcdatamodel, M.xcdatamodel."))
    }

    @Test func `a pointer to a version that isn't there suggests the closest`() throws {
        try folder.write(contents("One"), to: "M.xcdatamodeld/Model.xcdatamodel/contents")
        try folder.write(current("Modl.xcdatamodel"), to: "M.xcdatamodeld/.xccurrentversion")
        #expect(try message("M.xcdatamodeld").hasSuffix("Did you mean 'Model.xcdatamodel'?"))
    }

    // Assumed: Core Data logs what keeps it from loading a model.
    @Test func `what is wrong with a model that can't be loaded or merged is written to standard error`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let folder = try TemporaryFolder()
            let entity = "<entity name='Hero'><relationship name='team' destinationEntity='Team'/></entity>"
            try folder.write("<model>\(entity)</model>", to: "Broken.xcdatamodel/contents")
            #expect(NSManagedObjectModel(contentsOf: folder.url.appendingPathComponent("Broken.xcdatamodel")) == nil)
            #expect(NSManagedObjectModel(contentsOf: folder.url.appendingPathComponent("Absent.momd")) == nil)
            let models = try ["String", "Date"].map { type in
                try sourceModel("<entity name='E'><attribute name='a' attributeType='\(type)'/></entity>")
            }
            #expect(NSManagedObjectModel(byMerging: models) == nil)
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("CoreData: error:") }
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("CoreData: error: Broken.xcdatamodel: Hero.team: ") == true)
        #expect(lines.last?.hasPrefix("CoreData: error: model: entity 'E': two of the models") == true)
    }

    @Test func `a compiled folder is read with its version hashes`() throws {
        let model = try sourceModel(
            "<entity name='E'><attribute name='d' attributeType='Date' derived='YES' derivationExpression='now()'/></entity>"
        )
        let hash = Data(repeating: 7, count: 32)
        let info: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": "B",
            "NSManagedObjectModel_VersionHashes": ["A": ["E": Data()], "B": ["E": hash]],
        ]
        try folder.write(model.archived(), to: "M.momd/A.mom")
        try folder.write(model.archived(), to: "M.momd/B.mom")
        try folder.write(
            PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0),
            to: "M.momd/VersionInfo.plist")
        #expect(try read("M.momd").entityVersionHashesByName == ["E": hash])
        #expect(try read("M.momd/A.mom").entityVersionHashesByName == ["E": Data()])
    }

    // FreeCoreData, testModelLoadsFromMomdBundle.
    @Test func `a model that a keyed archiver has written is a compiled model, too`() throws {
        let model = try sourceModel("<entity name='E'><attribute name='a' attributeType='String'/></entity>")
        func archive(_ object: Any) throws -> Data {
            try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
        }
        try folder.write(archive(model), to: "M.mom")
        #expect(try read("M.mom") == model)
        try folder.write(archive(NSArray(object: NSData(data: model.archived()))), to: "N.mom")
        #expect(try message("N.mom").contains("its root is no model"))
    }

    @Test func `what is no model is an error with path and remedy`() throws {
        try folder.write("hello", to: "notes.txt")
        try folder.write("x", to: "Old.xcdatamodel/elements")
        try folder.write("<html/>", to: "Page.xcdatamodel/contents")
        try folder.write(Data("bplist00".utf8), to: "Short.mom")
        #expect(try message("nothing.mom").contains("there is no such file"))
        #expect(try message("nothing.mom").hasPrefix(folder.url.appendingPathComponent("nothing.mom").path))
        #expect(try message("notes.txt").contains("this is no model"))
        #expect(try message("Old.xcdatamodel").contains("Xcode 3"))
        #expect(try message("Page.xcdatamodel").contains("this is no model"))
        #expect(try message("Short.mom").hasPrefix("Short.mom: the compiled model is damaged"))
        #expect(NSManagedObjectModel(contentsOf: folder.url.appendingPathComponent("notes.txt")) == nil)
    }

    @Test func `broken XML is an error with line and column`() throws {
        try folder.write("<model>\n  <entity name='E'>\n  </entty>\n</model>", to: "M.xcdatamodel/contents")
        #expect(try message("M.xcdatamodel").contains("line 3, column"))
        try folder.write(String(repeating: "<a>", count: 5000), to: "Deep.xcdatamodel/contents")
        #expect(try message("Deep.xcdatamodel").contains("Repair the XML"))
        try folder.write("", to: "Empty.xcdatamodel/contents")
        #expect(try message("Empty.xcdatamodel").contains("Repair the XML"))
    }

    @Test func `an error has the domain and code of Core Data or of file reading`() throws {
        let missing = try #require(throws: ModelError.self) { try read("nothing.mom") } as NSError
        #expect(missing.domain == NSCocoaErrorDomain && missing.code == CocoaError.Code.fileReadNoSuchFile.rawValue)
        // Foundation on Linux says a number of such errors; their cause says more.
        let inside = folder.url.appendingPathComponent("Odd.xcdatamodel/contents")
        try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
        #expect(try message("Odd.xcdatamodel").contains("the file can't be read (Is a directory)"))
        try folder.write("<model><entity name='E' parentEntity='F'/></model>", to: "M.xcdatamodel/contents")
        let broken = try #require(throws: ModelError.self) { try read("M.xcdatamodel") } as NSError
        #expect(broken.code == 134060)
        #expect(broken.localizedDescription.contains("the parent entity 'F' doesn't exist"))
    }

    @Test func `the models of a bundle are merged`() throws {
        try folder.write(contents("One"), to: "A.xcdatamodeld/A.xcdatamodel/contents")
        try folder.write(sourceModel("<entity name='Two'/>").archived(), to: "B.mom")
        let bundle = try #require(Bundle(path: folder.url.path))
        let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
        #expect(Set(merged.entitiesByName.keys) == ["One", "Two"])
        let metadata = ["NSStoreModelVersionHashes": try sourceModel("<entity name='Two'/>").entityVersionHashesByName]
        let fitting = try #require(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata))
        #expect(Array(fitting.entitiesByName.keys) == ["Two"])
        let unknown = ["NSStoreModelVersionHashes": ["Three": Data()]]
        #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: unknown) == nil)
    }
}
