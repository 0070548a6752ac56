// What is alike of values that lie in files of their own: a store in memory sees the bytes, SQL where they lie.

import CoreData
import Testing

@Suite struct ExternalDistinctTests {
    /// Two photos of the same bytes and one of others, twice: small ones, and such as get files.
    private func photos(_ kind: StoreKind, _ folder: TemporaryFolder) throws -> Library {
        let photo = NSEntityDescription(), pixels = LibraryModel.attribute("pixels", .binaryDataAttributeType)
        photo.name = "Photo"
        pixels.allowsExternalBinaryDataStorage = true
        photo.properties = [LibraryModel.attribute("number", .integer32AttributeType), pixels]
        let model = NSManagedObjectModel()
        model.entities = [photo]
        let library =
            kind == .sqlite
            ? try Library(at: folder.url.appendingPathComponent("Photos.sqlite"), model: model)
            : try Library(kind, model: model)
        for (index, (byte, count)) in [(9, 200_000), (1, 5), (9, 5), (1, 200_000), (9, 200_000), (9, 5)].enumerated() {
            let data = Data(repeating: UInt8(byte), count: count)
            _ = library.insert("Photo", ["pixels": data, "number": index])
        }
        try library.context.save()
        return library
    }

    private func request(_ columns: [String]) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Photo")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = columns
        return request
    }

    @Test(arguments: StoreKind.allCases)
    func `distinct values are such by their bytes, wherever these are`(_ kind: StoreKind) throws {
        let folder = try TemporaryFolder()
        let library = try photos(kind, folder), request = request(["pixels"])
        request.returnsDistinctResults = true
        let found = try library.context.fetch(request).map { ($0["pixels"] as? Data)?.count }
        #expect(found == [200_000, 5, 5, 200_000])
        request.fetchOffset = 1
        request.fetchLimit = 2
        #expect(try library.context.fetch(request).map { ($0["pixels"] as? Data)?.first } == [1, 9])
    }

    @Test(arguments: StoreKind.allCases)
    func `nothing is grouped by bytes that may lie in files`(_ kind: StoreKind) throws {
        let folder = try TemporaryFolder()
        let library = try photos(kind, folder), request = request(["pixels"])
        request.propertiesToGroupBy = ["pixels"]
        let error = try #require(throws: CocoaError.self) { try library.context.fetch(request) }
        #expect("\(error)".contains("files outside the database"))
    }
}
