// The coordinator: one model, some stores, and a lock around the writing of them.

import Dispatch
public import Foundation

/// Connects contexts with stores. Follows Core Data's `NSPersistentStoreCoordinator`.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    // Safe to share: the list of stores is behind one lock and writing behind another, which is taken first; the model is
    // immutable once in use.

    /// The model of all stores.
    open var managedObjectModel: NSManagedObjectModel { model }
    private let model: NSManagedObjectModel
    /// The entities of classes that objects have been made of.
    private var entitiesByClass: [ObjectIdentifier: NSEntityDescription] = [:]
    private let classLock = NSLock()
    /// A name for messages.
    open var name: String?
    private let lock = NSRecursiveLock()
    /// Held by whoever writes; reading the list of stores never waits for it.
    let saveLock = NSRecursiveLock()
    /// Behind the lock of saves.
    var turns = WriteTurns()
    private var stores: [NSPersistentStore] = []
    /// Whether anybody is told of its stores: not of those that it has only while they are made or moved.
    var isAnnounced = true

    /// A coordinator without stores. The model can't be changed from then on.
    public required init(managedObjectModel model: NSManagedObjectModel) {
        self.model = model
        super.init()
        model.markInUse()
        ManagedObjectClasses.register(model)
    }

    /// A coordinator of an empty model: for moving, replacing and destroying stores, which needs none.
    public convenience override init() { self.init(managedObjectModel: NSManagedObjectModel()) }

    /// The entity of a class, searched for once.
    func entity(
        of cls: NSManagedObject.Type, _ search: () -> NSEntityDescription?
    ) -> NSEntityDescription? {
        classLock.withLock {
            if let known = entitiesByClass[ObjectIdentifier(cls)] { return known }
            let found = search()
            entitiesByClass[ObjectIdentifier(cls)] = found
            return found
        }
    }

    /// The stores, in the order of their addition.
    open var persistentStores: [NSPersistentStore] { lock.withLock { stores } }

    // MARK: Adding and removing

    /// Opens a store, or makes a new one, and adds it.
    ///
    /// A store of another version of the model is migrated if the options `NSMigratePersistentStoresAutomaticallyOption`
    /// and `NSInferMappingModelAutomaticallyOption` allow it. It stays as it was until that has succeeded.
    ///
    /// - Throws: `CocoaError`: `.persistentStoreIncompatibleVersionHash` for a store of another model,
    ///   `.migrationMissingSourceModel`, `.migrationMissingMappingModel` with the reasons underneath, or `.migration` for
    ///   one that can't be migrated, `.persistentStoreTypeMismatch` and `.persistentStoreInvalidType` for a wrong type, `.persistentStoreOpen` with
    ///   SQLite's error underneath.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try managedObjectModel.validated()
        // Not before: a broken model may inherit in circles.
        for entity in managedObjectModel.entities { entity.layout.prepare() }
        try checkConfiguration(configuration)
        return try lock.withLock {
            try checkIsNew(storeURL, storeType, configuration)
            let store: NSPersistentStore
            if let storeClass = StoreClasses[storeType] {
                store = try makeStore(
                    storeClass, type: storeType, configuration: configuration, url: storeURL, options: options)
            } else {
                store = NSPersistentStore(
                    coordinator: self, type: storeType, configurationName: configuration, url: storeURL,
                    options: options)
                store.backend = try makeBackend(for: store, configuration: configuration)
                store.watchForRemoteChanges()
            }
            stores.append(store)
            store.didAdd(to: self)
            announce(NSAddedPersistentStoresKey, [store])
            return store
        }
    }

    /// ``addPersistentStore(ofType:configurationName:at:options:)`` as newer code spells it.
    @discardableResult
    public func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
    }

    /// Opens the store that a description is of, or makes a new one with its folder, and adds it. The block is called with the
    /// error, if there is one; for a description with `shouldAddStoreAsynchronously` later, on the main queue.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        guard storeDescription.shouldAddStoreAsynchronously else {
            return block(storeDescription, load(storeDescription))
        }
        let loading = Loading(description: storeDescription, handler: block)
        DispatchQueue.global().async {
            let error = self.load(loading.description)
            DispatchQueue.main.async { loading.handler(loading.description, error) }
        }
    }

    private struct Loading: @unchecked Sendable {
        // Safe: nobody changes a description that is being loaded, by contract; the handler is called once, on the main queue.
        let description: NSPersistentStoreDescription
        let handler: (NSPersistentStoreDescription, (any Error)?) -> Void
    }

    private func load(_ description: NSPersistentStoreDescription) -> (any Error)? {
        do {
            if description.type == NSSQLiteStoreType, let folder = description.url?.deletingLastPathComponent() {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            try addPersistentStore(
                ofType: description.type, configurationName: description.configuration, at: description.url,
                options: description.options)
            return nil
        } catch {
            return error
        }
    }

    /// Executes a request for a context.
    ///
    /// - Returns: For a fetch an array of what it asks for, else the result of the request's class.
    /// - Throws: As ``NSManagedObjectContext/execute(_:)``.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        guard let fetch = request.fetchState else { return try context.execute(request) }
        return try context.results(of: fetch, affectedStores: request.affectedStores)
    }

    /// Takes a store out. Its objects can't be read any more.
    ///
    /// - Throws: `CocoaError` (`.persistentStoreOperation`) if it isn't one of the coordinator's.
    open func remove(_ store: NSPersistentStore) throws {
        try saveLock.withLock {
            lock.lock()
            defer { lock.unlock() }
            guard let index = stores.firstIndex(where: { $0 === store }) else {
                throw CoreDataError.make(
                    .persistentStoreOperation, "The store isn't one of this coordinator's and can't be removed from it."
                )
            }
            if isAnnounced {
                NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
            }
            store.willRemove(from: self)
            stores.remove(at: index)
            store.remoteChangeWatch = nil
            store.backend = nil
            store.persistentStoreCoordinator = nil
            announce(NSRemovedPersistentStoresKey, [store])
        }
    }

    /// Gives an open store to another coordinator of the same model.
    func handOver(_ store: NSPersistentStore, to other: NSPersistentStoreCoordinator) {
        lock.withLock {
            store.willRemove(from: self)
            stores.removeAll { $0 === store }
        }
        other.lock.withLock {
            store.persistentStoreCoordinator = other
            other.stores.append(store)
            store.didAdd(to: other)
            other.announce(NSAddedPersistentStoresKey, [store])
        }
    }

    /// Tells that the stores have changed.
    func announce(_ key: String, _ changed: [Any]) {
        guard isAnnounced else { return }
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: [key: changed])
    }

    // MARK: Finding

    /// The store at a URL.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
    }

    /// Where a store is; a store in memory has a URL of no file.
    open func url(for store: NSPersistentStore) -> URL { store.url ?? URL(fileURLWithPath: "/dev/null") }

    /// Lets an open store read and write another file, or a store elsewhere on a server, which has to be there; one in memory only gets
    /// the URL.
    ///
    /// - Returns: Whether it does. Otherwise it is as it was: the file is missing, or is no store of this model.
    @discardableResult
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { move(store, to: url) }

    /// The place behind the last transaction of each store that keeps a history; nil where none does.
    ///
    /// - Parameter stores: The stores; nil for all of the coordinator's.
    open func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        historyToken(of: stores?.compactMap { $0 as? NSPersistentStore } ?? persistentStores, behind: [:])
    }

    /// The ID that the text of a URI stands for; nil as for the URI.
    open func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
    }

    /// The ID that a URI stands for; nil for a URI of an unknown store or entity.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata", let host = url.host else { return nil }
        // Split first: a custom store's reference may have an escaped slash.
        let parts = url.path(percentEncoded: true).split(separator: "/")
        guard parts.count == 2, parts[1].hasPrefix("p"), let name = String(parts[0]).removingPercentEncoding,
            let entity = managedObjectModel.entitiesByName[name],
            let store = self.store(
                of: entity, among: persistentStores.filter { $0.identifier?.uppercased() == host.uppercased() })
        else { return nil }
        let row = String(parts[1].dropFirst())
        if let custom = store as? any ReferencingStore {
            return custom.references.objectID(for: entity, text: row.removingPercentEncoding ?? row, in: custom)
        }
        guard let number = Int64(row) else { return nil }
        return store.backend?.objectID(for: entity, primaryKey: number)
    }

    /// The stores that keep an entity's objects.
    func stores(for entity: NSEntityDescription, among wanted: [NSPersistentStore]?) -> [NSPersistentStore] {
        persistentStores.filter { store in
            (wanted?.contains { $0 === store } ?? true) && keeps(store, entity)
        }
    }

    /// Which store of one file has an entity's objects: a file may be open under several configurations.
    func store(of entity: NSEntityDescription, among stores: [NSPersistentStore]) -> NSPersistentStore? {
        stores.first { isConfigured($0, for: entity) } ?? stores.first { keeps($0, entity) }
    }

    /// The store for a new object of an entity: the first whose configuration has it and that can be written.
    func store(forNew entity: NSEntityDescription) throws -> NSPersistentStore {
        let stores = persistentStores, fitting = stores.filter { isConfigured($0, for: entity) }
        if let store = fitting.first(where: { !$0.isReadOnly }) { return store }
        if let store = fitting.first { throw Self.readOnly(store) }
        let finding = stores.isEmpty ? "no store" : "no store whose configuration has that entity"
        throw CoreDataError.make(
            .persistentStoreSave,
            "A new '\(entity.name ?? "")' can't be saved: the coordinator has \(finding). Add one.")
    }

    /// Whether a store's configuration has an entity, so that new objects may go there.
    func isConfigured(_ store: NSPersistentStore, for entity: NSEntityDescription) -> Bool {
        managedObjectModel.entities(forConfigurationName: store.configurationName)?.contains { $0 === entity } ?? true
    }

    /// Whether a store may have objects of an entity: a file may have more than its configuration.
    private func keeps(_ store: NSPersistentStore, _ entity: NSEntityDescription) -> Bool {
        isConfigured(store, for: entity) || (store.backend as? SQLiteStoreBackend)?.schema.entity(for: entity) != nil
    }

    // MARK: Waiting for saves

    /// Runs a block while no other thread saves.
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        saveLock.lock()
        defer { saveLock.unlock() }
        return try block()
    }

    /// Runs a block on another thread, while no other thread saves.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async { self.performAndWait(block) }
    }

    /// Runs a block on another thread, while no other thread saves, and returns what it returns.
    @preconcurrency
    public func perform<T>(_ block: @escaping @Sendable () throws -> T) async rethrows -> T {
        let result: Transferred<Result<T, any Error>> = await withCheckedContinuation { continuation in
            perform { continuation.resume(returning: Transferred(value: Result(catching: block))) }
        }
        return try result.value.value(of: block) { throw $0 }
    }

    // MARK: Files

    /// The metadata of a store that needn't be open, without its model; of a custom one what its class says.
    ///
    /// - Throws: `CocoaError` if there is no store of that type.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        if let storeClass = StoreClasses[storeType] { return try storeClass.metadataForPersistentStore(with: url) }
        if let provider = StoreProviders[storeType] { return try provider.metadata(at: url) }
        guard storeType == NSSQLiteStoreType else { throw noFile(storeType) }
        return try SQLiteStoreFile.metadata(at: url)
    }

    /// The metadata of a store of this coordinator.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Replaces the metadata of a store; written with the next save.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) { store.metadata = metadata }

    /// Deletes a store's files, whether or not there are any.
    ///
    /// - Throws: `CocoaError` while the coordinator has the store open.
    open func destroyPersistentStore(at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil) throws {
        let provider = StoreProviders[storeType]
        guard storeType == NSSQLiteStoreType || provider != nil else { return }
        if let open = persistentStore(for: url) { try remove(open) }
        if let provider { return try provider.destroy(at: url) }
        try SQLiteStoreFile.destroy(at: url)
    }

    /// ``destroyPersistentStore(at:ofType:options:)`` as newer code spells it.
    public func destroyPersistentStore(
        at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: type.rawValue, options: options)
    }

    /// Replaces a store's files by copies of another's.
    ///
    /// - Throws: `CocoaError`; the destination is then as it was.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        guard storeType == NSSQLiteStoreType else { throw Self.noFile(storeType) }
        try SQLiteStoreFile.replace(at: destinationURL, withStoreAt: sourceURL)
    }

    static func noFile(_ type: String) -> CocoaError {
        CoreDataError.make(
            .persistentStoreInvalidType, "Stores of the type '\(type)' have no file. Only SQLite stores do.")
    }
}
