// What a report says, for people: a line for each entity and for each remark.

extension ImportReport: CustomStringConvertible {
    /// One line per entity: `Hero: 3 inserted, 1 updated`; then the unknown keys, as `Hero: unknown key 'colour' (3)`.
    public var description: String {
        let lines =
            entities.map { "\($0.name): \($0.counts)" }
            + unknownKeys.map(\.description) + repeatedKeys.map(\.description) + losses + exceededLimits
            + identification.sentences
        let text = lines.isEmpty ? "nothing to import" : lines.joined(separator: "\n")
        return isDryRun ? "\(text)\n(dry run, nothing was kept)" : text
    }

    /// What the store doesn't have as the data has it, and what objects lost to others, a line each.
    package var losses: [String] {
        roundedValues.map(\.description) + leftOutValues.map(\.description) + lostLinks.map(\.description)
            + overruledLinks.map(\.overruled) + sharedIdentities.map(\.description)
            + misfits.map { "not restored: \($0)" }
    }
}

extension ImportReport.UnknownKey: CustomStringConvertible {
    /// For instance `Hero: unknown key 'colour' (3)`.
    public var description: String { GraftError.oneLine("\(entity): unknown key '\(key)' (\(count))") }
}

extension ImportReport.RepeatedKey: CustomStringConvertible {
    /// For instance `Hero: the key 'name' is there again (3), the last value counts`.
    public var description: String {
        GraftError.oneLine("\(entity): the key '\(key)' is there again (\(count)), the last value counts")
    }
}

extension ImportReport.RoundedValues: CustomStringConvertible {
    /// For instance `Account.balance: 3 values lost digits`.
    public var description: String { "\(entity).\(property): \(count) \(count == 1 ? "value" : "values") lost digits" }
}

extension ImportReport.LeftOutValues: CustomStringConvertible {
    /// For instance `Cat.lives: 2 values left out, because the objects are stored as Animal`.
    public var description: String {
        if entity == dataEntity {
            let links = count == 1 ? "1 link" : "\(count) links"
            return "\(entity).\(property): \(links) left out, because what is there isn't in the part that is imported"
        }
        let values = count == 1 ? "1 value" : "\(count) values"
        let objects = count == 1 ? "the object is" : "the objects are"
        return "\(dataEntity).\(property): \(values) left out, because \(objects) stored as \(entity)"
    }
}

extension ImportReport.SharedIdentities: CustomStringConvertible {
    /// For instance `Order: 2 stored objects passed over, because others have their identity`.
    public var description: String {
        let (objects, reason) =
            count == 1
            ? ("1 stored object", "another one has its identity")
            : ("\(count) stored objects", "others have their identity")
        return "\(entity): \(objects) passed over, because \(reason)"
    }
}

extension ImportReport.LostLinks: CustomStringConvertible {
    /// For instance `Order.customer: 2 links lost, because their objects were given to others`.
    public var description: String {
        let (links, reason) =
            count == 1
            ? ("1 link", "its object was given to another one")
            : ("\(count) links", "their objects were given to others")
        return "\(entity).\(property): \(links) lost, because \(reason)"
    }

    /// For instance `Line.order: 2 links to objects without identity left out, because their objects stand in others`.
    fileprivate var overruled: String {
        let (links, reason) =
            count == 1
            ? ("1 link", "its object stands in another one")
            : ("\(count) links", "their objects stand in others")
        return "\(entity).\(property): \(links) to objects without identity left out, because \(reason)"
    }
}

extension ImportReport.Counts: CustomStringConvertible {
    /// `3 inserted, 1 updated, 5 unchanged, 2 stubs`; what is zero is left out.
    public var description: String {
        let parts: [(Int, String)] = [
            (inserted, "inserted"), (updated, "updated"), (unchanged, "unchanged"),
            (stubs, stubs == 1 ? "stub" : "stubs"), (deleted, "deleted"), (skipped, "skipped"),
        ]
        let shown = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return shown.isEmpty ? "nothing" : shown.joined(separator: ", ")
    }
}
