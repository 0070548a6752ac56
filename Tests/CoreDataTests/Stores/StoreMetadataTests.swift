// developer.apple.com/documentation/coredata/nspersistentstorecoordinator/setmetadata(_:for:): "The store type and UUID (NSStoreTypeKey and
// NSStoreUUIDKey) are always added automatically, however NSStoreUUIDKey is only added if it is not set manually as part of the dictionary
// argument."

import CoreData
import Testing

@Suite struct StoreMetadataTests {
    @Test(arguments: StoreKind.allCases)
    func `metadata without type and UUID leave the store both, and its URIs lead to its objects`(
        _ kind: StoreKind
    ) throws {
        let library = try Library(kind)
        let store = library.coordinator.persistentStores[0]
        let identifier = try #require(store.identifier)
        let tag = library.insert("Tag", ["label": "a"])
        try library.context.save()
        library.coordinator.setMetadata(["note": "mine"], for: store)
        let metadata = library.coordinator.metadata(for: store)
        #expect(metadata["note"] as? String == "mine")
        #expect(metadata[NSStoreUUIDKey] as? String == identifier)
        #expect(metadata[NSStoreTypeKey] as? String == store.type)
        let uri = tag.objectID.uriRepresentation()
        #expect(library.coordinator.managedObjectID(forURIRepresentation: uri) == tag.objectID)
    }

    // As an atomic store's does; that of a SQLite store stays.
    @Test func `the URIs of a store in memory follow a UUID that is set`() throws {
        let library = try Library(.inMemory)
        let store = library.coordinator.persistentStores[0]
        let tag = library.insert("Tag", ["label": "a"])
        try library.context.save()
        let identifier = UUID().uuidString
        store.identifier = identifier
        #expect(store.identifier == identifier)
        let uri = tag.objectID.uriRepresentation()
        #expect(library.coordinator.managedObjectID(forURIRepresentation: uri) == tag.objectID)
    }
}
