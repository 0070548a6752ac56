// From the rows that were read to objects of a context. Finding, making and filling objects is the importer's work
// (Import/BatchImporter.swift); what dictionaries do otherwise is here: a given object is filled, members are added, and
// nothing is validated, because the caller may go on filling before it saves.

import CoreData

/// Reads dictionaries into a context: all of them, or nothing.
struct DictionaryPopulator {
    /// What one call has made.
    struct Result {
        var objects: [NSManagedObject]
        var report: ImportReport
    }

    /// A relationship of an object.
    private struct End: Hashable {
        var object: ObjectIdentifier
        var property: Int
    }

    private let context: NSManagedObjectContext
    private let model: NSManagedObjectModel
    let compiled: CompiledModel
    private let options: PopulateOptions

    init(_ context: NSManagedObjectContext, _ options: PopulateOptions) throws {
        let model = try context.requiredModel()
        self.context = context
        self.model = model
        self.options = options
        compiled = try CompiledModel.of(model)
    }

    /// Makes or updates the objects of some dictionaries.
    ///
    /// - Parameters:
    ///   - entity: The entity of the objects at the top; nil where their dictionaries say it.
    ///   - given: The object that the only dictionary is about; nil where one has to be found or made.
    ///   - isArray: Whether the dictionaries are elements of an array, for the paths in errors.
    ///   - passedOver: Where their text has members that don't count.
    ///   - check: Looks at each object of the result, which it may refuse.
    /// - Throws: ``GraftError``, and what the check throws. The context is then as it was.
    func populate(
        _ dictionaries: [[String: Any]], entity: NSEntityDescription?, given: NSManagedObject? = nil, isArray: Bool,
        passedOver: [[GraftError.Place.PathComponent]] = [],
        check: (NSManagedObject, _ index: Int) throws -> Void = { _, _ in }
    ) throws -> Result {
        let entityNumber = try entity.map(compiled.number)
        var reader = try read(dictionaries[...], entityNumber, from: isArray ? 0 : nil)
        try reader.note(passedOver: passedOver)
        try reader.report.throwFailures(options.failurePolicy)
        var report = reader.report
        // What such a member is, is told by what has come of the dictionaries before; what is copied several times has several rows.
        let isInParts = options.makesCopies ? reader.repeatsCopies : reader.restatesMembers
        let parts = isInParts ? dictionaries.indices.map { $0..<$0 + 1 } : [dictionaries.indices]
        let importer = try BatchImporter(
            compiled.unmapped(), context: context, model: model,
            options: ImportOptions(),
            keepsObjects: options.existingObjects != .insert)
        importer.deletions.references.includesIdentified = options.membersPolicy == .replaceAndDelete
        do {
            return try importer.editor.atomically {
                var objects: [NSManagedObject] = []
                var taken = TakenOut()
                for (number, part) in parts.enumerated() {
                    importer.sourceNumber = number
                    if parts.count > 1 { reader = try read(dictionaries[part], entityNumber, from: part.lowerBound) }
                    objects += try run(&reader, importer, given, &taken)
                    if parts.count > 1 { report.keptLinks += reader.report.keptLinks }
                    if parts.count > 1 || !taken.isEmpty { taken.noteMentioned(importer) }
                }
                importer.deletions.orphans.removeAll { $0.object === given }
                importer.deletions.orphans += taken.orphans
                for (index, object) in objects.enumerated() { try check(object, index) }
                let unresolved: [ImportReport.UnresolvedReference]
                do {
                    unresolved = try importer.resolvePending()
                } catch {
                    // It may be about an earlier part.
                    let part = parts[importer.sourceNumber]
                    if parts.count > 1 { reader = try read(dictionaries[part], entityNumber, from: part.lowerBound) }
                    throw error
                }
                try importer.delete(try importer.decideDeletions())
                importer.forgetRestored()
                if parts.count == 1 { report = reader.report }
                report.unresolvedReferences = unresolved
                return Result(objects: objects, report: adding(importer, to: report))
            }
        } catch {
            throw located(CoreDataErrors.graftError(error), reader)
        }
    }

    private func read(_ dictionaries: ArraySlice<[String: Any]>, _ entity: Int?, from start: Int?) throws
        -> DictionaryReader
    {
        var reader = try DictionaryReader(compiled, model, options, rounding: context.rounding)
        try reader.read(dictionaries, entity: entity, from: start)
        return reader
    }

    private func run(
        _ reader: inout DictionaryReader, _ importer: BatchImporter, _ given: NSManagedObject?, _ taken: inout TakenOut
    ) throws -> [NSManagedObject] {
        importer.begin(reader.snapshot)
        if options.existingObjects != .insert { try importer.matcher.resolveIdentities(reader.snapshot) }
        if let given, let root = reader.snapshot.roots.first {
            try take(given, for: reader.snapshot.resolved(root), importer, reader)
        }
        var hanging = options.existingObjects == .insert ? [] : reader.snapshot.relatedRows
        try importer.matcher.resolveRelatedIdentities(&hanging, reader.snapshot)
        if let given, options.existingObjects != .insert, !options.makesCopies {
            try importer.refuseRelatedDouble(of: given, reader.snapshot)
        }
        if options.makesCopies {
            try DictionaryCopying(compiled.schema, options).prepare(&reader, importer)
            // What is left hangs on copies.
            hanging.removeAll()
        } else if options.existingObjects != .insert {
            try importer.settleFound(reader.snapshot)
            _ = try importer.matcher.matchContents(reader.snapshot)
        }
        try DictionaryMatching(reader, importer.matcher).match()
        // What hangs on objects that their contents tell.
        while try !importer.matcher.resolveHanging(&hanging, reader.snapshot, besides: reader.memberRows()).isEmpty {
            try importer.settleFound(reader.snapshot)
            try DictionaryMatching(reader, importer.matcher).match()
        }
        if options.existingObjects == .update { try requireObjects(reader, importer) }
        let owned = try ownedObjects(reader, importer)
        var bases = currentMembers(reader, importer)
        importer.wanted = try wantedRows(reader, importer)
        try importer.makeObjects(reader.snapshot)
        if options.makesCopies { try DictionaryCopying(compiled.schema, options).keepLinks(&reader, importer) }
        // What leaves its owner is told by the dictionaries' policy, and not by an import's.
        let orphans = importer.deletions.orphans
        try importer.fillObjects(reader.snapshot)
        importer.deletions.orphans = orphans + leavers(owned, importer)
        for statement in reader.statements {
            switch statement {
            case .end(let toOne): try connect(toOne, reader, importer)
            case .list(let link): try connect(link, reader, importer, &bases)
            case .replacedList(let link): try takeMembers(of: link, reader, importer)
            }
        }
        importer.settleRelinked()
        try disconnect(reader.removals, reader, importer)
        if reader.nodes.contains(where: { $0.key == DictionaryKey.objects }) {
            taken.add(importer.deletions.orphans[orphans.count...].map(\.object))
            importer.deletions.orphans.removeSubrange(orphans.count...)
        }
        importer.count(reader.snapshot)
        importer.enterRelated(reader.snapshot)
        return reader.snapshot.roots.compactMap { importer.object(reader.snapshot.resolved($0)) }
    }

    // MARK: Objects that are there

    /// Lets the object that the caller gave stand for the row at the top.
    private func take(
        _ given: NSManagedObject, for row: RowReference, _ importer: BatchImporter, _ reader: DictionaryReader
    ) throws {
        if let found = importer.object(row), found !== given {
            let identity = reader.snapshot.identity(of: row)
            throw GraftError(.duplicateIdentity(identity.words), at: reader.place(of: 0))
        }
        importer.matcher.objects[row.entity][row.row] = given
        importer.given = given
    }

    /// Refuses objects that aren't there.
    private func requireObjects(_ reader: DictionaryReader, _ importer: BatchImporter) throws {
        for node in reader.nodes.indices {
            try requireObject(reader.rows[node], reader.place(of: node), reader, importer)
        }
        for toOne in reader.toOnes {
            guard case .row(let row)? = toOne.member else { continue }
            try requireObject(row, reader.place(of: toOne.owner, toOne.property), reader, importer)
        }
        for link in reader.links {
            for case .row(let row) in link.members {
                try requireObject(row, reader.place(of: link.owner, link.property), reader, importer)
            }
        }
    }

    private func requireObject(
        _ row: RowReference, _ place: @autoclosure () -> GraftError.Place, _ reader: DictionaryReader,
        _ importer: BatchImporter
    ) throws {
        let row = reader.snapshot.resolved(row)
        if importer.object(row) != nil || reader.snapshot.tables[row.entity].flags[row.row].contains(.dead) { return }
        let entity = compiled.schema.entities[row.entity]
        let identity = reader.snapshot.identity(of: row)
        if entity.identity.isEmpty || identity.contains(where: \.isNull) {
            let names = entity.identity.map { entity.properties[$0].name }
            throw GraftError(.missingIdentity(attributes: names), at: place())
        }
        throw GraftError(.unresolvedReference(entity: entity.name, identity: identity.words), at: place())
    }

    /// What objects own through to-one relationships that are about to be set, where the one that leaves is to be deleted.
    private func ownedObjects(
        _ reader: DictionaryReader, _ importer: BatchImporter
    ) throws -> [(owner: NSManagedObject, property: GraphSchema.Property, number: Int, owned: NSManagedObject)] {
        try reader.toOnes.compactMap { toOne in
            let row = reader.snapshot.resolved(reader.rows[toOne.owner])
            let property = compiled.schema.entities[row.entity].properties[toOne.property]
            guard property.isOwning, let owner = importer.matcher.object(row, having: toOne.property),
                let owned = owner.destination(toOne.property, property),
                try toOne.isExact || isGivenUp(owned, importer)
            else { return nil }
            return (owner, property, toOne.property, owned)
        }
    }

    /// Those of them that were replaced.
    private func leavers(
        _ owned: [(owner: NSManagedObject, property: GraphSchema.Property, number: Int, owned: NSManagedObject)],
        _ importer: BatchImporter
    ) -> [ImportDeletions.GivenUp] {
        owned.filter { $0.owner.destination($0.number, $0.property) !== $0.owned }.map { .init(object: $0.owned) }
    }

    /// The members that objects have in the relationships that the dictionaries name, before anything is changed.
    private func currentMembers(_ reader: DictionaryReader, _ importer: BatchImporter) -> [End: [NSManagedObject]] {
        var members: [End: [NSManagedObject]] = [:]
        for link in reader.links where reader.adds(link) {
            let row = reader.snapshot.resolved(reader.rows[link.owner])
            guard let object = importer.matcher.object(row, having: link.property) else { continue }
            let property = compiled.schema.entities[row.entity].properties[link.property]
            members[End(object: ObjectIdentifier(object), property: link.property)] =
                object.members(link.property, property)
        }
        return members
    }

    // MARK: Relationships

    /// Leads an object where its dictionary says, unless it leads there.
    private func connect(_ toOne: DictionaryReader.ToOne, _ reader: DictionaryReader, _ importer: BatchImporter) throws
    {
        let row = reader.snapshot.resolved(reader.rows[toOne.owner])
        guard let object = importer.matcher.object(row, having: toOne.property) else {
            return noteLeftOut(toOne.property, of: row, isNothing: toOne.member == nil, reader, importer)
        }
        let end = try toOne.member.map { importer.object(try reader.row(of: $0, toOne.owner, toOne.property)) }
        // An object that only this led to was never made.
        if let end, end == nil { return }
        let property = compiled.schema.entities[row.entity].properties[toOne.property]
        if try importer.editor.connect(toOne.property, property, of: object, to: end ?? nil) == nil { return }
        importer.relinked.append(.init(row: row, property: toOne.property))
    }

    /// Gives an object its members: those that stay, in their order, then those that the dictionary names, in its order.
    private func connect(
        _ link: DictionaryReader.Link, _ reader: DictionaryReader, _ importer: BatchImporter,
        _ bases: inout [End: [NSManagedObject]]
    ) throws {
        let snapshot = reader.snapshot
        let row = snapshot.resolved(reader.rows[link.owner])
        guard let object = importer.matcher.object(row, having: link.property) else {
            return noteLeftOut(link.property, of: row, isNothing: link.members.isEmpty, reader, importer)
        }
        let property = compiled.schema.entities[row.entity].properties[link.property]
        let end = End(object: ObjectIdentifier(object), property: link.property)
        let current = object.members(link.property, property)
        var members: [NSManagedObject] = []
        if reader.adds(link), let base = bases[end] {
            // Something else may have taken some of them away since.
            let there = Set(current.map(ObjectIdentifier.init))
            members = base.filter { there.contains(ObjectIdentifier($0)) }
        }
        var seen = Set(members.map(ObjectIdentifier.init))
        for (position, member) in link.members.enumerated() {
            let end = try reader.row(of: member, link.owner, link.property)
            if let member = importer.object(end) {
                if seen.insert(ObjectIdentifier(member)).inserted { members.append(member) }
            } else if !snapshot.tables[end.entity].flags[end.row].contains(.dead) {
                _ = importer.waits(
                    link.property, of: object, row.row, importer.plans[row.entity], for: end, at: position,
                    following: members.count, snapshot)
            }
        }
        bases[end] = members
        try importer.deletions.references.note(members, link.property, property, of: object)
        if reader.adds(link) {
            // Objects that were connected from their side a moment ago.
            members += current.filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
        if property.inverse == nil {
            try importer.readOwners(of: members, link.property, row.entity)
            try importer.claim(members, link.property, property, of: object)
        }
        if try importer.editor.connect(link.property, property, of: object, to: members) == nil { return }
        importer.relinked.append(.init(row: row, property: link.property))
        if property.isOwning, link.mode != .add {
            importer.deletions.orphans += try current.filter { member in
                try !seen.contains(ObjectIdentifier(member)) && (link.mode == .exact || isGivenUp(member, importer))
            }.map { .init(object: $0) }
        }
    }

    /// Counts a relationship that an object doesn't have, because it is of another entity than its dictionary.
    private func noteLeftOut(
        _ property: Int, of row: RowReference, isNothing: Bool, _ reader: DictionaryReader, _ importer: BatchImporter
    ) {
        // What the snapshot has of it is counted where the object is filled.
        guard !isNothing, !reader.snapshot.tables[row.entity].hasValue(property, row: row.row),
            let entity = importer.object(row).flatMap({ importer.number(of: $0) })
        else { return }
        importer.tally.leftOut[.init(entity: entity, dataEntity: row.entity, property: property), default: 0] += 1
    }

    /// Takes the members of a list that is replaced from those who have them: they had left them for the list.
    private func takeMembers(
        of link: DictionaryReader.Link, _ reader: DictionaryReader, _ importer: BatchImporter
    ) throws {
        let row = reader.snapshot.resolved(reader.rows[link.owner])
        guard let object = importer.matcher.object(row, having: link.property) else { return }
        let property = compiled.schema.entities[row.entity].properties[link.property]
        let members = try link.members.compactMap { importer.object(try reader.row(of: $0, link.owner, link.property)) }
        guard let inverse = property.inverse, let back = compiled.schema.inverse(of: property) else {
            try importer.readOwners(of: members, link.property, row.entity)
            return try importer.claim(members, link.property, property, of: object)
        }
        for member in members where !back.isToMany && member.destination(inverse, back) !== object {
            try importer.editor.connect(inverse, back, of: member, to: nil)
        }
    }

    /// Whether the policy deletes what its owner has no more.
    private func isGivenUp(_ object: NSManagedObject, _ importer: BatchImporter) throws -> Bool {
        switch options.membersPolicy {
        case .add: false
        case .replace, .delta: try !importer.matcher.hasIdentity(object)
        case .replaceAndDelete: true
        }
    }

    // MARK: Ends

    private func adding(_ importer: BatchImporter, to report: ImportReport) -> ImportReport {
        var report = report
        report.enter(importer.tally.counts, compiled.schema)
        report.enter(importer.tally.leftOut, compiled.schema)
        return report
    }

    /// The error with the path of the dictionary that it is about: rows know the number of theirs.
    private func located(_ error: GraftError, _ reader: DictionaryReader) -> GraftError {
        guard let node = error.place.byteOffset else { return error }
        var located = error
        located.place.byteOffset = nil
        return reader.nodes.indices.contains(node) ? located.located(in: reader.place(of: node)) : located
    }
}

/// What a graph's changes (`$objects`) take out of relationships that own it. It is deleted, but for what the dictionaries have
/// elsewhere: other dictionaries tell an object where it belongs.
private struct TakenOut {
    private var mentioned: Set<ObjectIdentifier> = []
    private var removed: [NSManagedObject] = []

    var isEmpty: Bool { removed.isEmpty }

    mutating func add(_ objects: [NSManagedObject]) { removed += objects }

    mutating func noteMentioned(_ importer: BatchImporter) {
        for object in importer.matcher.objects.joined() { if let object { mentioned.insert(ObjectIdentifier(object)) } }
    }

    var orphans: [ImportDeletions.GivenUp] {
        removed.filter { !mentioned.contains(ObjectIdentifier($0)) }.map { .init(object: $0) }
    }
}
