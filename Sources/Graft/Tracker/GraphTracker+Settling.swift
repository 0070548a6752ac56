// Settling what waits. The objects have the user's values, and the last known state of the server has its own: what is chosen is a
// change of the objects as they are now.

import CoreData

extension GraphTracker {
    /// Settles a conflict: the objects get the value that is chosen, and are saved. Unsaved changes are saved first.
    ///
    /// - Throws: ``GraftError`` for a conflict that isn't waiting; what saving throws. The conflict is then still waiting.
    public func settle(_ conflict: GraphMerge.Conflict, _ choice: GraphMerge.Choice) throws {
        guard let index = state.conflicts.firstIndex(of: conflict) else {
            throw GraftError(
                .other(
                    finding: "there is no such conflict of \(conflict.key)", remedy: "Settle one of the conflicts."),
                at: .init(entity: conflict.key.entity, property: conflict.property))
        }
        if case .value(let value) = choice { try conflict.check(value, state.base.schema) }
        if choice != .ours {
            try save()
            let here = try current()
            let decision = try IdentityDecision(state.base.schema, diffOptions, [state.base, here])
            let sides = try ConflictSides([conflict], here, state.base, diffOptions, decision.identification)
            try change(Settlement(conflict, sides).diffs(to: choice))
        }
        var next = state
        next.conflicts.remove(at: index)
        try persist(next)
    }

    /// What is left of conflicts that waited before an answer: those about which both sides aren't the same by now, with what the
    /// server has now.
    func unsettled(
        _ conflicts: [GraphMerge.Conflict], _ here: GraphSnapshot, _ server: GraphSnapshot,
        _ identification: GraphDiff.Identification
    ) throws -> [GraphMerge.Conflict] {
        if conflicts.isEmpty { return [] }
        let sides = try ConflictSides(conflicts, here, server, diffOptions, identification)
        return conflicts.compactMap { Settlement($0, sides).left }
    }

    /// Changes the objects in several saves, or not at all.
    private func change(_ diffs: [GraphDiff]) throws {
        var done: [GraphDiff] = []
        do {
            for diff in diffs {
                try change(diff)
                done.append(diff)
            }
        } catch {
            for diff in done.reversed() { try change(diff.inverted) }
            throw error
        }
    }
}

/// The objects as they are here and as the server has them.
private struct ConflictSides {
    struct Side {
        let snapshot: GraphSnapshot
        let objects: [ObjectKey: ObjectContents]
        /// Who has the objects of conflicts about links that are known at that end alone.
        let owners: [Merger.ListPlace: ObjectKey]

        /// An object and what it owns, at any depth.
        func owned(by key: ObjectKey) -> [ObjectContents] {
            snapshot.ownedKeys(by: [key]).sorted().compactMap { objects[$0] }
        }
    }

    let identification: GraphDiff.Identification
    let here: Side
    let server: Side
    private let scope: DiffScope

    var schema: GraphSchema { scope.schema }

    init(
        _ conflicts: [GraphMerge.Conflict], _ here: GraphSnapshot, _ server: GraphSnapshot, _ options: DiffOptions,
        _ identification: GraphDiff.Identification
    ) throws {
        let scope = try DiffScope(here.schema, options)
        let places = Set(conflicts.compactMap { Self.otherEnd(of: $0, scope) })
        func side(_ snapshot: GraphSnapshot) throws -> Side {
            let contents = try snapshot.contents(options, identifiedBy: identification)
            return Side(
                snapshot: try snapshot.identified(by: identification),
                objects: Dictionary(contents.map { ($0.key, $0) }) { first, _ in first },
                owners: Self.owners(of: places, among: contents, scope.schema))
        }
        self.identification = identification
        self.scope = scope
        self.here = try side(here)
        self.server = try side(server)
    }

    /// Where a link is known that a conflict is about, if its object says nothing of it: in a list without inverse, or in what leads to the
    /// object where the way back takes no part in diffs.
    func otherEnd(of conflict: GraphMerge.Conflict) -> Merger.ListPlace? { Self.otherEnd(of: conflict, scope) }

    private static func otherEnd(of conflict: GraphMerge.Conflict, _ scope: DiffScope) -> Merger.ListPlace? {
        let schema = scope.schema
        if let place = conflict.listPlace(schema) { return place }
        guard let name = conflict.property, let entity = schema.number(ofEntity: conflict.key.entity),
            let number = schema.entities[entity].number(ofProperty: name), !scope.entities[entity].contains[number]
        else { return nil }
        let property = schema.entities[entity].properties[number]
        guard !property.isToMany, let destination = property.destination, let inverse = property.inverse else {
            return nil
        }
        return Merger.ListPlace(
            member: conflict.key, entity: schema.declaringEntity(of: inverse, destination),
            name: schema.entities[destination].properties[inverse].name)
    }

    /// Who has the objects; of several the first.
    private static func owners(
        of places: Set<Merger.ListPlace>, among objects: [ObjectContents], _ schema: GraphSchema
    ) -> [Merger.ListPlace: ObjectKey] {
        let names = Dictionary(grouping: places, by: \.entity).mapValues { Set($0.map(\.name)) }
        if names.isEmpty { return [:] }
        var owners: [Merger.ListPlace: ObjectKey] = [:]
        for object in objects {
            guard let number = schema.number(ofEntity: object.key.entity) else { continue }
            for (entity, names) in names where schema.isEntity(number, kindOf: entity) {
                for property in object.properties where names.contains(property.name) {
                    for member in property.value.ends {
                        let place = Merger.ListPlace(member: member, entity: entity, name: property.name)
                        if places.contains(place), owners[place] == nil { owners[place] = object.key }
                    }
                }
            }
        }
        return owners
    }
}

/// A conflict with what both sides have now, and what leads from here to a choice.
private struct Settlement {
    private let conflict: GraphMerge.Conflict
    /// Where the link is known that it is about, if not at the object.
    private let otherEnd: Merger.ListPlace?
    private let schema: GraphSchema
    private let identification: GraphDiff.Identification
    private let here: ConflictSides.Side
    private let server: ConflictSides.Side

    init(_ conflict: GraphMerge.Conflict, _ sides: ConflictSides) {
        self.conflict = conflict
        otherEnd = sides.otherEnd(of: conflict)
        (schema, identification) = (sides.schema, sides.identification)
        (here, server) = (sides.here, sides.server)
    }

    // MARK: Versions

    /// What a side has now; nil where that can't be told, because an object without identity may be called otherwise by now.
    private func version(_ side: ConflictSides.Side) -> GraphMerge.Conflict.Version? {
        let object = side.objects[conflict.key]
        if object == nil, conflict.key.position != nil || conflict.key.isRow { return nil }
        guard let name = conflict.property else { return object.map { .object($0) } ?? .noObject }
        if let otherEnd { return object == nil ? .noObject : .value(.toOne(side.owners[otherEnd])) }
        guard let property = schema.property(name, of: conflict.key) else { return nil }
        return object.map { .value($0[name] ?? .nothing(property)) } ?? .noObject
    }

    /// The conflict with what the server has now; nil where there is none any more. One of uniqueness is about the values that the
    /// server has whenever it is settled.
    var left: GraphMerge.Conflict? {
        if let other = conflict.other, conflict.isOfObjects {
            return here.objects[conflict.key] == nil || server.objects[other] == nil ? nil : conflict
        }
        guard conflict.kind != .uniqueness, let ours = version(here), let theirs = version(server) else {
            return conflict
        }
        let haveObjects = [ours, theirs].map { $0 != .noObject }
        if conflict.property == nil {
            if haveObjects[0] == haveObjects[1] { return nil }
        } else {
            // Of an object that is gone, the object alone can be a conflict.
            let hadObjects = [conflict.ours, conflict.theirs].map { $0 != .noObject }
            if ours == theirs || zip(hadObjects, haveObjects).contains(where: { $0 && !$1 }) { return nil }
        }
        var left = conflict
        left.theirs = theirs
        return left
    }

    /// The version that a choice takes. The server's is the present one.
    private func version(_ choice: GraphMerge.Choice) -> GraphMerge.Conflict.Version {
        switch choice {
        case .ours: conflict.ours
        case .theirs: version(server) ?? conflict.theirs
        case .base: conflict.base
        case .value(let value): .value(.attribute(value))
        }
    }

    // MARK: Choices

    /// What makes a choice out of what is here, one save after the other; empty where it is so already.
    ///
    /// - Throws: ``GraftError`` for a choice that can't be made.
    func diffs(to choice: GraphMerge.Choice) throws -> [GraphDiff] {
        let diffs =
            if let other = conflict.other {
                try conflict.isOfObjects ? oneOfTwo(other, choice) : unique(other, choice)
            } else {
                [try diff(to: version(choice), choice)]
            }
        return diffs.map { diff in
            var diff = diff
            diff.identification = identification
            return diff
        }
    }

    private func diff(to wanted: GraphMerge.Conflict.Version, _ choice: GraphMerge.Choice) throws -> GraphDiff {
        guard let name = conflict.property else { return try objects(wanted) }
        let value: PropertyValue?
        switch wanted {
        case .value(let wanted): value = wanted
        // Before, there wasn't an object that had one.
        case .noObject where choice == .base: value = nil
        case .noObject, .object: throw refusal
        }
        if let otherEnd { return try moving(otherEnd, to: value ?? .toOne(nil)) }
        guard let property = schema.property(name, of: conflict.key) else { throw refusal }
        return try diff(name, property, to: value ?? .nothing(property))
    }

    private var refusal: GraftError {
        conflict.refusal("taking that side", remedy: "Change the objects, and settle it with 'ours'.")
    }

    // MARK: Objects

    /// What an object owns goes with it, and comes back with it.
    private func objects(_ wanted: GraphMerge.Conflict.Version) throws -> GraphDiff {
        switch wanted {
        case .noObject: return GraphDiff(deleted: here.owned(by: conflict.key))
        case .object(let contents):
            guard here.objects[conflict.key] == nil else { throw refusal }
            return comingBack(server.objects[conflict.key] ?? contents)
        case .value: throw refusal
        }
    }

    /// What brings an object of the server's here, with all that it owns there.
    private func comingBack(_ object: ObjectContents) -> GraphDiff {
        let owned = server.owned(by: object.key).filter { here.objects[$0.key] == nil && $0.key != object.key }
        return GraphDiff(inserted: leavingOutLinksToDeleted([object] + owned))
    }

    /// Of two objects only one can be, and ours is here.
    private func oneOfTwo(_ other: ObjectKey, _ choice: GraphMerge.Choice) throws -> [GraphDiff] {
        let deletion = GraphDiff(deleted: here.owned(by: conflict.key))
        switch choice {
        case .ours: return []
        case .theirs: return [deletion] + (server.objects[other].map { [comingBack($0)] } ?? [])
        case .base: return [deletion]
        case .value: throw refusal
        }
    }

    /// The objects without links to what was deleted here and may wait, too. What brings that back brings the link, by its other end.
    private func leavingOutLinksToDeleted(_ objects: [ObjectContents]) -> [ObjectContents] {
        let coming = Set(objects.map(\.key))
        func isHere(_ end: ObjectKey) -> Bool {
            here.objects[end] != nil || server.objects[end] == nil || coming.contains(end)
        }
        return objects.map { object in
            ObjectContents(
                object.key,
                object.properties.compactMap { content in
                    guard schema.property(content.name, of: object.key)?.inverse != nil else { return content }
                    return content.value.leading(where: isHere).map { PropertyContents(content.name, $0) }
                })
        }
    }

    // MARK: Properties

    private func diff(_ name: String, _ property: GraphSchema.Property, to wanted: PropertyValue) throws -> GraphDiff {
        guard let object = here.objects[conflict.key] else { throw refusal }
        let old = object[name] ?? .nothing(property)
        var wanted = wanted
        if conflict.kind == .order, case .toMany(let members, _) = old, case .toMany(let list, true) = wanted {
            wanted = .toMany(Self.reordered(members, like: list), isOrdered: true)
        }
        guard let kind = PropertyChange.Kind(from: old, to: wanted) else { throw refusal }
        return GraphDiff(changed: [ObjectChange(conflict.key, kind.isEmpty ? [] : [PropertyChange(name, kind)])])
    }

    /// A list in the order of another one, as far as that has its members. The others keep their places.
    private static func reordered(_ list: [ObjectKey], like other: [ObjectKey]) -> [ObjectKey] {
        let (members, wanted) = (Set(list), Set(other))
        var next = other.filter(members.contains).makeIterator()
        return list.map { wanted.contains($0) ? next.next() ?? $0 : $0 }
    }

    // MARK: Links that are known at the other end

    /// Who has the object gives it up, and another one takes it.
    private func moving(_ place: Merger.ListPlace, to wanted: PropertyValue) throws -> GraphDiff {
        guard case .toOne(let new) = wanted, here.objects[place.member] != nil else { throw refusal }
        let old = here.owners[place]
        if old == new { return GraphDiff() }
        var changes: [ObjectChange] = []
        if let old {
            changes.append(try change(of: place.name, old) { list in list.filter { $0 != place.member } })
        }
        if let new { changes.append(try change(of: place.name, new) { adding(place, to: $0, of: new) }) }
        return GraphDiff(changed: changes)
    }

    private func change(
        of name: String, _ owner: ObjectKey, _ edit: ([ObjectKey]) -> [ObjectKey]
    ) throws -> ObjectChange {
        guard let object = here.objects[owner], let property = schema.property(name, of: owner) else { throw refusal }
        let old = object[name] ?? .nothing(property)
        guard let kind = PropertyChange.Kind(from: old, to: PropertyValue.links(edit(old.ends), property)) else {
            throw refusal
        }
        return ObjectChange(owner, [PropertyChange(name, kind)])
    }

    /// A list with the object: behind the member that it follows on the server, or at the end. Who can have one object has that.
    private func adding(_ place: Merger.ListPlace, to members: [ObjectKey], of owner: ObjectKey) -> [ObjectKey] {
        if schema.property(place.name, of: owner)?.isToMany == false { return [place.member] }
        let list = server.objects[owner]?[place.name]?.ends ?? []
        guard let index = list.firstIndex(of: place.member) else { return members + [place.member] }
        var result = members
        let previous = list[..<index].last { members.contains($0) }
        result.insert(place.member, at: previous.flatMap { members.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
        return result
    }

    // MARK: Uniqueness

    /// Our object has its values, and the other one had to give way. So each choice is about both, and ours comes first: a
    /// store doesn't let one row take a value before another one has given it up.
    private func unique(_ other: ObjectKey, _ choice: GraphMerge.Choice) throws -> [GraphDiff] {
        guard let name = conflict.property else { throw refusal }
        let names = conflict.properties(schema)
        switch choice {
        case .ours: return []
        case .theirs: return [servers(conflict.key, names), servers(other, names)]
        case .base:
            var values: [String: GraphValue] = [:]
            // The conflict knows what the one with the lower key had.
            if conflict.key < other { values[name] = .null }
            if conflict.key < other, case .value(.attribute(let old)) = conflict.base { values[name] = old }
            return [servers(conflict.key, names, but: values)]
        case .value(let value):
            return [servers(conflict.key, [name], but: [name: value]), servers(other, names)]
        }
    }

    /// Gives an object the server's values, or some that are chosen.
    private func servers(_ key: ObjectKey, _ names: [String], but chosen: [String: GraphValue] = [:]) -> GraphDiff {
        guard let object = here.objects[key] else { return GraphDiff() }
        let changes = names.compactMap { name -> PropertyChange? in
            guard case .attribute(let old)? = object[name] else { return nil }
            var new = chosen[name] ?? .null
            if chosen[name] == nil, case .attribute(let value)? = server.objects[key]?[name] { new = value }
            let kind = PropertyChange.Kind.attribute(old: old, new: new)
            return kind.isEmpty ? nil : PropertyChange(name, kind)
        }
        return GraphDiff(changed: [ObjectChange(key, changes)])
    }
}

extension GraphSnapshot {
    /// Some objects and all that they own, by key.
    func ownedKeys(by keys: [ObjectKey]) -> Set<ObjectKey> {
        if keys.isEmpty { return [] }
        let index = RelatedIndex(self)
        return Set(keys).union(owned(by: keys.compactMap { index.row(of: $0, in: self) }).compactMap(identityKey))
    }
}
