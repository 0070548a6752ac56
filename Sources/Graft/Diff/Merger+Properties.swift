// Attributes and to-one relationships. Where a relationship leads back to one object, too, one of its two sides is the first,
// by name; the second one is settled after it and has the last word, because only it sees that two objects want the same one.

extension Merger {
    // MARK: Attributes

    /// The value of an attribute that sides changed.
    mutating func changedValue(
        _ name: String, _ key: ObjectKey, _ old: GraphValue, _ our: PropertyChange.Kind?, _ their: PropertyChange.Kind?
    ) -> GraphValue {
        switch (our, their) {
        case (.attribute(_, let our)?, .attribute(_, let their)?):
            if our.isSameValue(as: their) { return our }
            let conflict = GraphMerge.Conflict(
                .values, key, name, base: .value(.attribute(old)), ours: .value(.attribute(our)),
                theirs: .value(.attribute(their)))
            switch settle(conflict) {
            case .ours: return our
            case .theirs: return their
            case .value(let value): return value
            case .base, nil: return old
            }
        case (.attribute(_, let new)?, _), (_, .attribute(_, let new)?): return new
        default: return old
        }
    }

    /// The value of an attribute of an object that sides inserted.
    mutating func insertedValue(
        _ name: String, _ key: ObjectKey, _ our: ObjectContents?, _ their: ObjectContents?
    ) throws -> GraphValue {
        let values = [our, their].map { contents -> GraphValue? in
            if case .attribute(let value)? = contents?[name] { value } else { nil }
        }
        guard let first = values[0], let second = values[1] else { return values[0] ?? values[1] ?? .null }
        if first.isSameValue(as: second) { return first }
        let conflict = GraphMerge.Conflict(
            .values, key, name, base: .noObject, ours: .value(.attribute(first)), theirs: .value(.attribute(second)))
        switch settle(conflict) {
        case .ours: return first
        case .theirs: return second
        case .value(let value): return value
        case .base, nil: return .null
        }
    }

    // MARK: To-one relationships

    /// Settles where to-one relationships lead.
    mutating func settleEnds() throws {
        var second: [(end: End, firstName: String)] = []
        var paired: [End] = []
        let changed = try changedEnds()
        for end in changed {
            let property = try property(end.name, of: end.key)
            let inverse = scope.schema.inverse(of: property).flatMap { $0.isToMany ? nil : $0 }
            if let inverse, inverse.name == property.name, inverse.destination == property.destination {
                paired.append(end)
            } else if let inverse, isSecond(property, inverse) {
                second.append((end, inverse.name))
            } else {
                ends[end] = settledEnd(end)
            }
        }
        for (end, firstName) in second { settleSecond(end, firstName) }
        settlePairs(paired)
        for end in changed { restorePartner(end) }
        try settleRings()
        // Who deleted a parent that stays has taken nothing out of its list.
        for end in changed where ours.implied[end] != nil || theirs.implied[end] != nil {
            guard let new = ends[end], let old = baseEnd(end), new != old, kept.contains(old),
                let list = scope.schema.inverse(of: try property(end.name, of: end.key)), list.isToMany
            else { continue }
            losingLists[old, default: []].insert(list.name)
        }
    }

    /// Settles relationships that are their own inverse: each is its partner's partner. What both sides changed comes first, and who
    /// is left without the partner that one side gave it has none at first.
    private mutating func settlePairs(_ paired: [End]) {
        func isContested(_ end: End) -> Bool { wish(end, ours) != nil && wish(end, theirs) != nil }
        for end in paired.filter(isContested) + paired.filter({ !isContested($0) }) {
            let wanted = settledEnd(end)
            // Whose partner has chosen it has no choice left.
            if ends[end] != nil { continue }
            guard let wanted, ends[End(key: wanted, name: end.name)] == nil else {
                ends[end] = .some(nil)
                continue
            }
            ends[end] = .some(wanted)
            ends[End(key: wanted, name: end.name)] = .some(end.key)
        }
    }

    /// The to-one relationships that sides changed, or gave to what they inserted, in order.
    private func changedEnds() throws -> [End] {
        var found: Set<End> = []
        for side in [ours, theirs] {
            for (key, change) in side.changed where !gone.contains(key) {
                for property in change.properties {
                    if case .toOne = property.kind { found.insert(End(key: key, name: property.name)) }
                }
            }
            for (key, contents) in side.inserted where !gone.contains(key) {
                for property in contents.properties {
                    if case .toOne = property.value { found.insert(End(key: key, name: property.name)) }
                }
            }
            found.formUnion(side.implied.keys.filter { !gone.contains($0.key) })
        }
        return found.sorted()
    }

    private func isSecond(_ property: GraphSchema.Property, _ inverse: GraphSchema.Property) -> Bool {
        if property.name != inverse.name { return inverse.name.precedesInBytes(property.name) }
        // The destination of the one is the entity of the other.
        return (property.destination ?? 0) < (inverse.destination ?? 0)
    }

    /// Where a side lets a relationship lead; `.none` where it didn't touch it.
    private func end(_ end: End, _ side: Side) -> ObjectKey?? {
        if let implied = side.implied[end] { return .some(implied) }
        if let contents = side.inserted[end.key] {
            if case .toOne(let key)? = contents[end.name] { return .some(key) }
            return .some(nil)
        }
        guard case .toOne(_, let new)? = side.changed[end.key]?[end.name] else { return .none }
        return .some(new)
    }

    /// The other end of the link that a relationship had before, where that leads to one object, too.
    private func baseBack(_ end: End) -> End? {
        guard let old = baseEnd(end), let property = scope.schema.property(end.name, of: end.key),
            let inverse = scope.schema.inverse(of: property), !inverse.isToMany
        else { return nil }
        return End(key: old, name: inverse.name)
    }

    /// What a side wants of a relationship, after deletions: taking away a link to an object that it deleted is no wish, and neither is
    /// losing an object to one that is gone.
    private func wish(_ end: End, _ side: Side) -> ObjectKey?? {
        guard let new = self.end(end, side) else { return .none }
        if let new { return gone.contains(new) ? .none : .some(new) }
        if let old = baseEnd(end), side.deletedAtFirst.contains(old) { return .none }
        if let back = baseBack(end), case .some(.some(let taker)) = self.end(back, side), gone.contains(taker) {
            return .none
        }
        return .some(nil)
    }

    /// Where a relationship led before, if that is still there.
    func keptBaseEnd(_ end: End) -> ObjectKey? { baseEnd(end).flatMap { gone.contains($0) ? nil : $0 } }

    /// Whether both sides gave the object at an end to the same other one. Who only loses it by that wants nothing.
    private func isGivenAway(_ end: End) -> Bool {
        guard let back = baseBack(end), case .some(.some(let new)) = wish(back, ours), new != end.key else {
            return false
        }
        return wish(back, theirs) == .some(new)
    }

    private mutating func settledEnd(_ end: End) -> ObjectKey? {
        let isGivenAway = isGivenAway(end)
        let old = isGivenAway ? nil : keptBaseEnd(end)
        switch (wish(end, ours), wish(end, theirs)) {
        case (.none, .none): return old
        case (.some(let new), .none), (.none, .some(let new)): return new
        case (.some(let our), .some(let their)):
            if our == their { return our }
            // Who only takes an object away from another one doesn't say that nobody is to have it.
            if our == nil, isGivenAway || ours.implied[end] != nil { return their }
            if their == nil, isGivenAway || theirs.implied[end] != nil { return our }
            switch settle(conflict(end)) {
            case .ours: return our
            case .theirs: return their
            default: return old
            }
        }
    }

    func conflict(_ end: End) -> GraphMerge.Conflict {
        let isNew = baseRow(of: end.key) == nil
        return GraphMerge.Conflict(
            .values, end.key, end.name, base: isNew ? .noObject : .value(.toOne(baseEnd(end))),
            ours: .value(.toOne(self.end(end, ours) ?? baseEnd(end))),
            theirs: .value(.toOne(self.end(end, theirs) ?? baseEnd(end))))
    }

    /// Settles which of several objects keeps its link to one that can have only one.
    private mutating func settleSecond(_ end: End, _ firstName: String) {
        func wants(_ key: ObjectKey?) -> Bool {
            guard let key else { return false }
            let first = End(key: key, name: firstName)
            return (ends[first] ?? baseEnd(first)) == end.key
        }
        let (our, their) = (wish(end, ours) ?? nil, wish(end, theirs) ?? nil)
        let old = baseEnd(end)
        if let new = our ?? their, wants(new), denies(end, our == nil ? ours : theirs) {
            return settleRemoval(end, firstName, by: our == nil ? .ours : .theirs, new)
        }
        let candidates = Set([our, their, old].compactMap { $0 }.filter { wants($0) && !gone.contains($0) })
        var winner = candidates.first
        if candidates.count > 1 {
            switch our == nil || their == nil ? nil : settle(conflict(end)) {
            case .ours: winner = our
            case .theirs: winner = their
            default:
                // One side alone changed it, or nobody decides: what is new against what is old, or what was before.
                winner = our == nil || their == nil ? our ?? their : old
            }
            if let chosen = winner, !candidates.contains(chosen) { winner = nil }
        }
        for loser in candidates where loser != winner { ends[End(key: loser, name: firstName)] = .some(nil) }
        ends[end] = .some(winner)
    }

    /// Whether a side takes a link away, and not only because it gives one of the two objects another one.
    private func removes(_ end: End, _ side: Side) -> Bool {
        guard let back = baseBack(end), !gone.contains(back.key), case .some(nil) = wish(end, side) else {
            return false
        }
        return self.end(back, side) == .some(nil)
    }

    /// Whether a side takes a link away and says so itself at both ends.
    private func denies(_ end: End, _ side: Side) -> Bool {
        guard let back = baseBack(end), removes(end, side) else { return false }
        return side.implied[end] == nil && side.implied[back] == nil
    }

    /// Lets two objects have each other again that a side parted only to give one of them to another object, which didn't get it.
    private mutating func restorePartner(_ end: End) {
        guard ends[end] == .some(nil), let back = baseBack(end), ends[back] == .some(nil), !gone.contains(back.key),
            !removes(end, ours), !removes(end, theirs)
        else { return }
        ends[end] = .some(back.key)
        ends[back] = .some(end.key)
    }

    /// Settles what one side wants to lead nowhere and the other one elsewhere.
    private mutating func settleRemoval(
        _ end: End, _ firstName: String, by side: GraphMerge.Choice, _ new: ObjectKey
    ) {
        let choice = settle(conflict(end))
        ends[end] = choice == .ours || choice == .theirs ? .some(choice == side ? nil : new) : baseEnd(end)
        if ends[end] != .some(new) { ends[End(key: new, name: firstName)] = .some(nil) }
        // What is left stays as it was, unless the other object has got another one.
        guard choice != .ours, choice != .theirs, let old = baseEnd(end) else { return }
        let first = End(key: old, name: firstName)
        if case .some(.some(let taken)) = ends[first], taken != end.key {
            ends[end] = .some(nil)
        } else {
            ends[first] = .some(end.key)
        }
    }
}
