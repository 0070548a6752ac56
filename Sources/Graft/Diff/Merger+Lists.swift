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
        let (our, their) = (try newOwners(ours), try newOwners(theirs))
        let places = our.keys.filter { their[$0] != nil && their[$0] != our[$0] && !gone.contains($0.member) }
        let owners = baseOwners(of: places, among: Set(ours.changed.keys).union(theirs.changed.keys))
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

    /// The place of an object in a list without inverse; nil for other relationships.
    func listPlace(of member: ObjectKey, _ owner: ObjectKey, _ name: String) throws -> ListPlace? {
        let property = try property(name, of: owner)
        guard property.isToMany, property.inverse == nil else { return nil }
        let entity = try scope.schema.requiredNumber(ofEntity: owner.entity)
        let number = try scope.schema.requiredNumber(ofProperty: name, in: entity)
        return ListPlace(member: member, entity: scope.schema.declaringEntity(of: number, entity), name: name)
    }

    /// The owners to whose lists a side has added objects.
    private func newOwners(_ side: Side) throws -> [ListPlace: ObjectKey] {
        var owners: [ListPlace: ObjectKey] = [:]
        func add(_ members: [ObjectKey], _ owner: ObjectKey, _ name: String) throws {
            for member in members {
                guard let place = try listPlace(of: member, owner, name) else { return }
                owners[place] = owner
            }
        }
        for (key, change) in side.changed where !gone.contains(key) {
            for property in change.properties {
                if case .toMany(let members) = property.kind { try add(members.added.map(\.key), key, property.name) }
            }
        }
        for (key, contents) in side.inserted where !gone.contains(key) {
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
