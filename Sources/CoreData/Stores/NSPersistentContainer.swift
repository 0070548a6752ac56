// Model, coordinator, stores and the usual contexts in one.

public import Foundation

/// A Core Data stack. Follows Core Data's `NSPersistentContainer`.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    // Safe to share: constants but for the store descriptions, which are set before the stores are loaded.

    private let stack: Stack
    private var descriptions: [NSPersistentStoreDescription]

    /// What a container has from the beginning.
    private struct Stack {
        let name: String
        let model: NSManagedObjectModel
        let coordinator: NSPersistentStoreCoordinator
        let viewContext: NSManagedObjectContext
    }

    /// The container's name, and that of its store's file.
    open var name: String { stack.name }
    /// The context for the user interface, on the main queue.
    open var viewContext: NSManagedObjectContext { stack.viewContext }
    /// The model.
    open var managedObjectModel: NSManagedObjectModel { stack.model }
    /// The coordinator.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator { stack.coordinator }
    /// The stores to load.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
        get { descriptions }
        set { descriptions = newValue }
    }

    /// A container for the model `name.momd`, `.mom` or `.xcdatamodeld` of the main bundle or, as packages have it, of a
    /// target's resources beside the program.
    ///
    /// Stops where there is no such model, as Core Data does, and where it is broken.
    public convenience init(name: String) {
        self.init(
            name: name, bundles: ResourceBundles.all, "the main bundle or the resources beside the program",
            "Give its target the plugin ManagedObjectClasses, or use init(name:managedObjectModel:).")
    }

    /// A container for the model `name.momd`, `.mom` or `.xcdatamodeld` of a bundle.
    ///
    /// Stops where there is no such model, and where it is broken. Core Data hasn't this one: an application's own is preferred.
    @_disfavoredOverload
    public convenience init(name: String, bundle: Bundle) {
        self.init(
            name: name, bundles: [bundle], "the bundle \(bundle.bundlePath)",
            "Add it to the bundle, or use init(name:managedObjectModel:).")
    }

    private convenience init(name: String, bundles: [Bundle], _ place: String, _ remedy: String) {
        let found: NSManagedObjectModel?
        do {
            found = try ResourceBundles.model(named: name, in: bundles)
        } catch {
            fatalError("The model '\(name)' can't be used. \(error)")
        }
        guard let found else {
            fatalError("There is no model '\(name)' (.momd, .mom, .xcdatamodeld) in \(place). \(remedy)")
        }
        self.init(name: name, managedObjectModel: found)
    }

    /// A container for a model.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.name = "viewContext"
        stack = Stack(name: name, model: model, coordinator: coordinator, viewContext: context)
        let url = type(of: self).defaultDirectoryURL().appendingPathComponent(name + ".sqlite")
        descriptions = [NSPersistentStoreDescription(url: url)]
        super.init()
    }

    /// Where stores are put that nothing else is said of: the user's application support folder.
    open class func defaultDirectoryURL() -> URL {
        let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        return folders.first ?? URL(fileURLWithPath: NSHomeDirectory())
    }

    /// Opens the stores; calls the handler once for each, with its error if it has one.
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
        }
    }

    /// A context of its own queue on the container's stores.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block on a new background context, later.
    @preconcurrency
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs a block on a new background context and returns what it returns. Managed objects must not leave it.
    @preconcurrency
    open func performBackgroundTask<T>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws -> T
    ) async rethrows -> T {
        let context = newBackgroundContext()
        return try await context.perform { try block(context) }
    }
}
