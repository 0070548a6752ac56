// Objects of sub-entities are read as the entity of the export, which has no place for what is theirs alone: a patch that changes that
// would change nothing, and is refused.
//
//     before    {"id": 1, "shapes": [{"name": "a", "radius": 1}, {"name": "b", "radius": 2}]}
//     refused   {"id": 1, "shapes": [{"name": "a", "radius": 2}, {"name": "b", "radius": 2}]}
//     refused   {"id": 1, "shapes": [{"name": "a", "radius": 1}, {"name": "b", "radius": 2}, {"name": "c", "radius": 2}]}
//     fine      {"id": 1, "shapes": [{"name": "b", "radius": 2}]}
//
// Objects without identity, such as these shapes, are matched one to one within the list of their owner.

extension PatchedCopies {
    /// What a text has of an object without identity.
    private struct Unidentified: Hashable {
        var place: Int?
        var scope: Int
        var contents: Statement?
        var passedOver: [[String]: JSONValue]

        func without(_ forget: (inout Unidentified) -> Void) -> Unidentified {
            var rest = self
            forget(&rest)
            return rest
        }
    }

    /// Objects without identity are looked for in the same one: below an object with identity, along the same relationships.
    private struct Scope: Hashable {
        var object: ObjectKey?
        var owner: Int?
        var property: Int
    }

    /// Pairs the objects without identity of the text before the patch with those of the patched one.
    private struct Pairing {
        let known: [Unidentified]
        let said: [Unidentified]
        private var unused: [Int]
        /// The numbers of those that are said, and haven't got a partner.
        private(set) var open: [Int]

        init(_ known: [Unidentified], _ said: [Unidentified]) {
            (self.known, self.said) = (known, said)
            (unused, open) = (Array(known.indices), Array(said.indices))
        }

        /// Pairs those that are equal but for what is forgotten, in their order.
        mutating func pair(without forget: (inout Unidentified) -> Void) {
            if open.isEmpty { return }
            var numbers: [Unidentified: [Int]] = [:]
            for number in unused.reversed() { numbers[known[number].without(forget), default: []].append(number) }
            var (rest, used): ([Int], Set<Int>) = ([], [])
            for number in open {
                if let partner = numbers[said[number].without(forget)]?.popLast() {
                    used.insert(partner)
                } else {
                    rest.append(number)
                }
            }
            open = rest
            unused.removeAll { used.contains($0) }
        }

        /// The first one without a partner that is equal to another such one of before but for what is forgotten.
        func firstPair(without forget: (inout Unidentified) -> Void) -> (said: Int, known: Int)? {
            if open.isEmpty { return nil }
            var numbers: [Unidentified: Int] = [:]
            for number in unused.reversed() { numbers[known[number].without(forget)] = number }
            for number in open {
                if let other = numbers[said[number].without(forget)] { return (number, other) }
            }
            return nil
        }
    }

    /// Checks that the patch changes nothing below the keys of objects without identity that nothing is mapped to.
    ///
    /// What a diff takes for the same object has to have the same there: one with equal contents, or one in the same place. An object
    /// may be gone, or have moved.
    func checkPassedOverOfUnidentified(_ before: [Copy], _ after: [Copy]) throws {
        if old.passedOver?.isEmpty != false && new.passedOver?.isEmpty != false { return }
        var scopes: [Scope: Int] = [:]
        let known = unidentified(before, old, &scopes)
        var pairing = Pairing(known, unidentified(after, new, &scopes))
        let numbers = after.indices.filter { after[$0].key == nil }
        func refuseChange(_ pair: (said: Int, known: Int)?) throws {
            guard let (said, known) = pair else { return }
            let paths = Self.changes(pairing.known[known].passedOver, pairing.said[said].passedOver)
            try refuse(paths, of: numbers[said], after)
        }
        pairing.pair { _ in }
        pairing.pair { $0.place = nil }
        pairing.pair { $0.contents = nil }
        try refuseChange(
            pairing.firstPair {
                $0.place = nil
                $0.passedOver = [:]
            })
        pairing.pair {
            $0.place = nil
            $0.contents = nil
        }
        try refuseChange(
            pairing.firstPair {
                $0.contents = nil
                $0.passedOver = [:]
            })
        for number in pairing.open {
            try refuse(Array(pairing.said[number].passedOver.keys), of: numbers[number], after, isNew: true)
        }
    }

    /// Checks that the patch changes nothing below the keys of an object that nothing is mapped to.
    func checkPassedOver(_ number: Int, _ key: ObjectKey, since before: RowReference?, _ copies: [Copy]) throws {
        let said = new.passedOver?[copies[number].row] ?? [:]
        let known = old.passedOver ?? [:]
        if let before {
            try refuse(Self.changes(known[before] ?? [:], said), of: number, copies)
        } else if let rows = oldRows[key] {
            // It stands elsewhere now.
            let paths = said.keys.filter { path in !rows.contains { known[$0]?[path] == said[path] } }
            try refuse(paths, of: number, copies)
        } else {
            try refuse(Array(said.keys), of: number, copies, isNew: true)
        }
    }

    private static func changes(_ known: [[String]: JSONValue], _ said: [[String]: JSONValue]) -> [[String]] {
        Set(known.keys).union(said.keys).filter { known[$0] != said[$0] }
    }

    /// The objects without identity, in their order.
    private func unidentified(
        _ copies: [Copy], _ snapshot: GraphSnapshot, _ scopes: inout [Scope: Int]
    ) -> [Unidentified] {
        var found: [Unidentified] = []
        var numbers: [Int] = []
        for copy in copies {
            let isKnown = copy.key != nil
            let scope = Scope(
                object: copy.key, owner: isKnown ? nil : copy.owner.map { numbers[$0] },
                property: isKnown ? 0 : copy.property)
            let number = scopes[scope] ?? scopes.count
            scopes[scope] = number
            numbers.append(number)
            if isKnown { continue }
            found.append(
                Unidentified(
                    place: copy.place, scope: number, contents: contents(of: copy.row, snapshot),
                    passedOver: snapshot.passedOver?[copy.row] ?? [:]))
        }
        return found
    }

    // MARK: Errors

    /// Refuses a change below the first of some keys, if there is any.
    ///
    /// - Parameter isNew: Whether the text before the patch hasn't got the object.
    private func refuse(_ paths: [[String]], of number: Int, _ copies: [Copy], isNew: Bool = false) throws {
        guard let path = paths.min(by: { $0.lexicographicallyPrecedes($1) }) else { return }
        let base = copies[number].row.entity
        let schema = new.schema
        func isKnown(_ entity: Int) -> Bool { mapping.entities[entity].keys.has(path[...]) }
        let kinds = (base..<schema.entities[base].end).filter { entity in
            isKnown(entity) && schema.entities[entity].parent.map(isKnown) != true
        }.map { schema.entities[$0].name }
        let object = pointer(to: number, copies)
        let place = path.reduce(object) { $0.appending($1) }
        var finding = "the patch changes what is at \(place), which nothing of the entity is mapped to"
        var remedy = "Leave that out, or map a property to it."
        if let kind = kinds.first {
            let names = kinds.joined(separator: " or ")
            if isNew {
                finding =
                    "the patch makes or renames an object of the entity \(names), at \(object), "
                    + "in an export that shows it as one of a super-entity"
            }
            // Without identity, the objects of an entity alone can't be told apart.
            remedy =
                copies[number].key == nil
                ? "Patch the export of the whole graph (without --entity), which has all of it."
                : "Patch the objects of the entity \(names) (--entity \(kind))."
        }
        throw GraftError(.other(finding: finding, remedy: remedy), at: .init(entity: schema.entities[base].name))
    }
}

extension KeyTree {
    /// Whether something is mapped to a path.
    fileprivate func has(_ path: ArraySlice<String>) -> Bool {
        guard let key = path.first, let number = table.keys.firstIndex(of: key) else { return false }
        return path.count == 1 || targets[number].subtree?.has(path.dropFirst()) == true
    }
}
