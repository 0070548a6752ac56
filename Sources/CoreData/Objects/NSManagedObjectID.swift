// The identity of an object: in which store's table, of which entity, under which number.
// `RowSpace` is what makes comparing two of them cheap: one instance per (store, root entity).

public import Foundation
import Synchronization

/// One numbering of rows: the table of a root entity in one store, or the temporary IDs of the process.
package final class RowSpace: @unchecked Sendable {
    // Safe to share: the UUID is locked, and what else there is is set once; `store` is a weak reference, which is atomic.

    private let identifier: Mutex<String>
    /// The store's UUID as in `Z_METADATA`, upper case; empty for temporary IDs.
    var storeIdentifier: String {
        get { identifier.withLock { $0 } }
        set { identifier.withLock { $0 = newValue } }
    }
    private(set) weak var store: NSPersistentStore?
    /// What the numbers stand for in a custom store; nil in others.
    let references: ObjectReferences?

    package convenience init(storeIdentifier: String, store: NSPersistentStore?) {
        self.init(storeIdentifier: storeIdentifier, store: store, references: nil)
    }

    init(storeIdentifier: String, store: NSPersistentStore?, references: ObjectReferences?) {
        identifier = Mutex(storeIdentifier)
        self.store = store
        self.references = references
    }

    /// Whether both are of one store that was opened several times. What one coordinator has open twice are two, one copied from the other.
    func isReopened(_ other: RowSpace) -> Bool {
        guard storeIdentifier == other.storeIdentifier, !storeIdentifier.isEmpty else { return false }
        guard let own = store, let theirs = other.store, own !== theirs else { return true }
        return own.persistentStoreCoordinator !== theirs.persistentStoreCoordinator
            || own.persistentStoreCoordinator == nil
    }

    /// The numbering of objects that no store has seen yet.
    static let temporary = RowSpace(storeIdentifier: "", store: nil)
}

/// What the IDs of one entity's objects in one store have in common: an ID that refers to this alone counts one reference where it
/// is made. An entity's would take longest, because others refer to it weakly.
package final class ObjectKind: @unchecked Sendable {
    // Safe to share: both are constants, and an entity is immutable once a coordinator uses its model.

    package let entity: NSEntityDescription
    package let space: RowSpace

    package init(_ entity: NSEntityDescription, _ space: RowSpace) {
        self.entity = entity
        self.space = space
    }
}

/// What a context's table of registered objects is keyed by. Unlike an ID it costs no counting of references.
package struct RowKey: Hashable {
    package let space: ObjectIdentifier
    package let number: Int64
}

/// A compact identifier of a managed object, the same for all contexts of a coordinator.
///
/// It is `Sendable`: to hand an object to another queue, hand over its ID.
/// Follows Core Data's `NSManagedObjectID`.
///
/// - Note: Core Data's can be subclassed. Divergence 57.
public final class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable {
    // Safe to share: all stored properties are constants, and an entity is immutable once a coordinator uses its model.

    private let kind: ObjectKind
    /// The primary key (`Z_PK`), or the process-wide count of a temporary ID.
    package let number: Int64

    package init(_ kind: ObjectKind, number: Int64) {
        self.kind = kind
        self.number = number
    }

    package convenience init(entity: NSEntityDescription, space: RowSpace, number: Int64) {
        self.init(ObjectKind(entity, space), number: number)
    }

    /// The entity of the object itself, not of the fetched ancestor.
    public var entity: NSEntityDescription { kind.entity }

    package var space: RowSpace { kind.space }

    /// An ID of no object, for tests that need just any one.
    public convenience override init() {
        self.init(entity: NSEntityDescription(), space: .temporary, number: TemporaryObjectIDs.nextNumber())
    }

    /// The store that the object is in; nil while the ID is temporary or when the store is gone.
    public var persistentStore: NSPersistentStore? { space.store }

    /// Whether the object has not been saved (nor been given a permanent ID) yet.
    public var isTemporaryID: Bool { space === RowSpace.temporary }

    /// The number of the object's row; nil while the ID is temporary, and in a custom store.
    package var rowNumber: Int64? { isTemporaryID || space.references != nil ? nil : number }

    /// Whether both are of one entity and store.
    package func isOfKind(of other: NSManagedObjectID) -> Bool {
        kind === other.kind || kind.entity === other.kind.entity && kind.space === other.kind.space
    }

    /// Which entity it is, without counting a reference to it.
    package var entityIdentifier: ObjectIdentifier { ObjectIdentifier(kind.entity) }

    /// The ID of another row of the same entity and store.
    package func withNumber(_ number: Int64) -> NSManagedObjectID { NSManagedObjectID(kind, number: number) }

    package var key: RowKey { RowKey(space: ObjectIdentifier(space), number: number) }

    /// The ID as a URI: `x-coredata://<store UUID>/<Entity>/p<primary key>`, or `x-coredata:///<Entity>/t<UUID>` while temporary.
    /// Letters beyond ASCII in the entity's name are escaped, as in any URL.
    public func uriRepresentation() -> URL {
        let name = Self.escaped(entity.name ?? "")
        let text =
            isTemporaryID
            ? "x-coredata:///\(name)/t\(TemporaryObjectIDs.uuid(for: number).uuidString)"
            : "x-coredata://\(space.storeIdentifier)/\(name)/p\(reference ?? "\(number)")"
        guard let url = URL(string: text) else {
            fatalError("The store's identifier '\(space.storeIdentifier)' can't stand in a URI. Give the store a UUID.")
        }
        return url
    }

    /// A name as it stands in a URI. Left to the URL, it would have what is escaped in a custom store's reference escaped again.
    private static func escaped(_ name: String) -> String {
        if name.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || $0.isASCIILetterOrDigit }) { return name }
        return name.addingPercentEncoding(withAllowedCharacters: .urlUserAllowed) ?? name
    }

    /// What a custom store calls the row.
    fileprivate var reference: String? { space.references?.text(for: number) }

    /// Returns the ID itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectID else { return false }
        return self === other || (number == other.number && space === other.space)
    }

    public override var hash: Int { Int(truncatingIfNeeded: number) ^ Int(bitPattern: ObjectIdentifier(space)) }

    public override var description: String { "<\(uriRepresentation().absoluteString)>" }
}

/// What an ID stands for: a row, whichever coordinator has opened its store, and however often.
struct RowIdentity: Hashable {
    let id: NSManagedObjectID

    init(_ id: NSManagedObjectID) { self.id = id }

    static func == (a: RowIdentity, b: RowIdentity) -> Bool {
        if a.id == b.id { return true }
        let isAlike = a.id.reference == nil ? a.id.number == b.id.number : a.id.reference == b.id.reference
        return isAlike && a.id.space.isReopened(b.id.space)
            && a.id.entity.rootEntity.name == b.id.entity.rootEntity.name
    }

    func hash(into hasher: inout Hasher) {
        if let reference = id.reference { hasher.combine(reference) } else { hasher.combine(id.number) }
    }
}
