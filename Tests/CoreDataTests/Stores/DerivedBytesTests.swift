// A derived attribute that is an attribute of a to-one's destination (`author.photo`) is kept by triggers in the file, which copy the
// column. The column of an attribute with external storage has a byte in front, or the name of a file that belongs to its row.

import CoreData
import Testing

@Suite struct DerivedBytesTests {
    private func makeModel(
        _ source: (entity: String, attribute: String, isExternal: Bool),
        _ derived: (entity: String, attribute: String, isExternal: Bool), _ format: String
    ) -> NSManagedObjectModel {
        let model = LibraryModel.make()
        let bytes = LibraryModel.attribute(source.attribute, .binaryDataAttributeType)
        bytes.allowsExternalBinaryDataStorage = source.isExternal
        model.entitiesByName[source.entity]?.properties.append(bytes)
        let copy = NSDerivedAttributeDescription()
        copy.name = derived.attribute
        copy.attributeType = .binaryDataAttributeType
        copy.isOptional = true
        copy.allowsExternalBinaryDataStorage = derived.isExternal
        copy.derivationExpression = NSExpression(format: format)
        model.entitiesByName[derived.entity]?.properties.append(copy)
        return model
    }

    /// A stack; nil where the store refuses the model and says which attribute it can't keep.
    private func makeLibrary(
        _ kind: StoreKind, _ model: NSManagedObjectModel, _ folder: TemporaryFolder, naming attribute: String
    ) -> Library? {
        do {
            return kind == .sqlite
                ? try Library(at: folder.url.appendingPathComponent("Bytes.sqlite"), model: model)
                : try Library(kind, model: model)
        } catch {
            #expect(error.localizedDescription.contains(attribute))
            return nil
        }
    }

    @Test(arguments: StoreKind.allCases, [3, 200_000])
    func `what is derived from bytes that may lie in files is these bytes, or refused`(
        _ kind: StoreKind, _ count: Int
    ) throws {
        for isExternal in [false, true] {
            let folder = try TemporaryFolder()
            let model = makeModel(("Author", "photo", true), ("Book", "authorPhoto", isExternal), "author.photo")
            guard let library = makeLibrary(kind, model, folder, naming: "authorPhoto") else { continue }
            let photo = Data(repeating: 9, count: count)
            let author = library.insert("Author", ["name": "Ada", "photo": photo])
            _ = library.insert("Book", ["title": "t", "author": author])
            try library.context.save()
            library.context.reset()
            let read = try #require(try library.fetch("Book").first).value(forKey: "authorPhoto") as? Data
            #expect(read?.count == photo.count && read == photo)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `derived bytes that may lie in files are what they come from, or refused`(_ kind: StoreKind) throws {
        let folder = try TemporaryFolder()
        let model = makeModel(("Book", "scan", false), ("Chapter", "bookScan", true), "book.scan")
        guard let library = makeLibrary(kind, model, folder, naming: "bookScan") else { return }
        let scan = Data([1, 2, 3])
        let book = library.insert("Book", ["title": "t", "scan": scan])
        _ = library.insert("Chapter", ["heading": "h", "book": book])
        try library.context.save()
        library.context.reset()
        let read = try #require(try library.fetch("Chapter").first).value(forKey: "bookScan") as? Data
        #expect(read == scan)
    }
}
