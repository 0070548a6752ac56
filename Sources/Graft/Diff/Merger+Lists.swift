// Lists without inverse. An object is in the list of one owner, as in a store (Import/ListOwners.swift), so that two sides which put it
// into the lists of two owners contradict each other. Nothing of the object itself says so: the conflict is about the object, and its
// property is the list's, with the entity that has it: `Note 9 Book.notes`.

extension Merger {
    /// An object in the lists of a relationship.
    struct ListPlace: Hashable, Comparable {
        var member: ObjectKey
        /// The topmost entity that has the relationship.
        var entity: Int
        var name: String

        static func < (one: ListPlace, other: ListPlace) -> Bool {
            if (one.member, one.entity) != (other.member, other.entity) {
                return (one.member, one.entity) < (other.member, other.entity)
            }
            return one.name.precedesInBytes(other.name)
        }
    }

    /// Settles in whose lists objects are that each side gave to another owner.
    mutating func settleListOwners() throws {
        let added = (ours: try newOwners(ours), theirs: try newOwners(theirs))
        let our = added.ours.filter { !gone.contains($0.value) }
        let their = added.theirs.filter { !gone.contains($0.value) }
        let places = our.keys.filter { their[$0] != nil && their[$0] != our[$0] && !gone.contains($0.member) }
        let changed = Set(ours.changed.keys).union(theirs.changed.keys)
        let owners = baseOwners(of: places, among: changed)
        for place in places.sorted() {
            let before = owners[place]
            let conflict = GraphMerge.Conflict(
                .values, place.member, "\(scope.schema.entities[place.entity].name).\(place.name)",
                base: .value(.toOne(before)), ours: .value(.toOne(our[place])), theirs: .value(.toOne(their[place])))
            let owner: ObjectKey? =
                switch settle(conflict) {
                case .ours: our[place]
                case .theirs: their[place]
                default: before
                }
            listOwners[place] = .some(owner)
        }
        // Who put an object into the list of an owner that goes has taken it out of no other one's.
        let lost = Set(added.ours.keys).union(added.theirs.keys).subtracting(our.keys).subtracting(their.keys)
        for (place, before) in baseOwners(of: Array(lost), among: changed)
        where lost.contains(place) && !gone.contains(place.member) {
            let isTaken =
                added.ours[place] == nil && removes(place, before, ours)
                || added.theirs[place] == nil && removes(place, before, theirs)
            if !isTaken { listOwners[place] = .some(before) }
        }
        // Who deleted an owner that stays has taken nothing out of its list, and may have put it into another one.
        let all = Set(our.keys).union(their.keys)
        for (place, before) in baseOwners(of: Array(all), among: kept)
        where all.contains(place) && !gone.contains(place.member) {
            let owner = if let settled = listOwners[place] { settled } else { our[place] ?? their[place] }
            guard let owner, owner != before else { continue }
            listOwners[place] = .some(owner)
            losingLists[before, default: []].insert(place.name)
        }
    }

    /// The place of an object in a list without inverse; nil for other properties. Throws for names that the model doesn't have.
    func listPlace(of member: ObjectKey, _ owner: ObjectKey, _ name: String) throws -> ListPlace? {
        _ = try property(name, of: owner)
        return scope.schema.listPlace(of: member, owner.entity, name)
    }

    /// Whether a side takes an object out of an owner's list.
    private func removes(_ place: ListPlace, _ owner: ObjectKey, _ side: Side) -> Bool {
        guard case .toMany(let members)? = side.changed[owner]?[place.name] else { return false }
        return members.removed.contains { $0.key == place.member }
    }

    /// The owners to whose lists a side has added objects: of several, one that stays.
    private func newOwners(_ side: Side) throws -> [ListPlace: ObjectKey] {
        var owners: [ListPlace: ObjectKey] = [:]
        func add(_ members: [ObjectKey], _ owner: ObjectKey, _ name: String) throws {
            for member in members {
                guard let place = try listPlace(of: member, owner, name) else { return }
                if owners[place] == nil || !gone.contains(owner) { owners[place] = owner }
            }
        }
        for (key, change) in side.changed {
            for property in change.properties {
                if case .toMany(let members) = property.kind { try add(members.added.map(\.key), key, property.name) }
            }
        }
        for (key, contents) in side.inserted {
            for property in contents.properties {
                if case .toMany(let members, _) = property.value { try add(members, key, property.name) }
            }
        }
        return owners
    }

    /// In whose lists the base has objects, of some owners: of the first of several. Other objects in these lists are there, too.
    private func baseOwners(of places: [ListPlace], among objects: Set<ObjectKey>) -> [ListPlace: ObjectKey] {
        let names = Dictionary(grouping: places, by: \.entity).mapValues { Set($0.map(\.name)) }
        if names.isEmpty { return [:] }
        var owners: [ListPlace: ObjectKey] = [:]
        for owner in objects.subtracting(gone).sorted() {
            guard let number = scope.schema.number(ofEntity: owner.entity) else { continue }
            for (entity, names) in names where scope.schema.isEntity(number, kindOf: entity) {
                for name in names {
                    for member in baseMembers(of: owner, name) {
                        let place = ListPlace(member: member, entity: entity, name: name)
                        if owners[place] == nil { owners[place] = owner }
                    }
                }
            }
        }
        return owners
    }
}
