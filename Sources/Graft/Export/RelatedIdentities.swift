// Objects of a document whose identity includes an owner: who it is, records tell. Of two with one identity an import would make one, so
// an export names them. Snapshot/GraphSnapshot+RelatedIdentity.swift says what such an identity is, and has to agree with this.

/// The identities with an owner of the objects that have been written.
struct RelatedIdentities {
    /// The columns of what identifies an entity's objects.
    private struct Columns {
        var values: [Int] = []
        var owners: [Int] = []
    }

    private let plan: ArchivePlan
    /// By entity of the plan; nil where no owner identifies its objects, or none that their records have. Nobody shares a link of one
    /// to one.
    private let columns: [Columns?]
    /// The entities of the objects that have an identity.
    private var taken: [OwnedIdentity<Int>: [Int]] = [:]

    init(_ plan: ArchivePlan) {
        self.plan = plan
        columns = plan.entities.map { entity in
            let related = plan.schema.entities[entity.number].relatedIdentity
            var columns = Columns()
            for part in related {
                guard let place = entity.properties.firstIndex(of: part) else { return nil }
                let item = entity.archived.items[place]
                switch item.form {
                case .attribute: columns.values.append(item.column)
                case .toOne: columns.owners.append(item.column)
                case .toMany: return nil
                }
            }
            return related.isEmpty ? nil : columns
        }
    }

    /// Adds an object; returns whether no other one that an import would take for it has the identity.
    mutating func add(_ record: ArchiveRecord) -> Bool {
        guard let columns = columns[record.entity] else { return true }
        let entity = plan.entities[record.entity].number
        var key = OwnedIdentity<Int>(space: plan.schema.entities[entity].identitySpace)
        key.values = columns.values.map { ExactValue(record.values[$0]) }
        key.owners = columns.owners.map { record.destinations[$0] }
        let isComplete =
            !key.values.contains(where: \.value.isNull)
            && !(key.values.isEmpty && key.owners.allSatisfy { $0 == ArchiveRecord.none })
        if !isComplete { return true }
        let isFirst = !(taken[key] ?? []).contains { plan.schema.isEntity(entity, relatedTo: $0) }
        taken[key, default: []].append(entity)
        return isFirst
    }

    /// An object's identity in words: `1 of Order 7`, `1 of nothing`.
    func words(for record: ArchiveRecord, _ names: DocumentNames) -> String {
        guard let columns = columns[record.entity] else { return "" }
        let values = columns.values.map { record.values[$0].description }
        let owners = columns.owners.map { column in
            let number = record.destinations[column]
            if number == ArchiveRecord.none { return "nothing" }
            let (index, id, identity) = names.name(of: number)
            let name = id > 0 ? "\(DictionaryKey.number) \(id)" : identity.words
            return "\(plan.entities[index].archived.name) \(name)"
        }
        let words = [values.joined(separator: ", "), "of \(owners.joined(separator: " and "))"]
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }
}
