// Links between objects. Each is one thing with two ends, whichever end a diff names it at; an end that can hold one link
// loses the old one to a new one. All that go are taken away before any is added.

/// The rows that a relationship leads to, in order, with places known where there are many.
struct LinkList {
    /// With gaps where rows were taken out.
    private var items: [RowReference]
    private var places: [RowReference: Int]?

    private static let indexThreshold = 16

    init(_ rows: [RowReference]) { items = rows }

    var rows: [RowReference] { items.filter { !$0.isNone } }

    private mutating func place(of row: RowReference) -> Int? {
        if items.count <= Self.indexThreshold { return items.firstIndex(of: row) }
        if let places { return places[row] }
        var places: [RowReference: Int] = [:]
        for (index, item) in items.enumerated() where !item.isNone { places[item] = index }
        self.places = places
        return places[row]
    }

    mutating func contains(_ row: RowReference) -> Bool { place(of: row) != nil }

    mutating func append(_ row: RowReference) {
        items.append(row)
        places?[row] = items.count - 1
    }

    mutating func remove(_ row: RowReference) {
        guard let place = place(of: row) else { return }
        items[place] = .none
        places?[row] = nil
    }
}

extension SnapshotPatcher {
    /// Makes the changes of relationships.
    mutating func changeLinks() throws {
        for deletion in deletions { unlinkContents(deletion) }
        for insertion in insertions where !insertion.isNew { unlinkNamed(insertion) }
        for edit in edits { unlinkOld(edit) }
        for insertion in insertions { linkContents(insertion) }
        for edit in edits { linkNew(edit) }
        for insertion in insertions { orderContents(insertion) }
        for edit in edits { order(edit) }
    }

    // MARK: Taking away

    /// What a diff says of a deleted object's links goes with it, whatever the delete rules say: an object that was owned may
    /// have another owner now.
    private mutating func unlinkContents(_ deletion: (row: RowReference, contents: ObjectContents)) {
        for (property, number) in named(deletion.contents, of: deletion.row) {
            for end in property.value.ends {
                if let end = row(of: end) { unlink(deletion.row, number, end) }
            }
        }
    }

    /// An object that is overwritten loses what it has in the relationships that the diff names.
    private mutating func unlinkNamed(_ insertion: Insertion) {
        for number in insertion.numbers {
            for end in ends(insertion.row, number) { unlink(insertion.row, number, end) }
        }
    }

    private mutating func unlinkOld(_ edit: Edit) {
        switch edit.kind {
        case .attribute: return
        case .toOne:
            for end in ends(edit.row, edit.number) { unlink(edit.row, edit.number, end) }
        case .toMany(let change):
            for member in change.removed {
                if let end = row(of: member.key) { unlink(edit.row, edit.number, end) }
            }
        }
    }

    // MARK: Adding

    private mutating func linkContents(_ insertion: Insertion) {
        // What identifies an object is said by its key, too.
        let key = insertion.contents.key
        for (number, owner) in zip(scope.schema.entities[insertion.row.entity].identityRelationships, key.owners)
        where insertion.isNew {
            if let end = owner.flatMap({ self.end(of: $0) }) { link(insertion.row, number, end) }
        }
        for (property, number) in named(insertion.contents, of: insertion.row) {
            for end in property.value.ends {
                if let end = self.end(of: end) { link(insertion.row, number, end) }
            }
        }
    }

    private mutating func linkNew(_ edit: Edit) {
        switch edit.kind {
        case .attribute, .toOne(_, nil): return
        case .toOne(_, let new?):
            if let end = end(of: new) { link(edit.row, edit.number, end) }
        case .toMany(let change):
            for member in change.added {
                if let end = end(of: member.key) { link(edit.row, edit.number, end) }
            }
        }
        snapshot.tables[edit.row.entity].markPresent(edit.number, row: edit.row.row)
    }

    // MARK: Order

    private mutating func orderContents(_ insertion: Insertion) {
        for (property, number) in named(insertion.contents, of: insertion.row) {
            guard case .toMany(let keys, isOrdered: true) = property.value else { continue }
            arrange(insertion.row, number, keys.compactMap { row(of: $0) })
        }
    }

    private mutating func order(_ edit: Edit) {
        guard edit.property.isOrdered, case .toMany(let change) = edit.kind else { return }
        let before = snapshot.uniqueDestinations(of: edit.row, edit.property)
        var rows: [ObjectKey: RowReference] = [:]
        let keys = change.removed.map(\.key) + change.added.map(\.key) + change.moved.map(\.key)
        for key in keys { rows[key] = row(of: key) }
        arrange(edit.row, edit.number, change.applied(to: before, isOrdered: true) { rows[$0] })
    }

    /// Puts the members of an ordered relationship into an order; those that it doesn't name follow.
    private mutating func arrange(_ row: RowReference, _ number: Int, _ wanted: [RowReference]) {
        let present = ends(row, number)
        let known = Set(present)
        let named = Set(wanted)
        let arranged = wanted.filter(known.contains) + present.filter { !named.contains($0) }
        links[GraphSnapshot.Cell(row: row, property: number)] = LinkList(arranged)
    }

    // MARK: Links

    /// The rows that a relationship leads to now.
    func ends(_ row: RowReference, _ number: Int) -> [RowReference] {
        if let list = links[GraphSnapshot.Cell(row: row, property: number)] { return list.rows }
        let property = scope.schema.entities[row.entity].properties[number]
        return property.isAttribute ? [] : snapshot.uniqueDestinations(of: row, property)
    }

    mutating func unlink(_ row: RowReference, _ number: Int, _ end: RowReference) {
        take(end, from: row, number)
        if let inverse = scope.schema.entities[row.entity].properties[number].inverse { take(row, from: end, inverse) }
    }

    private mutating func link(_ row: RowReference, _ number: Int, _ end: RowReference) {
        let property = scope.schema.entities[row.entity].properties[number]
        snapshot.tables[row.entity].markPresent(number, row: row.row)
        place(end, row, number, property)
        guard let inverse = property.inverse, hasValue(inverse, of: end) else { return }
        place(row, end, inverse, scope.schema.entities[end.entity].properties[inverse])
    }

    /// Adds a row at one end of a link; an end for one gives up what it had.
    private mutating func place(
        _ other: RowReference, _ row: RowReference, _ number: Int, _ property: GraphSchema.Property
    ) {
        var list = takeList(row, number)
        guard !list.contains(other) else {
            links[GraphSnapshot.Cell(row: row, property: number)] = list
            return
        }
        if !property.isToMany {
            let old = list.rows
            for end in old { list.remove(end) }
            links[GraphSnapshot.Cell(row: row, property: number)] = list
            if let inverse = property.inverse { for end in old { take(row, from: end, inverse) } }
            list = takeList(row, number)
        }
        list.append(other)
        links[GraphSnapshot.Cell(row: row, property: number)] = list
    }

    private mutating func take(_ other: RowReference, from row: RowReference, _ number: Int) {
        guard hasValue(number, of: row) else { return }
        var list = takeList(row, number)
        list.remove(other)
        links[GraphSnapshot.Cell(row: row, property: number)] = list
    }

    /// Whether a property is known of a row. An object that is about to become one of a sub-entity doesn't have all of its properties.
    private func hasValue(_ number: Int, of row: RowReference) -> Bool {
        number < scope.schema.entities[row.entity].properties.count
            && snapshot.tables[row.entity].hasValue(number, row: row.row)
    }

    /// Takes a list out of the table of touched ones, so that it can be changed in place.
    private mutating func takeList(_ row: RowReference, _ number: Int) -> LinkList {
        links.removeValue(forKey: GraphSnapshot.Cell(row: row, property: number)) ?? LinkList(ends(row, number))
    }

    /// Writes all links that were touched into the tables.
    mutating func writeLinks() throws {
        for (cell, list) in links.sorted(by: { $0.key < $1.key }) {
            let property = scope.schema.entities[cell.row.entity].properties[cell.property]
            try snapshot.set(list.rows, property, cell.property, of: cell.row)
        }
    }

    private func named(
        _ contents: ObjectContents, of row: RowReference
    ) -> [(property: PropertyContents, number: Int)] {
        contents.properties.compactMap { property in
            let number = scope.schema.entities[row.entity].number(ofProperty: property.name)
            return number.map { (property, $0) }
        }
    }
}

extension PropertyValue {
    /// What a relationship has that leads to some objects.
    static func links(_ keys: [ObjectKey], _ property: GraphSchema.Property) -> PropertyValue {
        guard property.isToMany else { return .toOne(keys.first) }
        return .toMany(property.isOrdered ? keys : keys.sorted(), isOrdered: property.isOrdered)
    }

    /// What an object that nothing was given has in a property.
    static func nothing(_ property: GraphSchema.Property) -> PropertyValue {
        property.isAttribute ? .attribute(.null) : .links([], property)
    }

    /// The objects that a relationship leads to.
    package var ends: [ObjectKey] {
        switch self {
        case .attribute, .toOne(nil): []
        case .toOne(let key?): [key]
        case .toMany(let keys, _): keys
        }
    }
}
