// Whether changes fit: names and types against the model (an error in any case), values against what is there (a conflict).

extension SnapshotPatcher {
    /// Checks all changes and keeps those that are to be made.
    ///
    /// - Throws: ``GraftError`` for names that the model doesn't have and values of other types than it says.
    mutating func check(_ diff: GraphDiff) throws {
        try checkRepetitions(diff)
        // Insertions come first, owners before what hangs on them: others may refer to them.
        let leaving = Set(diff.deleted.map(\.key))
        for contents in diff.inserted.sortedByOwners(\.key) { try checkInsertion(contents, leaving) }
        for insertion in insertions { checkLinks(of: insertion) }
        var taken: TakenLinks?
        for contents in diff.deleted { try checkDeletion(contents, diff, &taken) }
        for change in diff.changed { try checkChange(change) }
        if policy == .skip, !report.conflicts.isEmpty { leaveOutOtherEnds(diff) }
    }

    // MARK: Objects

    /// Refuses a diff that says one thing of an object twice, such as two files put together: two objects of one
    /// identity would come of it.
    private func checkRepetitions(_ diff: GraphDiff) throws {
        let parts = [
            ("inserts", diff.inserted.map(\.key)), ("deletes", diff.deleted.map(\.key)),
            ("changes", diff.changed.map(\.key)),
        ]
        for (verb, keys) in parts {
            var seen: Set<ObjectKey> = []
            guard let key = keys.first(where: { !seen.insert($0).inserted }) else { continue }
            throw GraftError(
                .other(
                    finding: "the diff \(verb) \(key) twice",
                    remedy: "Make it anew; to put two diffs together, compose them."),
                at: .init(entity: key.entity))
        }
    }

    /// - Parameter leaving: What is deleted by the same diff: an object that becomes one of a super-entity is one of them.
    private mutating func checkInsertion(_ contents: ObjectContents, _ leaving: Set<ObjectKey>) throws {
        let entity = try scope.schema.requiredNumber(ofEntity: contents.key.entity)
        try checkIdentity(contents.key, entity)
        let numbers = try contents.properties.map { try number(of: $0.name, $0.value, entity, contents.key) }
        for (number, property) in zip(numbers, contents.properties) {
            try checkEnds(property.value.ends, property.name, number, entity, contents.key)
            if case .attribute(let value) = property.value {
                try checkIdentity(contents.key, property.name, number, entity, value)
            }
        }
        var row = RowReference.none
        if let known = self.row(of: contents.key), known.entity == entity || !leaving.contains(key(of: known)) {
            if !snapshot.isReference(known.entity, known.row, scope) {
                report.conflicts.append(GraphDiff.Conflict(contents.key, expected: .noObject, found: .object))
                if policy == .skip || known.entity != entity { return }
            }
            if known.entity == entity { row = known }
        }
        accept(Insertion(row: row, contents: contents, numbers: numbers))
    }

    private func checkIdentity(_ key: ObjectKey, _ entity: Int) throws {
        if key.position != nil { return }
        let description = scope.schema.entities[entity]
        let place = GraftError.Place(entity: key.entity)
        if !description.hasIdentity { throw GraftError.unidentifiedObjects(of: key.entity) }
        guard description.isIdentity(key) else {
            throw GraftError(.missingIdentity(attributes: description.identityNames), at: place)
        }
        if key.isRow, key.rowNumber == nil {
            throw GraftError(.wrongType(found: key.description, expected: "the number of a row"), at: place)
        }
        for (value, number) in zip(key.identity, description.identityAttributes) {
            let kind = description.properties[number].attributeKind ?? .transformable
            if !value.isNull, value.isValue(of: kind) { continue }
            throw GraftError(.wrongType(found: value.description, expected: kind.description), at: place)
        }
    }

    /// Refuses a value of an identity's attribute that the object's key contradicts.
    private func checkIdentity(
        _ key: ObjectKey, _ name: String, _ number: Int, _ entity: Int, _ value: GraphValue
    ) throws {
        if key.position != nil || key.isRow { return }
        guard let index = scope.schema.entities[entity].identityAttributes.firstIndex(of: number),
            key.identity.indices.contains(index), key.identity[index] != value
        else { return }
        throw GraftError(
            .wrongType(found: value.description, expected: "\(key.identity[index]), as the object's key says"),
            at: GraftError.Place(entity: key.entity, property: name))
    }

    /// Refuses a link to an object that the relationship can't lead to, as the diff of another model has it.
    private mutating func checkEnds(
        _ ends: [ObjectKey], _ name: String, _ number: Int, _ entity: Int, _ key: ObjectKey
    ) throws {
        guard let destination = scope.schema.entities[entity].properties[number].destination else { return }
        for end in ends {
            // An object may become one of another entity by the same diff.
            let found = [try scope.schema.requiredNumber(ofEntity: end.entity), row(of: end)?.entity].compactMap(\.self)
            if found.contains(where: { scope.schema.isEntity($0, kindOf: destination) }) { continue }
            throw GraftError(
                .wrongType(
                    found: "an object of '\(end.entity)'",
                    expected: "one of '\(scope.schema.entities[destination].name)'"),
                at: GraftError.Place(entity: key.entity, property: name))
        }
    }

    private mutating func checkLinks(of insertion: Insertion) {
        for property in insertion.contents.properties {
            switch property.value {
            case .attribute, .toOne(nil): continue
            case .toOne(let end?): checkIsKnown(end, insertion.contents.key, property.name)
            case .toMany(let ends, _):
                for end in ends { checkIsKnown(end, insertion.contents.key, property.name) }
            }
        }
    }

    /// Notes a reference that would lead nowhere; it is left out.
    private mutating func checkIsKnown(_ end: ObjectKey, _ key: ObjectKey, _ property: String) {
        if isKnown(end) { return }
        report.conflicts.append(
            GraphDiff.Conflict(key, property, expected: .value(.toOne(end)), found: .noObject))
    }

    /// The row of an object that is to be changed or deleted; notes it where there is none. One of a sub-entity, to which a link may
    /// lead by the same key, is another object.
    private mutating func wholeRow(of key: ObjectKey, _ entity: Int) -> RowReference? {
        if let row = row(of: key), row.entity == entity, !snapshot.isReference(row.entity, row.row, scope) {
            return row
        }
        report.conflicts.append(GraphDiff.Conflict(key, expected: .object, found: .noObject))
        return nil
    }

    /// - Parameter taken: What the diff takes away, once something of it is needed.
    private mutating func checkDeletion(
        _ contents: ObjectContents, _ diff: GraphDiff, _ taken: inout TakenLinks?
    ) throws {
        let entity = try scope.schema.requiredNumber(ofEntity: contents.key.entity)
        guard let row = wholeRow(of: contents.key, entity) else { return }
        var fits = true
        var named: Set<Int> = []
        for property in contents.properties {
            let number = try number(of: property.name, property.value, entity, contents.key)
            named.insert(number)
            if !checkValue(property.value, property.name, number, of: row, contents.key) { fits = false }
        }
        for member in scope.entities[row.entity].toOnes + scope.entities[row.entity].toManys
        where !named.contains(member.number) {
            let property = scope.schema.entities[row.entity].properties[member.number]
            let ends = snapshot.uniqueDestinations(of: row, property)
            if !ends.isEmpty {
                let links = taken ?? linksTaken(by: diff)
                taken = links
                if links[.init(row: row, property: member.number), default: []].isSuperset(of: ends) { continue }
            }
            if !checkValue(.nothing(property), property.name, member.number, of: row, contents.key) { fits = false }
        }
        if fits || policy == .force { deletions.append((row, contents)) }
    }

    /// By their other ends, links that a diff takes away, and who has them.
    private typealias TakenLinks = [GraphSnapshot.Cell: Set<RowReference>]

    /// The links that a diff takes away at one end. A diff of nested JSON doesn't name the other one, which follows.
    private mutating func linksTaken(by diff: GraphDiff) -> TakenLinks {
        var taken: TakenLinks = [:]
        func note(_ ends: [ObjectKey], _ name: String, of key: ObjectKey) {
            guard let owner = row(of: key),
                let inverse = scope.schema.entities[owner.entity].property(name)?.inverse
            else { return }
            for case let end? in ends.map({ row(of: $0) }) {
                taken[.init(row: end, property: inverse), default: []].insert(owner)
            }
        }
        for contents in diff.deleted {
            for property in contents.properties { note(property.value.ends, property.name, of: contents.key) }
        }
        for change in diff.changed {
            for property in change.properties {
                switch property.kind {
                case .attribute: continue
                case .toOne(let old, _): note(old.map { [$0] } ?? [], property.name, of: change.key)
                case .toMany(let members): note(members.removed.map(\.key), property.name, of: change.key)
                }
            }
        }
        return taken
    }

    /// Whether a property has a value; notes it where it has another one.
    private mutating func checkValue(
        _ expected: PropertyValue, _ name: String, _ number: Int, of row: RowReference, _ key: ObjectKey
    ) -> Bool {
        guard snapshot.tables[row.entity].hasValue(number, row: row.row) else { return true }
        let found = value(number, of: row)
        if fits(expected, found) { return true }
        report.conflicts.append(GraphDiff.Conflict(key, name, expected: .value(expected), found: .value(found)))
        return false
    }

    private func fits(_ expected: PropertyValue, _ found: PropertyValue) -> Bool {
        switch (expected, found) {
        case (.toMany(let keys, isOrdered: false), .toMany(let found, _)): Set(keys) == Set(found)
        default: expected == found
        }
    }

    /// The value of a row's property in the form of a diff.
    mutating func value(_ number: Int, of row: RowReference) -> PropertyValue {
        let property = scope.schema.entities[row.entity].properties[number]
        if property.isAttribute { return .attribute(snapshot.value(property, of: row)) }
        let ends = snapshot.uniqueDestinations(of: row, property)
        return .links(ends.map { key(of: $0) }, property)
    }

    // MARK: Properties

    private mutating func checkChange(_ change: ObjectChange) throws {
        let entity = try scope.schema.requiredNumber(ofEntity: change.key.entity)
        let numbers = try change.properties.map { try number(of: $0.name, $0.kind.sample, entity, change.key) }
        for (number, property) in zip(numbers, change.properties) {
            try checkEnds(property.kind.ends, property.name, number, entity, change.key)
            if case .attribute(_, let new) = property.kind {
                try checkIdentity(change.key, property.name, number, entity, new)
            }
        }
        guard let row = wholeRow(of: change.key, entity) else { return }
        for (number, property) in zip(numbers, change.properties) {
            let count = report.conflicts.count
            checkProperty(property, number, of: row, change.key)
            if count < report.conflicts.count, policy == .skip { continue }
            let description = scope.schema.entities[row.entity].properties[number]
            edits.append(Edit(row: row, number: number, property: description, kind: property.kind))
        }
    }

    private mutating func checkProperty(
        _ change: PropertyChange, _ number: Int, of row: RowReference, _ key: ObjectKey
    ) {
        let isThere = snapshot.tables[row.entity].hasValue(number, row: row.row)
        switch change.kind {
        case .attribute(let old, _):
            _ = checkValue(.attribute(old), change.name, number, of: row, key)
        case .toOne(let old, let new):
            _ = checkValue(.toOne(old), change.name, number, of: row, key)
            if let new { checkIsKnown(new, key, change.name) }
        case .toMany(let members):
            for member in members.added { checkIsKnown(member.key, key, change.name) }
            if isThere { checkMembers(members, change.name, number, of: row, key) }
        }
    }

    private mutating func checkMembers(
        _ change: MembersChange, _ name: String, _ number: Int, of row: RowReference, _ key: ObjectKey
    ) {
        let property = scope.schema.entities[row.entity].properties[number]
        let members = snapshot.uniqueDestinations(of: row, property)
        let places = Dictionary(members.enumerated().map { ($1, $0) }) { first, _ in first }
        func note(_ expected: GraphDiff.Conflict.State, _ found: GraphDiff.Conflict.State) {
            report.conflicts.append(GraphDiff.Conflict(key, name, expected: expected, found: found))
        }
        for (member, index) in change.removed.map({ ($0.key, $0.index) }) + change.moved.map({ ($0.key, $0.from) }) {
            guard let place = self.row(of: member).flatMap({ places[$0] }) else {
                note(.member(member, index: index), .noMember(member))
                continue
            }
            if let index, index != place { note(.member(member, index: index), .member(member, index: place)) }
        }
        for member in change.added {
            guard let place = self.row(of: member.key).flatMap({ places[$0] }) else { continue }
            note(.noMember(member.key), .member(member.key, index: property.isOrdered ? place : nil))
        }
    }

    /// Whether what a change leads to isn't there yet.
    mutating func changesSomething(_ edit: Edit) -> Bool {
        switch edit.kind {
        case .attribute(_, let new): return !fits(.attribute(new), value(edit.number, of: edit.row))
        case .toOne(_, let new): return !fits(.toOne(new), value(edit.number, of: edit.row))
        case .toMany(let change):
            let members = snapshot.uniqueDestinations(of: edit.row, edit.property)
            let places = Dictionary(members.enumerated().map { ($1, $0) }) { first, _ in first }
            func place(_ key: ObjectKey) -> Int? { row(of: key).flatMap { places[$0] } }
            return change.removed.contains { place($0.key) != nil } || change.added.contains { place($0.key) == nil }
                || change.moved.contains { place($0.key) != $0.to }
        }
    }

    // MARK: Names

    /// The number of a property that can have such a value.
    private func number(of name: String, _ sample: PropertyValue, _ entity: Int, _ key: ObjectKey) throws -> Int {
        let number = try scope.schema.requiredNumber(ofProperty: name, in: entity)
        let property = scope.schema.entities[entity].properties[number]
        let place = GraftError.Place(entity: key.entity, property: name)
        switch (sample, property.kind) {
        case (.attribute(let value), .attribute(let kind)):
            if value.isValue(of: kind) { return number }
            throw GraftError(.wrongType(found: value.description, expected: kind.description), at: place)
        case (.toOne, .toOne), (.toMany, .toMany): return number
        case (_, .attribute(let kind)):
            throw GraftError(.wrongType(found: "a change of a relationship", expected: kind.description), at: place)
        case (_, .toOne):
            throw GraftError(
                .wrongType(found: "a change of another kind", expected: "a to-one relationship"), at: place)
        case (_, .toMany):
            throw GraftError(
                .wrongType(found: "a change of another kind", expected: "a to-many relationship"), at: place)
        }
    }
}

extension PropertyChange.Kind {
    /// The objects that a relationship led or leads to, as far as the change names them.
    package var ends: [ObjectKey] {
        switch self {
        case .attribute: []
        case .toOne(let old, let new): [old, new].compactMap(\.self)
        case .toMany(let change): change.removed.map(\.key) + change.added.map(\.key) + change.moved.map(\.key)
        }
    }

    /// The new value, to see of which kind it is.
    fileprivate var sample: PropertyValue {
        switch self {
        case .attribute(_, let new): .attribute(new)
        case .toOne(_, let new): .toOne(new)
        case .toMany: .toMany([], isOrdered: false)
        }
    }
}
