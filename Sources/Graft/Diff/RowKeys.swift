// The keys of a snapshot's rows. Those with an identity have it in the row; the others are found from these, level by level,
// by the shortest way, and of equally short ones by the first in the order of keys. So the same graph gives the same keys,
// in whatever order its rows stand.

/// The keys of the rows of a snapshot.
struct RowKeys {
    private let schema: GraphSchema
    /// By row without identity; only those that a way leads to.
    private(set) var positions: [RowReference: ObjectKey.Position] = [:]
    /// The rows that are known by their contents alone, in their order.
    var rowsByContents: [RowReference] { positions.filter { $0.value.contents != nil }.keys.sorted() }
    /// How many rows and links were looked at.
    private(set) var stepCount = 0

    /// - Parameters:
    ///   - hasUnidentified: Whether there are rows without identity; without them there is nothing to look for.
    ///   - top: A row from which ways begin, whatever identifies it.
    init(
        _ snapshot: borrowing GraphSnapshot, _ scope: DiffScope, hasUnidentified: Bool, matchesRootsByPosition: Bool,
        top: RowReference? = nil
    ) {
        schema = snapshot.schema
        guard hasUnidentified else { return }
        let owners = PositionOwners(scope, schema)
        var level: [RowReference] = []
        if let top {
            positions[top] = ObjectKey.Position(root: -1)
            level.append(top)
        }
        if matchesRootsByPosition {
            for (index, root) in snapshot.roots.enumerated() {
                let root = snapshot.resolved(root)
                guard !snapshot.isIdentified(root), positions[root] == nil else { continue }
                positions[root] = ObjectKey.Position(root: index)
                level.append(root)
            }
        }
        for entity in snapshot.tables.indices where !owners.relationships[entity].isEmpty {
            for row in snapshot.liveRows(of: entity) {
                let reference = RowReference(entity: entity, row: row)
                if snapshot.isIdentified(reference) { level.append(reference) }
            }
        }
        let told = owners.toldByMembers(snapshot, schema)
        for _ in 0..<ObjectKey.Position.maximumStepCount where !level.isEmpty {
            level = addLevel(below: level, snapshot, owners, told)
        }
        addContents(snapshot, scope)
    }

    /// Names what nothing leads to by its contents: attributes, and what it is linked to as far as that is known. Of objects with
    /// the same contents each one gets a number; which one, what they are linked to decides.
    private mutating func addContents(_ snapshot: borrowing GraphSnapshot, _ scope: DiffScope) {
        var rows: [RowReference] = []
        for entity in snapshot.tables.indices {
            for row in snapshot.liveRows(of: entity) {
                let reference = RowReference(entity: entity, row: row)
                if snapshot.isIdentified(reference) || positions[reference] != nil { continue }
                // What isn't there as a whole has no contents.
                if snapshot.isReference(entity, row, scope) { continue }
                rows.append(reference)
            }
        }
        if rows.isEmpty { return }
        // In JSON it may be the owner alone who says it.
        let owners = snapshot.ownersThatSaySo(of: Set(rows))
        var marks: [RowReference: String] = [:]
        for row in rows { marks[row] = mark(of: row, owners[row] ?? [:], snapshot, scope) }
        let refined = refined(marks, snapshot, scope)
        let ordered = marks.keys.sorted { one, other in
            let (mark, otherMark) = (refined[one] ?? "", refined[other] ?? "")
            return mark == otherMark ? one < other : mark < otherMark
        }
        struct Group: Hashable { var entity: Int, mark: String }
        var counts: [Group: Int] = [:]
        for row in ordered {
            let group = Group(entity: row.entity, mark: marks[row] ?? "")
            positions[row] = ObjectKey.Position(contents: group.mark, number: counts[group, default: 0])
            counts[group, default: 0] += 1
        }
    }

    private mutating func mark(
        of reference: RowReference, _ owners: [Int: RowReference], _ snapshot: borrowing GraphSnapshot,
        _ scope: DiffScope
    ) -> String {
        var mark = ContentMark()
        let properties = schema.entities[reference.entity].properties
        for member in scope.entities[reference.entity].attributes {
            let value = snapshot.tables[reference.entity].value(member.column, row: reference.row)
            mark.mix(value, of: properties[member.number].name)
        }
        for member in scope.entities[reference.entity].toOnes + scope.entities[reference.entity].toManys {
            let ends =
                owners[member.number].map { [$0] } ?? snapshot.destinations(of: reference, properties[member.number])
            stepCount += ends.count
            var names = ends.compactMap { end in
                snapshot.identityKey(of: end)?.description ?? positions[end].map { "\($0.sortText)" }
            }
            if names.isEmpty { continue }
            if !member.isOrdered { names.sort() }
            mark.mix(properties[member.number].name)
            for name in names { mark.mix(name) }
        }
        return mark.text
    }

    /// Marks that heed what objects of which only the contents are known are linked to, some links deep.
    private mutating func refined(
        _ marks: [RowReference: String], _ snapshot: borrowing GraphSnapshot, _ scope: DiffScope
    ) -> [RowReference: String] {
        if Set(marks.values).count == marks.count { return marks }
        let links = links(among: marks, snapshot, scope)
        var refined = marks
        for _ in 0..<Self.refinementCount {
            var next = refined
            for (row, links) in links {
                var mark = ContentMark()
                mark.mix(refined[row] ?? "")
                for (name, text) in links.map({ ($0.name, refined[$0.end] ?? "") }).sorted(by: <) {
                    mark.mix(name)
                    mark.mix(text)
                }
                next[row] = mark.text
            }
            refined = next
        }
        return refined
    }

    /// A relationship, in an ordered one with the place, and what it leads to.
    private struct Link: Hashable {
        var name: String
        var end: RowReference
    }

    /// The links among some rows, from both ends, whichever says it.
    private mutating func links(
        among rows: [RowReference: String], _ snapshot: borrowing GraphSnapshot, _ scope: DiffScope
    ) -> [RowReference: Set<Link>] {
        var links: [RowReference: Set<Link>] = [:]
        for row in rows.keys {
            for member in scope.entities[row.entity].toOnes + scope.entities[row.entity].toManys {
                let property = schema.entities[row.entity].properties[member.number]
                let ends = snapshot.destinations(of: row, property)
                stepCount += ends.count
                for (index, end) in ends.enumerated() where rows[end] != nil {
                    let name = member.isOrdered ? "\(property.name) \(index)" : property.name
                    links[row, default: []].insert(Link(name: name, end: end))
                    guard let inverse = property.inverse, scope.entities[end.entity].contains[inverse],
                        case let back = schema.entities[end.entity].properties[inverse], !back.isOrdered
                    else { continue }
                    links[end, default: []].insert(Link(name: back.name, end: row))
                }
            }
        }
        return links
    }

    private static let refinementCount = 6

    /// Gives positions to what the rows of one level lead to, and returns these rows.
    private mutating func addLevel(
        below level: [RowReference], _ snapshot: borrowing GraphSnapshot, _ owners: PositionOwners,
        _ told: [RowReference: [PositionOwners.Told]]
    ) -> [RowReference] {
        var found: [RowReference: ObjectKey.Position] = [:]
        for owner in level {
            for number in owners.relationships[owner.entity] {
                let property = schema.entities[owner.entity].properties[number]
                var members = snapshot.destinations(of: owner, property)
                if members.isEmpty, let told = told[owner]?.first(where: { $0.property == number }) {
                    members = [told.member]
                }
                for (index, member) in members.enumerated() {
                    stepCount += 1
                    guard !snapshot.isIdentified(member), positions[member] == nil else { continue }
                    var way = position(of: owner, snapshot)
                    way.steps.append(.init(property.name, index))
                    if let other = found[member], other < way { continue }
                    found[member] = way
                }
            }
        }
        positions.merge(found) { first, _ in first }
        return found.keys.sorted()
    }

    private func position(of owner: RowReference, _ snapshot: borrowing GraphSnapshot) -> ObjectKey.Position {
        if let position = positions[owner] { return position }
        let key = snapshot.identityKey(of: owner)
        var position = ObjectKey.Position(
            entity: schema.entities[owner.entity].name, identity: key?.identity ?? [], owners: key?.owners ?? [],
            steps: [])
        position.isRow = key?.isRow ?? false
        return position
    }

    /// The key of a row.
    ///
    /// - Throws: ``GraftError`` with `missingIdentity` or `invalidMapping` for a row that nothing identifies.
    func key(of reference: RowReference, _ snapshot: borrowing GraphSnapshot) throws -> ObjectKey {
        if let key = snapshot.identityKey(of: reference) { return key }
        if let position = positions[reference] {
            return ObjectKey(schema.entities[reference.entity].name, at: position)
        }
        throw unidentified(reference, snapshot)
    }

    /// The error for a row that nothing identifies. Where it is the owner that lacks an identity, it is about the owner.
    func unidentified(_ reference: RowReference, _ snapshot: borrowing GraphSnapshot) -> GraftError {
        var reference = reference
        for _ in 0..<ObjectKey.Position.maximumStepCount {
            let entity = schema.entities[reference.entity]
            if !entity.hasIdentity || entity.isByRow == true { return GraftError.unidentifiedObjects(of: entity.name) }
            let missing = entity.identityAttributes.filter {
                snapshot.tables[reference.entity].value(entity.properties[$0].column, row: reference.row).isNull
            }
            let owners = entity.identityRelationships.flatMap { number in
                snapshot.destinations(of: reference, entity.properties[number])
            }
            guard missing.isEmpty, let owner = owners.first(where: { !snapshot.isIdentified($0) }), owner != reference
            else {
                let names = missing.isEmpty ? entity.identityNames : missing.map { entity.properties[$0].name }
                return GraftError(.missingIdentity(attributes: names), at: .init(entity: entity.name))
            }
            reference = owner
        }
        let entity = schema.entities[reference.entity]
        return GraftError(.missingIdentity(attributes: entity.identityNames), at: .init(entity: entity.name))
    }
}

extension GraftError {
    /// The error for objects that a diff can't tell apart.
    static func unidentifiedObjects(of entity: String) -> GraftError {
        GraftError(
            .invalidMapping(
                reason: "the entity has no identity, so its objects can't be told apart in a diff",
                remedy:
                    "Name what tells them apart (--key \(entity)=ATTRIBUTE, keys of DiffOptions), or declare it: "
                    + "'identityAttributes' or 'id' in the entity's user info, or a uniqueness constraint. Or make the "
                    + "relationship that leads to it ordered, or exclude that relationship from diffs."),
            at: .init(entity: entity))
    }
}

/// The relationships in which a place tells objects apart.
private struct PositionOwners {
    /// Their numbers by entity.
    var relationships: [[Int]] = []

    init(_ scope: DiffScope, _ schema: GraphSchema) {
        for (number, entity) in schema.entities.enumerated() {
            var numbers: [Int] = []
            for (index, property) in entity.properties.enumerated() where scope.entities[number].contains[index] {
                if property.isOrdered || !property.isAttribute && !property.isToMany && property.isOwning {
                    numbers.append(index)
                }
            }
            relationships.append(numbers)
        }
    }

    /// An object that says itself to whose relationship to one object it belongs.
    struct Told {
        var property: Int
        var member: RowReference
    }

    /// What rows without identity say of their owners, which needn't say it, too: in JSON one side of a link is enough.
    func toldByMembers(_ snapshot: borrowing GraphSnapshot, _ schema: GraphSchema) -> [RowReference: [Told]] {
        var told: [RowReference: [Told]] = [:]
        for (entity, description) in schema.entities.enumerated() {
            for property in description.properties {
                guard schema.isExclusive(property), let destination = property.destination,
                    let inverse = property.inverse,
                    relationships[destination].contains(inverse)
                else { continue }
                for row in snapshot.liveRows(of: entity) {
                    let member = RowReference(entity: entity, row: row)
                    if snapshot.isIdentified(member) { continue }
                    for owner in snapshot.destinations(of: member, property) {
                        told[owner, default: []].append(Told(property: inverse, member: member))
                    }
                }
            }
        }
        return told
    }
}

extension ObjectKey.Position {
    /// The way as a text that is the same for the same way.
    fileprivate var sortText: String { ObjectKey("", at: self).description }
}
