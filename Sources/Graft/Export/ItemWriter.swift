// The keys of one object in JSON, be it a managed object (ObjectWriter.swift) or a row of a snapshot (RowWriter.swift). What it
// leads to, and what of that is nested in full, those two say.

import CoreData

/// What holds for all keys of one object.
struct ExportPass<Object> {
    var object: Object
    var plan: ExportPlan
    /// The relationship that is left out, because it leads back.
    var inverse: Int?
    /// What has changed, if only that is written.
    var change: ExportChanges.Change?
    var followsRelationships: Bool
}

/// What is at the other end of a relationship, in the order in which it is written.
enum ExportedEnds<Object> {
    /// Objects that have been nested in full before, by their identifiers: they needn't be there themselves.
    case known([(plan: ExportPlan, identifier: GraphValue)])
    /// What is written of objects, made when the first of those that lead to them was.
    case texts([[UInt8]])
    case objects([Object])

    var isEmpty: Bool {
        switch self {
        case .known(let known): known.isEmpty
        case .texts(let texts): texts.isEmpty
        case .objects(let objects): objects.isEmpty
        }
    }
}

/// Writes objects by the ordinary mapping.
protocol ItemWriter: AnyObject {
    associatedtype Object: ExportedObject

    var options: ExportOptions { get }

    func plan(of object: Object) throws -> ExportPlan

    /// The owner to which a to-one relationship leads, if it can be read. Nothing is taken note of: it is asked for before it is written.
    func owner(_ number: Int, _ property: GraphSchema.Property, of object: Object) throws -> Object?

    /// Whether a key is written where only changes are.
    func isWritten(_ item: ExportPlan.Item, _ pass: ExportPass<Object>) throws -> Bool

    /// Refuses an attribute without value that has one in truth.
    func requireNull(_ number: Int, _ pass: ExportPass<Object>) throws

    /// Whether a value that has no form in JSON is left out; takes note of it then.
    func leavesOut(formless value: String, of property: String, from object: Object) throws -> Bool

    func ends(_ number: Int, _ form: ExportOptions.RelationshipForm, _ pass: ExportPass<Object>) throws -> ExportedEnds<
        Object
    >

    /// Takes note of an object that is written where one of an entity is expected.
    ///
    /// - Parameter link: The relationship that leads to it, and the object that has it; nil at the top.
    func note(_ object: Object, as entity: Int?, by link: (property: GraphSchema.Property, owner: Object)?) throws

    /// What an object without identity is called; nil where it has no name.
    ///
    /// - Parameter ifNested: Whether it has one only after it has been nested in full: its other keys are there.
    func name(of object: Object, ifNested: Bool) throws -> String?

    /// Writes an object with all its keys or, if it isn't to be nested here, as its identifier.
    ///
    /// - Parameter inverse: The relationship that leads back to where the object was met, which is left out.
    func writeNested(_ object: Object, cameFrom inverse: Int?, to writer: inout JSONWriter) throws
}

extension ItemWriter {
    func write(_ items: [ExportPlan.Item], _ pass: ExportPass<Object>, to writer: inout JSONWriter) throws {
        let (object, plan) = (pass.object, pass.plan)
        for item in items {
            if pass.change != nil, try !isWritten(item, pass) { continue }
            switch item.content {
            case .attribute(let number, let converter):
                var value = try object.graphValue(number, plan.properties[number])
                if value.isNull {
                    try requireNull(number, pass)
                } else if !value.hasJSONForm,
                    try leavesOut(formless: value.description, of: plan.properties[number].name, from: object)
                {
                    value = .null
                }
                if value.isNull, !item.writesNull { continue }
                try writer.key(item.key)
                try plan.write(value, number, converter, to: &writer)
            case .transformed(let number, let transformer):
                // A transformer that has no JSON value for this one takes the key away, as in Groot.
                guard let json = try json(number, of: object, plan, by: transformer) else { continue }
                if json.isNull, !item.writesNull { continue }
                try writer.key(item.key)
                try writer.value(json)
            case .toOne(let number, let form):
                guard pass.followsRelationships, number != pass.inverse else { continue }
                let ends = try ends(number, form, pass)
                if ends.isEmpty, !item.writesNull { continue }
                try writer.key(item.key)
                if ends.isEmpty { try writer.null() }
                try write(ends, form, plan.properties[number], of: object, to: &writer)
            case .toMany(let number, let form):
                guard pass.followsRelationships, number != pass.inverse else { continue }
                let ends = try ends(number, form, pass)
                // Among changes, an empty array says that the members have gone.
                if ends.isEmpty, !item.writesNull, pass.change == nil { continue }
                try writer.key(item.key)
                try writer.beginArray()
                try write(ends, form, plan.properties[number], of: object, to: &writer)
                try writer.endArray()
            case .constant(let text):
                try writer.key(item.key)
                try writer.string(text)
            case .stableIdentifier:
                guard try !isIdentified(object, plan), let name = try name(of: object, ifNested: false) else {
                    continue
                }
                try writer.key(item.key)
                try writer.string(name)
            case .step(let items):
                try writer.key(item.key)
                try writer.beginObject()
                try write(items, pass, to: &writer)
                try writer.endObject()
            }
        }
    }

    private func json(
        _ number: Int, of object: Object, _ plan: ExportPlan, by transformer: NamedTransformer
    ) throws -> JSONValue? {
        do {
            return try plan.json(number, of: object, by: transformer)
        } catch let error as GraftError {
            guard case .notRepresentable(let value, _) = error.problem,
                try leavesOut(formless: value, of: plan.properties[number].name, from: object)
            else { throw error }
            return .null
        }
    }

    private func write(
        _ ends: ExportedEnds<Object>, _ form: ExportOptions.RelationshipForm, _ property: GraphSchema.Property,
        of owner: Object, to writer: inout JSONWriter
    ) throws {
        switch ends {
        case .known(let known):
            for (plan, identifier) in known { try write(known: identifier, plan, to: &writer) }
        case .texts(let texts):
            for text in texts { try writer.value(text: text.span) }
        case .objects(let objects):
            for object in objects { try write(object, form, property, of: owner, to: &writer) }
        }
    }

    /// Writes the identifier of an object that has been nested in full before.
    func write(known identifier: GraphValue, _ plan: ExportPlan, to writer: inout JSONWriter) throws {
        // What has no form was left out of the object itself, and noted.
        try plan.write(bareIdentifier: identifier.hasJSONForm ? identifier : .null, to: &writer)
    }

    /// Writes an object that a relationship leads to.
    func write(
        _ object: Object, _ form: ExportOptions.RelationshipForm, _ property: GraphSchema.Property,
        of owner: Object, to writer: inout JSONWriter
    ) throws {
        if form == .nested {
            try note(object, as: property.destination, by: (property, owner))
            return try writeNested(object, cameFrom: property.inverse, to: &writer)
        }
        let plan = try plan(of: object)
        if try writeIdentifier(of: object, plan, to: &writer) { return }
        try note(object, as: property.destination, by: (property, owner))
        try writeObject(plan.items, ExportPass(object: object, plan: plan, followsRelationships: false), to: &writer)
    }

    /// The members of a relationship, as they are ordered or, where they aren't and keys are sorted, by their identity: the
    /// same graph then gives the same text, whichever store it is in.
    func ordered(_ members: [Object], _ property: GraphSchema.Property) throws -> [Object] {
        guard isSorted(property), members.count > 1 else { return members }
        let keys = try members.map { member in
            let plan = try self.plan(of: member)
            let attributes = plan.identity.filter { plan.properties[$0].isAttribute }
            return try attributes.map { try member.graphValue($0, plan.properties[$0]) }
        }
        return members.indices.sorted { keys[$0].precedes(keys[$1]) ?? ($0 < $1) }.map { members[$0] }
    }

    /// Whether members are put in the order of their identities.
    func isSorted(_ property: GraphSchema.Property) -> Bool {
        options.sortsKeys && property.isToMany && !property.isOrdered
    }

    /// Whether an object has a complete identity, and the mapping a place for it. As in snapshots (Diff/RowIdentity.swift), owners that
    /// lead round or too far identify nothing; an owner without identity is written without its own, and ends the way.
    func isIdentified(_ object: Object, _ plan: ExportPlan) throws -> Bool {
        guard try plan.hasIdentity(object) else { return false }
        return try !plan.ownersMayLeadRound || ownersEnd(object, plan, depth: 0)
    }

    private func ownersEnd(_ object: Object, _ plan: ExportPlan, depth: Int) throws -> Bool {
        for number in plan.identity where !plan.properties[number].isAttribute {
            guard depth < GraphSchema.maximumOwnerDepth else { return false }
            guard let owner = try owner(number, plan.properties[number], of: object) else { continue }
            let ownersPlan = try self.plan(of: owner)
            guard try !ownersPlan.hasIdentity(owner) || ownersEnd(owner, ownersPlan, depth: depth + 1) else {
                return false
            }
        }
        return true
    }

    func writeObject(_ items: [ExportPlan.Item], _ pass: ExportPass<Object>, to writer: inout JSONWriter) throws {
        try writer.beginObject()
        try write(items, pass, to: &writer)
        try writer.endObject()
    }

    /// Writes the identifier of an object: one value, or an object with several, or with the name of an object that has no
    /// identity. Returns false where there is none of these.
    func writeIdentifier(of object: Object, _ plan: ExportPlan, to writer: inout JSONWriter) throws -> Bool {
        guard try isIdentified(object, plan) else {
            guard let key = options.stableIdentifierKey, let name = try name(of: object, ifNested: true) else {
                return false
            }
            try writer.beginObject()
            try writer.key(key)
            try writer.string(name)
            try writer.endObject()
            return true
        }
        if let identifier = try plan.bareIdentifier(of: object), !identifier.hasJSONForm,
            try leavesOut(
                formless: identifier.description, of: plan.properties[plan.identity[0]].name, from: object)
        {
            try writer.null()
            return true
        }
        if try plan.writeBareIdentifier(of: object, to: &writer) { return true }
        try writeObject(
            plan.identityItems, ExportPass(object: object, plan: plan, followsRelationships: true), to: &writer)
        return true
    }
}

extension ItemWriter where Object: RecordedObject {
    /// Takes note of an object in what a text doesn't tell, if somebody wants to know that.
    func note(
        _ object: Object, as entity: Int?, by link: (property: GraphSchema.Property, owner: Object)?,
        in losses: ExportLosses?
    ) throws {
        guard let losses, let entity else { return }
        let plan = try plan(of: object)
        let isIdentified = try options.stableIdentifierKey != nil || isIdentified(object, plan)
        losses.note(
            object.objectID, plan, isIdentified: isIdentified, as: entity,
            by: link.map { ($0.property, $0.owner.objectID) })
        try losses.noteHidden(of: object, object.objectID, plan)
    }
}
