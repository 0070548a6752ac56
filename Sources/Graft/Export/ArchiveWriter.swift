// Archives: every object of the chosen entities once, so that importing the text gives an equal graph. The form is
// described in Snapshot/SnapshotReader+Archive.swift, which has to understand what is written here.

import CoreData
import Foundation

/// Writes archives.
struct ArchiveWriter {
    private let context: NSManagedObjectContext
    private let options: ExportOptions
    private let schema: GraphSchema
    private let layout: ArchiveLayout
    private let plans: [ExportPlan]
    private let numbers: [ObjectIdentifier: Int]
    /// Whether each entity is among those to be written.
    private let isChosen: [Bool]
    private let releasesObjects: Bool
    /// The numbers in the names of objects without identity, in the order in which they are first mentioned.
    private var names: [NSManagedObjectID: Int] = [:]
    private var lastNames: [Int]

    private static let nameKey = JSONKey(ArchiveKey.rowName)
    private static let entityKey = JSONKey(ArchiveKey.entityName)
    private static let referenceKey = JSONKey(ArchiveKey.rowReference)

    /// - Parameters:
    ///   - entities: The entities to write, without their sub-entities; nil for all.
    ///   - releasesObjects: Whether nobody else uses the context, so that objects can be let go after each batch.
    init(
        _ context: NSManagedObjectContext, entities: [String]?, options: ExportOptions, releasesObjects: Bool
    ) throws {
        guard let model = context.graftModel else {
            throw GraftError(.missingModel(reason: "the context has no persistent store coordinator"))
        }
        let mapping = try GraphMapping(model, options.mapping, isArchive: true)
        let layout = ArchiveLayout(mapping.schema)
        self.context = context
        self.options = options
        self.releasesObjects = releasesObjects
        self.layout = layout
        schema = mapping.schema
        plans = try mapping.schema.entities.indices.map { number in
            try ExportPlan(number, in: mapping, sortsKeys: options.sortsKeys) { property, _ in
                guard layout.isWritten(property, of: number) else { return .none }
                return layout.isNested(property, of: number) ? .nested : .identifier
            }
        }
        let descriptions = model.entitiesByName
        numbers = Dictionary(
            plans.compactMap { plan in descriptions[plan.name].map { (ObjectIdentifier($0), plan.number) } },
            uniquingKeysWith: { first, _ in first })
        let chosen = try entities.map { try Set($0.map(mapping.schema.requiredNumber)) }
        isChosen = mapping.schema.entities.indices.map { chosen?.contains($0) ?? true }
        lastNames = mapping.schema.entities.map { _ in 0 }
    }

    /// The names of the entities that are written.
    func entityNames() -> [String] {
        plans.filter { isChosen[$0.number] && !schema.entities[$0.number].isAbstract }.map(\.name)
    }

    /// Writes the archive.
    ///
    /// - Returns: How many objects it has, nested ones included.
    mutating func write(to writer: inout JSONWriter, progress: ExportProgress) throws -> Int {
        try writer.beginObject()
        try writer.key(ArchiveKey.header)
        try writer.value(["version": .number(JSONNumber(SnapshotReader.archiveVersion))])
        var count = 0
        let ordered = plans.filter { isChosen[$0.number] && !schema.entities[$0.number].isAbstract }
        for plan in ordered.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            count += try writeGroup(plan, to: &writer, progress)
        }
        try writer.endObject()
        return count
    }

    /// Writes the objects of one entity that aren't nested in others; nothing where there are none.
    private mutating func writeGroup(
        _ plan: ExportPlan, to writer: inout JSONWriter, _ progress: ExportProgress
    ) throws -> Int {
        let request = NSFetchRequest<NSManagedObject>(entityName: plan.name)
        request.includesSubentities = false
        let relationships = plan.properties.indices.filter { layout.isWritten($0, of: plan.number) }
        let batches = ObjectBatches(
            context: context, request: request, batchSize: options.batchSize,
            relationships: relationships.compactMap {
                plan.properties[$0].isAttribute ? nil : plan.properties[$0].name
            },
            releasesObjects: releasesObjects)
        var count = 0
        var isOpen = false
        try batches.forEach { objects in
            try progress.checkCancellation()
            for object in objects where home(of: object, plan) == nil {
                if !isOpen {
                    try writer.key(plan.name)
                    try writer.beginArray()
                    isOpen = true
                }
                count += try write(object, plan, as: plan.number, to: &writer)
            }
            progress.advance(by: objects.count)
        }
        if isOpen { try writer.endArray() }
        return count
    }

    /// The owner that an object is nested in, with the object's relationship to it.
    private func home(of object: NSManagedObject, _ plan: ExportPlan) -> (owner: NSManagedObject, property: Int)? {
        for property in layout.homes[plan.number] {
            guard let owner = object.destination(property, plan.properties[property]),
                let entity = numbers[ObjectIdentifier(owner.entity)], isChosen[entity]
            else { continue }
            return (owner, property)
        }
        return nil
    }

    // MARK: Objects

    /// Writes an object in full; returns how many were written, nested ones included.
    private mutating func write(
        _ object: NSManagedObject, _ plan: ExportPlan, as destination: Int, to writer: inout JSONWriter
    ) throws -> Int {
        try writer.beginObject()
        if plan.number != destination {
            try writer.key(Self.entityKey)
            try writer.string(plan.name)
        }
        if layout.isNamed[plan.number], try !plan.isIdentified(object) {
            try writer.key(Self.nameKey)
            try writer.string(name(of: object, plan))
        }
        let count = try write(plan.items, of: object, plan, to: &writer)
        try writer.endObject()
        return count + 1
    }

    private mutating func write(
        _ items: [ExportPlan.Item], of object: NSManagedObject, _ plan: ExportPlan, to writer: inout JSONWriter
    ) throws -> Int {
        var count = 0
        for item in items {
            switch item.content {
            case .attribute(let number, let converter):
                try writer.key(item.key)
                try plan.write(
                    object.graphValue(number, plan.properties[number]), number, converter, to: &writer)
            case .transformed(let number, let transformer):
                guard let json = try plan.json(number, of: object, by: transformer) else { continue }
                try writer.key(item.key)
                try writer.value(json)
            case .toOne(let number, let form):
                try writer.key(item.key)
                let destination = object.destination(number, plan.properties[number])
                count += try write(
                    destination.map { [$0] } ?? [], number, of: object, plan, form, isList: false, to: &writer)
            case .toMany(let number, let form):
                try writer.key(item.key)
                let members = sorted(object.members(number, plan.properties[number]), plan.properties[number])
                count += try write(members, number, of: object, plan, form, isList: true, to: &writer)
            case .constant, .stableIdentifier: continue  // Archives have their own keys for these.
            case .step(let items):
                try writer.key(item.key)
                try writer.beginObject()
                count += try write(items, of: object, plan, to: &writer)
                try writer.endObject()
            }
        }
        return count
    }

    /// The members in the order in which the archive has them: by entity; those that have a name already in the order of
    /// the names; the others as they were stored, nested ones last.
    ///
    /// The order is made so that it is the same again when the archive has been imported, where objects were made in the
    /// order of the archive and not in that of this store.
    private func sorted(_ members: [NSManagedObject], _ property: GraphSchema.Property) -> [NSManagedObject] {
        if property.isOrdered || members.count < 2 { return members }
        let keys = members.enumerated().map { position, member in
            let entity = numbers[ObjectIdentifier(member.entity)] ?? 0
            let isNested = !layout.homes[entity].isEmpty && home(of: member, plans[entity]) != nil
            return (entity, names[member.objectID] ?? .max, isNested ? 1 : 0, position)
        }
        return members.indices.sorted { keys[$0] < keys[$1] }.map { members[$0] }
    }

    // MARK: Relationships

    private mutating func write(
        _ members: [NSManagedObject], _ number: Int, of owner: NSManagedObject, _ ownerPlan: ExportPlan,
        _ form: ExportOptions.RelationshipForm, isList: Bool, to writer: inout JSONWriter
    ) throws -> Int {
        let property = ownerPlan.properties[number]
        var count = 0
        var written = 0
        if isList { try writer.beginArray() }
        for member in members {
            guard let memberNumber = numbers[ObjectIdentifier(member.entity)] else { continue }
            let plan = plans[memberNumber]
            if form == .nested, let home = home(of: member, plan), home.owner === owner,
                home.property == property.inverse
            {
                count += try write(member, plan, as: property.destination ?? memberNumber, to: &writer)
                written += 1
            } else if try writeReference(to: member, plan, destination: property.destination, to: &writer) {
                written += 1
            }
        }
        if isList {
            try writer.endArray()
        } else if written == 0 {
            try writer.null()
        }
        return count
    }

    /// Writes a reference; returns false where there is none, because the object has no identity and isn't in the archive.
    private mutating func writeReference(
        to object: NSManagedObject, _ plan: ExportPlan, destination: Int?, to writer: inout JSONWriter
    ) throws -> Bool {
        guard try plan.isIdentified(object) else {
            guard isChosen[plan.number] else { return false }
            try writer.beginObject()
            try writer.key(Self.referenceKey)
            try writer.string(name(of: object, plan))
            try writer.endObject()
            return true
        }
        if plan.number == destination, try plan.writeBareIdentifier(of: object, to: &writer) { return true }
        try writer.beginObject()
        if plan.number != destination {
            try writer.key(Self.entityKey)
            try writer.string(plan.name)
        }
        _ = try write(plan.identityItems, of: object, plan, to: &writer)
        try writer.endObject()
        return true
    }

    /// The name of an object without identity, such as `Note/12`.
    private mutating func name(of object: NSManagedObject, _ plan: ExportPlan) -> String {
        let id = object.objectID
        if let number = names[id] { return "\(plan.name)/\(number)" }
        lastNames[plan.number] += 1
        names[id] = lastNames[plan.number]
        return "\(plan.name)/\(lastNames[plan.number])"
    }
}
