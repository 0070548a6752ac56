// Rows of a store as JSON, as ObjectWriter writes objects, of which none are made here. It goes wide before it goes deep: what some rows
// are going to nest is read with one question for each kind of link and level. Of an object that many can lead to, the text is made once.

import CoreData

/// Writes rows where nested objects never lead back to an object.
final class StoredObjectWriter: ItemWriter {
    typealias Object = StoredObject

    let options: ExportOptions
    private let form: ExportForm
    private let numbers: EntityNumbers
    private let context: NSManagedObjectContext
    private let damage: GraphDamage
    private let losses: ExportLosses?
    /// The entity whose objects are at the top, sub-entities included.
    private let root: Int?
    /// What the rows that are being written lead to, which is never one of them.
    private var met: [Meeting: StoredObject] = [:]
    /// The texts of objects that others can lead to as well.
    private var texts: [Meeting: [UInt8]] = [:]
    private var textBytes = 0
    private var links: [LinkKey: [Link]] = [:]

    /// How many bytes of texts are kept.
    private static let textLimit = 16 << 20

    /// How an object is met: what is written of it depends on it.
    private enum Way: Hashable {
        /// In full, but for the relationship that leads back.
        case nested(cameFrom: Int?)
        case identifier
    }

    private struct Meeting: Hashable {
        var key: ObjectIDKey
        var way: Way

        // Hardly any object is met in several ways.
        func hash(into hasher: inout Hasher) { hasher.combine(key) }
    }

    private struct LinkKey: Hashable {
        var plan: Int
        var way: Way
    }

    /// A relationship that is written, and how objects are met by it.
    private struct Link: Hashable {
        var number: Int
        var destination: Int
        var way: Way
        /// Whether the texts of its objects are kept.
        var keepsTexts: Bool
    }

    /// - Returns: Nil where rows can't tell all, or may be met again: then objects are needed.
    init?(
        _ model: NSManagedObjectModel, _ form: ExportForm, entity name: String, _ options: ExportOptions,
        _ context: NSManagedObjectContext, _ damage: GraphDamage, _ losses: ExportLosses?
    ) {
        let nested = form.reached(from: name) { form.nested[$0.number] }
        guard StoredRow.isWithoutObject, case .everything = options.scope, !options.leavesOutWhatIsGone,
            !damage.isLeavingOut, nested.count <= options.nestingLimit,
            !nested.contains(where: { form.isCyclic[$0] }),
            !form.reached(from: name, by: \.written).contains(where: {
                form.plans[$0].writesTransientValues || form.plans[$0].ownersMayLeadRound
            })
        else { return nil }
        numbers = EntityNumbers(model, form.schema)
        self.options = options
        self.form = form
        self.context = context
        self.damage = damage
        self.losses = losses
        root = form.plans.first { $0.name == name }?.number
    }

    /// Writes rows of one entity and its sub-entities at the top.
    func write(_ rows: [StoredRow], to writer: inout JSONWriter) throws {
        met.removeAll(keepingCapacity: true)
        if textBytes > Self.textLimit {
            texts.removeAll()
            textBytes = 0
        }
        for object in try read(rows) {
            try note(object, as: root, by: nil)
            try writeNested(object, cameFrom: nil, to: &writer)
        }
    }

    // MARK: Reading

    /// Reads what rows lead to, level by level, but for objects whose texts are there; returns the rows with their lists.
    private func read(_ rows: [StoredRow]) throws -> [StoredObject] {
        var top = [StoredObject?](repeating: nil, count: rows.count)
        var level = [(way: Way.nested(cameFrom: nil), rows: rows)]
        var isTop = true
        while !level.isEmpty {
            var wanted: [(link: Link, ids: [NSManagedObjectID])] = []
            var places: [Link: Int] = [:]
            var seen: Set<Meeting> = []
            for (way, rows) in level {
                let groups = try Dictionary(grouping: rows.indices) { try numbers.number(of: rows[$0].objectID) }
                // In a defined order, so that what can't be read is told in it.
                for (number, indices) in groups.sorted(by: { $0.key < $1.key }) {
                    let (plan, links) = (form.plans[number], links(form.plans[number], way))
                    let lists = links.map(\.number).filter { plan.properties[$0].isToMany }
                    let objects = try context.storedObjects(indices.map { rows[$0] }, lists, plan.properties)
                    for (index, object) in zip(indices, objects) {
                        if isTop {
                            top[index] = object
                        } else {
                            met[Meeting(key: object.objectID.lookupKey, way: way)] = object
                        }
                        for link in links {
                            for id in object.relatedIDs(link.number, plan.properties[link.number]) {
                                let meeting = Meeting(key: id.lookupKey, way: link.way)
                                if link.keepsTexts && texts[meeting] != nil || met[meeting] != nil { continue }
                                guard seen.insert(meeting).inserted else { continue }
                                let place = places[link] ?? wanted.count
                                if place == wanted.count {
                                    places[link] = place
                                    wanted.append((link, []))
                                }
                                wanted[place].ids.append(id)
                            }
                        }
                    }
                }
            }
            level = try wanted.map { link, ids in
                (link.way, try context.storedRows(ids, form.plans[link.destination].name))
            }
            isTop = false
        }
        return top.compactMap(\.self)
    }

    /// The relationships that are written of an object that is met in some way.
    private func links(_ plan: ExportPlan, _ way: Way) -> [Link] {
        let key = LinkKey(plan: plan.number, way: way)
        if let known = links[key] { return known }
        var made: [Link] = []
        switch way {
        case .nested(let inverse):
            made = plan.items.flatMap { links(in: $0, plan) }.filter { $0.number != inverse }
        case .identifier:
            made = plan.identityItems.flatMap { links(in: $0, plan) }
        }
        links[key] = made
        return made
    }

    private func links(in item: ExportPlan.Item, _ plan: ExportPlan) -> [Link] {
        switch item.content {
        case .toOne(let number, let form), .toMany(let number, let form):
            link(number, form, plan.properties[number]).map { [$0] } ?? []
        case .step(let items): items.flatMap { links(in: $0, plan) }
        case .attribute, .transformed, .constant, .stableIdentifier: []
        }
    }

    private func link(
        _ number: Int, _ form: ExportOptions.RelationshipForm, _ property: GraphSchema.Property
    ) -> Link? {
        guard let destination = property.destination else { return nil }
        // Where only one object can lead to another one, that is written once. Texts have no place of their own in a pretty one.
        let isShared = property.inverse.map { self.form.plans[destination].properties[$0].isToMany } ?? true
        return Link(
            number: number, destination: destination,
            way: form == .nested ? .nested(cameFrom: property.inverse) : .identifier,
            keepsTexts: isShared && !options.isPretty && !isSorted(property))
    }

    // MARK: Writing

    func plan(of object: StoredObject) throws -> ExportPlan {
        form.plans[try numbers.number(of: object.objectID)]
    }

    /// Nobody asks: owners never lead round here.
    func owner(_ number: Int, _ property: GraphSchema.Property, of object: StoredObject) -> StoredObject? { nil }

    func isWritten(_ item: ExportPlan.Item, _ pass: ExportPass<Object>) -> Bool { true }

    func requireNull(_ number: Int, _ pass: ExportPass<Object>) throws {
        try damage.requireFile(of: pass.object, pass.plan.properties[number].name)
    }

    func leavesOut(formless value: String, of property: String, from object: StoredObject) throws -> Bool {
        try damage.noteFormless(value, of: property, from: object)
        return true
    }

    func note(
        _ object: StoredObject, as entity: Int?, by link: (property: GraphSchema.Property, owner: StoredObject)?
    ) throws {
        try note(object, as: entity, by: link, in: losses)
    }

    func name(of object: StoredObject, ifNested: Bool) -> String? {
        ifNested ? nil : object.objectID.uriRepresentation().absoluteString
    }

    func writeNested(_ object: StoredObject, cameFrom inverse: Int?, to writer: inout JSONWriter) throws {
        let plan = try plan(of: object)
        try writeObject(
            plan.items, ExportPass(object: object, plan: plan, inverse: inverse, followsRelationships: true),
            to: &writer)
    }

    func ends(
        _ number: Int, _ form: ExportOptions.RelationshipForm, _ pass: ExportPass<Object>
    ) throws -> ExportedEnds<StoredObject> {
        let property = pass.plan.properties[number]
        guard let link = link(number, form, property) else { return .objects([]) }
        let ids = pass.object.relatedIDs(number, property)
        guard link.keepsTexts else {
            return .objects(try ordered(ids.map { try object($0, link, of: pass.plan) }, property))
        }
        return .texts(
            try ids.map { id in
                let meeting = Meeting(key: id.lookupKey, way: link.way)
                if let text = texts[meeting] { return text }
                var writer = JSONWriter(options: options.writerOptions)
                let object = try object(id, link, of: pass.plan)
                try write(object, form, property, of: pass.object, to: &writer)
                let text = [UInt8](try writer.finish())
                // Each place of an object without identity is noted.
                if try losses == nil || isIdentified(object, plan(of: object)) {
                    texts[meeting] = text
                    textBytes += text.count
                }
                return text
            })
    }

    /// The object that a link leads to.
    ///
    /// - Throws: ``GraftError`` with `missingObject` where it isn't there.
    private func object(_ id: NSManagedObjectID, _ link: Link, of plan: ExportPlan) throws -> StoredObject {
        if let object = met[Meeting(key: id.lookupKey, way: link.way)] { return object }
        throw GraftError(
            .missingObject(id.uriRepresentation().absoluteString),
            at: .init(entity: plan.name, property: plan.properties[link.number].name))
    }
}

extension RecordedObject {
    /// The IDs at the other end of a relationship.
    func relatedIDs(_ number: Int, _ property: GraphSchema.Property) -> [NSManagedObjectID] {
        property.isToMany ? memberIDs(number, property) : destinationID(number, property).map { [$0] } ?? []
    }
}
