// What of a store can't be read, because programs that wrote rows by themselves, or damage, have left it so: rows that are no objects or
// hold what no attribute can, links to objects that aren't there or that they can't lead to, binary data whose file isn't there, and
// identities that two objects have. The first is an error, unless somebody wants to be told of all.

import CoreData
import Foundation

/// Watches what is read of a store.
final class GraphDamage {
    private let context: NSManagedObjectContext
    private let onDamage: (@Sendable (GraftError) -> Void)?
    /// What to do about an error.
    private let remedy: String
    /// The store's file, where there is one store.
    private let source: String?
    /// By entity: the names of the attributes, elements of composite ones included, whose values may be in files of their own.
    private var externalAttributes: [ObjectIdentifier: Set<String>] = [:]
    /// By entity and attribute: the objects whose rows say that there is a value. Read when the first object has none.
    private var withValue: [Column: Set<ObjectIDKey>] = [:]

    /// The objects that can't be read.
    private var leftOut: Set<ObjectIDKey> = []
    /// The relationships of rows, of which all links to what isn't there have been told.
    private var told: Set<[String]> = []

    private struct Column: Hashable {
        var entity: ObjectIdentifier
        var attribute: String
    }

    /// - Parameters:
    ///   - onDamage: Is told instead of an error.
    ///   - canLeaveOut: Whether somebody could have asked for that.
    init(
        _ context: NSManagedObjectContext, _ onDamage: (@Sendable (GraftError) -> Void)?, canLeaveOut: Bool = true
    ) {
        self.context = context
        self.onDamage = onDamage
        remedy =
            canLeaveOut && onDamage == nil
            ? "Repair the row, or leave it out and list it: --keep-going of graft export and archive, onDamage in code."
            : "Repair the row, or bring the file back: graft check tells of all of them."
        source = context.soleStore?.url?.path
        for entity in context.graftModel?.entities ?? [] {
            let names = entity.attributePartsByName.filter { $0.value.allowsExternalBinaryDataStorage }.map(\.key)
            if !names.isEmpty { externalAttributes[ObjectIdentifier(entity)] = Set(names) }
        }
    }

    /// For who can leave nothing out.
    convenience init(_ context: NSManagedObjectContext) {
        self.init(context, nil, canLeaveOut: false)
    }

    /// Whether what can't be read is left out.
    var isLeavingOut: Bool { onDamage != nil }

    /// Takes note of a link to an object that isn't there.
    ///
    /// - Throws: ``GraftError``, unless somebody wants to be told instead.
    func noteMissing(_ id: NSManagedObjectID, of property: String, from object: some RecordedObject) throws {
        let isLeftOut = leftOut.contains(id.lookupKey)
        if !isLeftOut, isTold(property, of: object) { return }
        let reason = isLeftOut ? "is left out" : "isn't there"
        try report(
            "row \(Self.row(object.objectID)) leads to row \(Self.row(id)) of '\(id.entity.name ?? "")', which \(reason)",
            object, property)
    }

    /// Whether all that is wrong with an object's links of a relationship has been taken note of.
    func isTold(_ property: String, of object: some RecordedObject) -> Bool {
        told.contains([object.objectID.entity.name ?? "", property, Self.row(object.objectID)])
    }

    /// Takes note of a link to an object of an entity that the relationship can't lead to.
    ///
    /// - Throws: ``GraftError``, unless somebody wants to be told instead.
    func noteWrongEnd(
        _ id: NSManagedObjectID, _ entity: String, of property: String, from object: some RecordedObject
    ) throws {
        if isTold(property, of: object) { return }
        try report(
            "row \(Self.row(object.objectID)) leads to row \(Self.row(id)), which is of '\(entity)' and not of "
                + "'\(id.entity.name ?? "")'", object, property)
    }

    /// Takes note of a value that its attribute can't hold.
    ///
    /// - Throws: ``GraftError``, unless somebody wants to be told instead.
    func noteUnfit(
        _ value: GraphValue, _ kind: AttributeKind, of property: String, from object: some RecordedObject
    ) throws {
        try report(
            "row \(Self.row(object.objectID)) has \(value.description), which \(kind) can't hold", object, property)
    }

    /// Takes note of a value that has no form in JSON.
    ///
    /// - Throws: ``GraftError``, unless somebody wants to be told instead.
    func noteFormless(_ value: String, of property: String, from object: some RecordedObject) throws {
        let row = object.objectID.isTemporaryID ? "" : " in row \(Self.row(object.objectID))"
        try report(
            GraftError(
                .notRepresentable(value: value + row, format: "JSON"),
                at: .init(entity: object.objectID.entity.name, property: property)))
    }

    /// Takes note of the rows of which no object can be made, and of links that no object has.
    ///
    /// - Parameter entities: Those that are read, whose tables are looked into; nil for all.
    /// - Throws: ``GraftError``, unless somebody wants to be told instead.
    func noteStrayRows(of entities: [String]? = nil) throws {
        #if !canImport(Darwin) && !GRAFT_PORTABLE
            let chosen = entities?.compactMap { context.graftModel?.entitiesByName[$0] }
            for stray in try context.strayRows(of: chosen) {
                let place = stray.row.map { stray.isLink ? "row \($0) " : "row \($0): " } ?? ""
                try report(
                    GraftError(
                        .other(
                            finding: "\(place)\(stray.finding)", remedy: stray.isLink ? remedy : stray.remedy),
                        at: .init(entity: stray.entity, property: stray.property)))
                if let row = stray.row, let property = stray.property {
                    told.insert([stray.entity, property, "\(row)"])
                }
            }
        #endif
    }

    /// Whose rows the objects are; nil where the store's counters of rows don't tell.
    ///
    /// - Throws: ``GraftError`` for such a counter, unless somebody wants to be told instead.
    func lineage() throws -> GraphSnapshot.Lineage? {
        do {
            let lineage = try context.lineage()
            try lineage?.requireSound()
            return lineage
        } catch {
            let error = CoreDataErrors.graftError(error)
            switch error.problem {
            case .damagedStore: try report(error)
            case .damagedArchive(let found, let expected):
                let reason =
                    "the store has \(found), where \(expected) is expected. Correct Z_PRIMARYKEY.Z_MAX; graft check lists "
                    + "all that is damaged"
                try report(GraftError(.damagedStore(reason: reason)))
            default: throw error
            }
            return nil
        }
    }

    /// Lets a request pass over rows that are no objects, where such are left out.
    func passOverStrayRows(_ request: NSFetchRequest<NSManagedObjectID>) {
        guard isLeavingOut, source != nil, let model = context.graftModel,
            let entity = model.entitiesByName[request.entityName ?? ""]
        else { return }
        let entities = request.includesSubentities ? model.entities.filter { $0.isKindOf(entity: entity) } : [entity]
        let isObject = NSPredicate(format: "entity IN %@", argumentArray: [entities.filter { !$0.isAbstract }])
        let conditions = [request.predicate, isObject].compactMap(\.self)
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
    }

    /// The objects of some IDs that can be read. The others are taken note of; nothing else of them is read.
    ///
    /// - Parameter read: Reads all that is wanted of some of them.
    /// - Throws: What has another reason than a damaged row.
    func readable(
        _ ids: [NSManagedObjectID], _ read: ([NSManagedObjectID]) throws -> Void
    ) throws -> [NSManagedObjectID] {
        let ids = ids.filter { !leftOut.contains($0.lookupKey) }
        do {
            try read(ids)
            return ids
        } catch {
            let error = CoreDataErrors.graftError(error)
            guard case .damagedStore = error.problem, let first = ids.first else { throw error }
            if ids.count == 1 {
                leftOut.insert(first.lookupKey)
                try report(error)
                return []
            }
            let half = ids.count / 2
            return try readable(Array(ids[..<half]), read) + readable(Array(ids[half...]), read)
        }
    }

    /// The ends of an object's links that can be read. The others are taken note of, and the links to them.
    ///
    /// - Throws: As ``readable(_:_:)``.
    func readableEnds(
        _ ids: [NSManagedObjectID], of property: String, from object: some RecordedObject,
        _ read: ([NSManagedObjectID]) throws -> Void
    ) throws -> [NSManagedObjectID] {
        let sound = try readable(ids, read)
        if sound.count == ids.count { return ids }
        let readable = Set(sound.map(\.lookupKey))
        return try ids.filter { id in
            if readable.contains(id.lookupKey) { return true }
            try noteMissing(id, of: property, from: object)
            return false
        }
    }

    /// Takes note of a damage of the store.
    ///
    /// - Throws: What has another reason, or all, unless somebody wants to be told instead.
    func noteDamage(_ error: any Error) throws {
        let error = CoreDataErrors.graftError(error)
        guard case .damagedStore = error.problem else { throw error }
        try report(error)
    }

    /// Whether an error is a damage that is left out.
    func isLeavingOut(_ error: any Error) -> Bool {
        guard isLeavingOut, case .damagedStore = CoreDataErrors.graftError(error).problem else { return false }
        return true
    }

    /// The value of an attribute; null where the store has one in a file that isn't there.
    ///
    /// - Throws: ``GraftError`` for such a file, unless somebody wants to be told instead.
    func value(of object: NSManagedObject, _ number: Int, _ property: GraphSchema.Property) throws -> GraphValue {
        let value = try object.graphValue(number, property)
        if value.isNull { try requireFile(of: object, property.name) }
        return value
    }

    /// Takes note of an attribute without a value, where the store has one in a file that isn't there.
    ///
    /// - Throws: ``GraftError``, unless somebody wants to be told instead.
    func requireFile(of object: some RecordedObject, _ attribute: String) throws {
        if externalAttributes.isEmpty { return }
        let entity = object.objectID.entity
        guard externalAttributes[ObjectIdentifier(entity)]?.contains(attribute) ?? false,
            !object.hasUnsavedValue(attribute)
        else { return }
        let column = Column(entity: ObjectIdentifier(entity), attribute: attribute)
        if withValue[column] == nil { withValue[column] = try readIDs(entity, attribute) }
        guard withValue[column]?.contains(object.objectID.lookupKey) ?? false else { return }
        try report("row \(Self.row(object.objectID)) has its data in a file that isn't there", object, attribute)
    }

    private func readIDs(_ entity: NSEntityDescription, _ attribute: String) throws -> Set<ObjectIDKey> {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: entity.name ?? "")
        request.resultType = .managedObjectIDResultType
        request.includesSubentities = false
        request.includesPendingChanges = false
        request.predicate = NSPredicate(format: "%K != nil", argumentArray: [attribute])
        return Set(try context.fetch(request).map(\.lookupKey))
    }

    /// Takes note of an object with an identity that another one has, where objects are told apart by it.
    ///
    /// - Throws: ``GraftError``, unless somebody wants to be told instead.
    func noteDuplicate(_ id: NSManagedObjectID, _ identity: String) throws {
        try report(
            GraftError(
                .other(
                    finding:
                        "row \(Self.row(id)) has the identity \(identity), as another object has; an import would make one of them",
                    remedy: "Give one of them another identity, or make an archive, which keeps both: graft archive."),
                at: .init(entity: id.entity.name)))
    }

    /// Takes note of what is wrong with an object.
    ///
    /// - Throws: The error, unless somebody wants to be told instead.
    func report(_ error: GraftError) throws {
        let error = error.located(in: .init(source: source))
        guard let onDamage else { throw error }
        onDamage(error)
    }

    private func report(_ finding: String, _ object: some RecordedObject, _ property: String) throws {
        try report(
            GraftError(
                .other(finding: finding, remedy: remedy),
                at: .init(entity: object.objectID.entity.name, property: property)))
    }

    private static func row(_ id: NSManagedObjectID) -> String {
        let text = id.uriRepresentation().lastPathComponent
        return text.hasPrefix("p") ? String(text.dropFirst()) : text
    }
}
