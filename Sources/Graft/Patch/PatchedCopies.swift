// The export of an entity has an object wherever others lead to it, and a patch changes some of these copies. What counts is what a
// copy says else than it did before the patch:
//
//     before    {"id": 1, "team": {"id": "a", "title": "A", "tags": [7]}}     {"id": 2, "team": {"id": "a", "title": "A", "tags": [7]}}
//     patched   {"id": 1, "team": {"id": "a", "tags": [7]}}                   {"id": 2, "team": {"id": "a", "title": "A", "tags": [7, 8]}}
//     meant     the team a has no title any more, and the tags 7 and 8
//
// A copy is known by the objects that lead to it, not by indexes, so that one that a patch moves within a list has changed nothing.
// Where its object didn't stand before, a copy says nothing by what it leaves out.

import CoreData
import Foundation

extension GraphSnapshot {
    /// Reads the export of an entity, each copy of an object as a row of its own. Identifiers alone have one row for each object.
    ///
    /// - Throws: ``GraftError`` with the place in the text.
    init(
        copiesIn text: Data, entity: String, _ model: NSManagedObjectModel, _ mapping: GraphMapping,
        _ options: ImportOptions
    ) throws {
        var reader = try JSONSnapshotReader(.data(text), model, mapping, entityName: entity, options)
        reader.snapshot.keepsRepeatedRows = true
        reader.snapshot.passedOver = [:]
        while try reader.readBatch(rowLimit: .max) {}
        self = reader.takeBatch()
    }

    /// Makes one row of all copies of an object in a patched text: of each property it has what the patch changed in any of them.
    ///
    /// - Parameters:
    ///   - old: The copies before the patch.
    ///   - isAlone: Whether the patch is about the first object at the top, and not about a list.
    /// - Throws: ``GraftError`` for copies in which a property was changed in different ways, and for what was changed below a key that
    ///   nothing is mapped to.
    mutating func mergeCopies(since old: GraphSnapshot, _ mapping: GraphMapping, isAlone: Bool) throws {
        var copies = PatchedCopies(old: old, new: self, mapping, isAlone: isAlone)
        try copies.settle()
        self = copies.new
        // All copies count, whatever versions they tell.
        versions = []
        mergeRepeatedRows()
        // What only copies lead to that don't speak any more is there no longer, unless the patch changes it all the same.
        let unreached = rows(unreachedFrom: rootReferences) { $0.allDestinations(of: $1) }
        let changed = unreached.filter { copies.isChanged($0, in: self) }
        for row in rows(unreachedFrom: rootReferences + changed, { $0.allDestinations(of: $1) }) { remove(row) }
        relatedRows.removeAll { tables[$0.reference.entity].flags[$0.reference.row].contains(.dead) }
    }
}

/// The copies of objects in the export of an entity, before and after a patch.
struct PatchedCopies {
    /// An object as it stands in a text.
    struct Copy {
        let row: RowReference
        let key: ObjectKey?
        let place: Int
        /// The number of the copy in which this one is nested; nil at the top.
        let owner: Int?
        let property: Int
        let index: Int
    }

    /// Where a copy is: in the copy at another place. An object without identity is known by its index.
    private struct Place: Hashable {
        var owner: Int?
        var property: Int
        var key: ObjectKey?
        var index: Int
    }

    /// What a copy says of a property: an object without identity is what it contains.
    indirect enum Statement: Hashable {
        case value(PropertyValue)
        case list([Statement])
        case members([Statement: Int])
        case contents(entity: Int, [Int: Statement])
    }

    let old: GraphSnapshot
    private(set) var new: GraphSnapshot
    let mapping: GraphMapping
    private let isAlone: Bool
    private var places: [Place: Int] = [:]
    /// The copies of objects before the patch.
    private(set) var oldRows: [ObjectKey: [RowReference]] = [:]
    /// What a copy was before.
    private var rowsBefore: [RowReference: RowReference] = [:]

    init(old: GraphSnapshot, new: GraphSnapshot, _ mapping: GraphMapping, isAlone: Bool) {
        (self.old, self.new, self.mapping, self.isAlone) = (old, new, mapping, isAlone)
    }

    /// Lets only a copy that the patch has changed speak of a property, where there is any.
    mutating func settle() throws {
        var rowsByPlace: [Int: [RowReference]] = [:]
        let copiesBefore = self.copies(in: old)
        for copy in copiesBefore {
            guard let key = copy.key else { continue }
            rowsByPlace[copy.place, default: []].append(copy.row)
            oldRows[key, default: []].append(copy.row)
        }
        let copies = self.copies(in: new)
        try checkPassedOverOfUnidentified(copiesBefore, copies)
        var (keys, numbers): ([ObjectKey], [ObjectKey: [Int]]) = ([], [:])
        // Copies with the same text are one row.
        var rows: Set<RowReference> = []
        for (number, copy) in copies.enumerated() {
            guard let key = copy.key else { continue }
            let before = rowsByPlace[copy.place]?.first
            try checkPassedOver(number, key, since: before, copies)
            if let before {
                rowsByPlace[copy.place]?.removeFirst()
                rowsBefore[copy.row] = before
                clearWhatIsMissing(in: copy.row, since: before)
            }
            guard rows.insert(copy.row).inserted else { continue }
            if numbers[key] == nil { keys.append(key) }
            numbers[key, default: []].append(number)
        }
        for key in keys { try settle(key, numbers[key] ?? [], copies) }
    }

    /// Whether a row says something else of its object than the text before the patch.
    func isChanged(_ row: RowReference, in snapshot: GraphSnapshot) -> Bool {
        guard let key = snapshot.generalKey(of: row) else { return false }
        return properties(of: row.entity).contains {
            snapshot.says($0, row) && isNew(statement($0, of: row, snapshot), oldRows[key] ?? [], $0, row.entity)
        }
    }

    /// Whether none of an object's copies says something of a property.
    private func isNew(_ said: Statement, _ rows: [RowReference], _ property: Int, _ entity: Int) -> Bool {
        !rows.contains { old.says(property, of: entity, $0) && statement(property, of: $0, old) == said }
    }

    private mutating func settle(_ key: ObjectKey, _ numbers: [Int], _ copies: [Copy]) throws {
        // Some relationships may show an object as one of a super-entity.
        let entities = numbers.map { copies[$0].row.entity }
        let entity = entities.max {
            new.schema.entities[$0].properties.count < new.schema.entities[$1].properties.count
        }
        guard numbers.count > 1, let entity else { return }
        for property in properties(of: entity) {
            let speaking = numbers.filter { new.says(property, of: entity, copies[$0].row) }
            guard speaking.count > 1 else { continue }
            let changed = speaking.map { ($0, statement(property, of: copies[$0].row, new)) }.filter { number, said in
                let before = rowsBefore[copies[number].row].map { [$0] } ?? oldRows[key] ?? []
                return isNew(said, before, property, entity)
            }
            guard let first = changed.first else { continue }
            if let other = changed.first(where: { $0.1 != first.1 }) {
                throw contradiction(property, first, other, copies)
            }
            for number in speaking where number != first.0 {
                new.clear(property, of: copies[number].row, isSaid: false)
            }
        }
    }

    /// What a copy said before and doesn't say any more is null.
    private mutating func clearWhatIsMissing(in row: RowReference, since before: RowReference) {
        for property in properties(of: row.entity)
        where old.says(property, of: row.entity, before) && !new.says(property, row) {
            new.clear(property, of: row, isSaid: true)
        }
    }

    /// The properties that don't identify their object.
    private func properties(of entity: Int) -> [Int] {
        let entity = new.schema.entities[entity]
        return entity.properties.indices.filter { !(entity.identity + entity.relatedIdentity).contains($0) }
    }

    /// The objects of a text, those at the top first, without identifiers alone.
    private mutating func copies(in snapshot: GraphSnapshot) -> [Copy] {
        var copies: [Copy] = []
        for (index, row) in snapshot.rootReferences.enumerated() { add(row, nil, -1, index, snapshot, &copies) }
        var number = 0
        while number < copies.count {
            let row = copies[number].row
            for (property, description) in snapshot.schema.entities[row.entity].properties.enumerated()
            where !description.isAttribute && snapshot.says(property, row) {
                for (index, end) in snapshot.destinations(of: row, description).enumerated() {
                    add(end, number, property, index, snapshot, &copies)
                }
            }
            number += 1
        }
        return copies
    }

    private mutating func add(
        _ row: RowReference, _ owner: Int?, _ property: Int, _ index: Int, _ snapshot: GraphSnapshot,
        _ copies: inout [Copy]
    ) {
        // Rows that are kept apart aren't in the index; those of identifiers alone are.
        if let key = snapshot.identityKey(of: row), snapshot.row(of: key) == row { return }
        let key = snapshot.generalKey(of: row)
        let place = Place(
            owner: owner.map { copies[$0].place }, property: property, key: key, index: key == nil ? index : 0)
        let number = places[place] ?? places.count
        places[place] = number
        copies.append(Copy(row: row, key: key, place: number, owner: owner, property: property, index: index))
    }

    // MARK: Statements

    private func statement(_ number: Int, of row: RowReference, _ snapshot: GraphSnapshot) -> Statement {
        let property = snapshot.schema.entities[row.entity].properties[number]
        if property.isAttribute { return .value(.attribute(snapshot.value(property, of: row))) }
        let ends = snapshot.uniqueDestinations(of: row, property).map { end in
            snapshot.generalKey(of: end).map { .value(.toOne($0)) } ?? contents(of: end, snapshot)
        }
        guard property.isToMany, !property.isOrdered else { return .list(ends) }
        return .members(Dictionary(ends.map { ($0, 1) }, uniquingKeysWith: +))
    }

    func contents(of row: RowReference, _ snapshot: GraphSnapshot) -> Statement {
        let said = properties(of: row.entity).filter { snapshot.says($0, row) }
        return .contents(
            entity: row.entity,
            Dictionary(uniqueKeysWithValues: said.map { ($0, statement($0, of: row, snapshot)) }))
    }

    // MARK: Errors

    private func contradiction(
        _ number: Int, _ one: (Int, Statement), _ other: (Int, Statement), _ copies: [Copy]
    ) -> GraftError {
        let row = copies[one.0].row
        let entity = new.schema.entities[row.entity]
        let key = new.identityKey(of: row)?.description ?? entity.name
        let name = entity.properties[number].name
        func text(_ copy: Int, _ statement: Statement) -> String {
            let keys = path(of: number, copies[copy].row.entity)
            return "to \(words(for: statement)) at \(keys.reduce(pointer(to: copy, copies)) { $0.appending($1) })"
        }
        return GraftError(
            .other(
                finding: "the patch changes '\(name)' in several copies of \(key), \(text(one.0, one.1)) and "
                    + text(other.0, other.1),
                remedy:
                    "Change them alike, or patch the objects of the entity \(entity.name) (--entity \(entity.name))."),
            at: .init(entity: entity.name, property: name))
    }

    private func path(of property: Int, _ entity: Int) -> [String] {
        mapping.entities[entity].properties[property]?.path ?? []
    }

    func pointer(to number: Int, _ copies: [Copy]) -> JSONPatch.Pointer {
        let copy = copies[number]
        guard let owner = copy.owner else { return JSONPatch.Pointer(isAlone ? [] : ["\(copy.index)"]) }
        let entity = copies[owner].row.entity
        let list = path(of: copy.property, entity).reduce(pointer(to: owner, copies)) { $0.appending($1) }
        return new.schema.entities[entity].properties[copy.property].isToMany ? list.appending(copy.index) : list
    }

    private func words(for statement: Statement) -> String {
        switch statement {
        case .value(.attribute(let value)): value.description
        case .value(.toOne(let key)): key?.description ?? "null"
        case .value(.toMany(let keys, _)): keys.description
        case .list(let ends): ends.isEmpty ? "nothing" : ends.map(words).joined(separator: ", ")
        case .members(let ends): ends.isEmpty ? "nothing" : ends.keys.map(words).sorted().joined(separator: ", ")
        case .contents(let entity, let contents):
            "\(new.schema.entities[entity].name) ("
                + contents.sorted { $0.key < $1.key }.map { words(for: $0.value) }.joined(separator: ", ") + ")"
        }
    }
}

extension GraphSnapshot {
    /// Whether a row says something of a property.
    fileprivate func says(_ property: Int, _ row: RowReference) -> Bool {
        tables[row.entity].hasValue(property, row: row.row)
    }

    /// Whether a row says something of a property of another entity that its own one has as well.
    fileprivate func says(_ property: Int, of entity: Int, _ row: RowReference) -> Bool {
        property < schema.commonPropertyCount(entity, row.entity) && says(property, row)
    }

    /// The key of an object, whichever of the entities with its identity it is shown as.
    fileprivate func generalKey(of row: RowReference) -> ObjectKey? {
        var key = identityKey(of: row)
        key?.entity = schema.entities[schema.entities[row.entity].identitySpace].name
        return key
    }

    /// What a row leads to.
    fileprivate func allDestinations(of row: RowReference) -> [RowReference] {
        schema.entities[row.entity].properties.enumerated()
            .filter { !$1.isAttribute && (says($0, row) || schema.entities[row.entity].relatedIdentity.contains($0)) }
            .flatMap { destinations(of: row, $1) }
    }

    /// Lets a row have nothing in a property.
    ///
    /// - Parameter isSaid: Whether that is what the row says; otherwise it says nothing of the property.
    fileprivate mutating func clear(_ number: Int, of row: RowReference, isSaid: Bool) {
        let property = schema.entities[row.entity].properties[number]
        tables[row.entity].clear(property, row: row.row)
        removals[Cell(row: row, property: number)] = nil
        if isSaid {
            tables[row.entity].markPresent(number, row: row.row)
        } else {
            tables[row.entity].markAbsent(number, row: row.row)
        }
    }
}
