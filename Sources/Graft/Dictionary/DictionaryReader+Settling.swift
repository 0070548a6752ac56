// What dictionaries say of one object in several places: equal identities become one row, of two values and of two lists the one
// that was settled last counts, and what only the other one led to is let go of.

extension DictionaryReader {
    mutating func settle(_ node: Int) {
        settled.append(node)
        open.remove(node)
        let first = repeated[node] ?? node
        if findsObjects {
            let entity = schema.entities[nodes[first].entity]
            rows[first] = snapshot.settle(
                snapshot.resolved(rows[first]), identity: entity.identityColumns, space: entity.identitySpace,
                saysMore: nodes[node].hasLinks || nodes[node].root == node)
        }
        guard needsOrder else { return }
        let row = snapshot.resolved(rows[first])
        snapshot.tables[row.entity].ends[row.row] = settled.count
    }

    /// Leaves out the relationships that an object lacks, because a dictionary of another sub-entity has replaced it.
    mutating func leaveOutForeignLinks() {
        func isForeign(_ node: Int, _ property: Int) -> Bool {
            property >= schema.commonPropertyCount(nodes[node].entity, snapshot.resolved(rows[node]).entity)
        }
        toOnes.removeAll { isForeign($0.owner, $0.property) }
        links.removeAll { isForeign($0.owner, $0.property) }
        removals.removeAll { isForeign($0.owner, $0.property) }
    }

    /// Leaves out the owners that nested objects say they have, where these are others than the object around, and nothing identifies them:
    /// the nesting counts, as in an import.
    mutating func leaveOutOtherOwners() {
        toOnes.removeAll { toOne in
            guard nodes[toOne.owner].inverse == toOne.property, case .node(let node)? = toOne.member,
                case let other = snapshot.resolved(rows[node]), snapshot.isKnownByContents(other),
                !snapshot.hasRelatedIdentity(other)
            else { return false }
            let entity = schema.declaringEntity(of: toOne.property, nodes[toOne.owner].entity)
            report.addOverruled(.init(entity: entity, property: toOne.property), schema)
            snapshot.hasOverruledRows = true
            return true
        }
    }

    /// Makes one of the objects that have the same owner and the same key.
    mutating func settleRelatedRows() throws {
        for link in links where link.mode != .clear {
            let owner = snapshot.resolved(rows[link.owner])
            for member in link.members {
                snapshot.claim(try row(of: member, link.owner, link.property), link.property, for: owner)
            }
        }
        snapshot.settleRelatedRows()
    }

    /// Leaves out lists that a later one for the same object replaces, and what is left without an owner by that.
    mutating func dropReplacedRows() throws {
        var last: [GraphSnapshot.Cell: Int] = [:]
        func cell(_ node: Int, _ property: Int) -> GraphSnapshot.Cell {
            .init(row: snapshot.resolved(rows[node]), property: property)
        }
        for (index, link) in links.enumerated() where !adds(link) { last[cell(link.owner, link.property)] = index }
        let kept = links.indices.filter { adds(links[$0]) || last[cell(links[$0].owner, links[$0].property)] == $0 }
        let lastEnds = Dictionary(toOnes.indices.map { (cell(toOnes[$0].owner, toOnes[$0].property), $0) }) { $1 }
        if kept.count == links.count, lastEnds.count == toOnes.count, !snapshot.hasSiblings,
            !snapshot.hasOverruledRows
        {
            return
        }
        replacedLinks = Self.without(kept, links)
        links = kept.map { links[$0] }
        let ends = lastEnds.values.sorted()
        replacedToOnes = Self.without(ends, toOnes)
        toOnes = ends.map { toOnes[$0] }
        var reachable: [RowReference: [RowReference]] = [:]
        for toOne in toOnes {
            guard let member = toOne.member else { continue }
            reachable[snapshot.resolved(rows[toOne.owner]), default: []].append(
                try row(of: member, toOne.owner, toOne.property))
        }
        for link in links {
            reachable[snapshot.resolved(rows[link.owner]), default: []] += try link.members.map {
                try row(of: $0, link.owner, link.property)
            }
        }
        let detached = nodes.indices.filter { nodes[$0].key == DictionaryKey.objects }
        snapshot.dropUnreachedRows(from: detached.map { snapshot.resolved(rows[$0]) }) { _, row in reachable[row] ?? []
        }
    }

    /// Whether several dictionaries at the top say which members without identity an object has, or such a member itself says so. Where
    /// they name each other's objects by numbers, they are one graph.
    func isRestatingMembers() throws -> Bool {
        guard numberedAnywhere.isEmpty else { return false }
        var roots: [GraphSnapshot.Cell: Set<Int>] = [:]
        var areKnownByContents: Set<GraphSnapshot.Cell> = []
        func note(_ owner: Int, _ property: Int, _ members: [Member]) throws {
            let cell = GraphSnapshot.Cell(row: snapshot.resolved(rows[owner]), property: property)
            roots[cell, default: []].insert(nodes[owner].root)
            let ends = try members.map { try row(of: $0, owner, property) }
            if ends.contains(where: snapshot.isKnownByContents) { areKnownByContents.insert(cell) }
            guard let inverse = schema.entities[cell.row.entity].properties[property].inverse,
                snapshot.lacksIdentity(cell.row)
            else { return }
            for end in ends { roots[.init(row: end, property: inverse), default: []].insert(nodes[owner].root) }
        }
        for toOne in toOnes { try note(toOne.owner, toOne.property, toOne.member.map { [$0] } ?? []) }
        for link in links { try note(link.owner, link.property, link.members) }
        return areKnownByContents.contains { roots[$0].map { $0.count > 1 } ?? false }
    }

    /// Whether several dictionaries at the top, or what they own, have one identity: each is a copy of its own. Where they refer to each
    /// other's objects by numbers, they are one graph.
    func isRepeatingCopies() -> Bool {
        var members = links.map { (owner: $0.owner, property: $0.property, ends: $0.members) }
        for toOne in toOnes {
            if let member = toOne.member { members.append((toOne.owner, toOne.property, [member])) }
        }
        var owned: Set<Int> = []
        for (owner, property, ends) in members {
            let isOwning = schema.entities[nodes[owner].entity].properties[property].isOwning
            for end in ends {
                switch end {
                case .reference(let number): if numbered[nodes[owner].root]?[number] == nil { return false }
                case .node(let node): if isOwning, nodes[node].parent == owner { owned.insert(node) }
                case .row: break
                }
            }
        }
        var roots: [RowReference: Int] = [:]
        for node in nodes.indices {
            // Those who led to a node come before it.
            guard nodes[node].parent < 0 || owned.contains(node) && owned.contains(nodes[node].parent) else { continue }
            owned.insert(node)
            let root = nodes[node].root
            if roots.updateValue(root, forKey: snapshot.resolved(rows[node])) ?? root != root { return true }
        }
        return false
    }

    /// Whether the members of a link come to those that are there.
    func adds(_ link: Link) -> Bool {
        link.mode == .add || link.mode == .standard && options.membersPolicy == .add
    }

    private static func without<Element>(_ kept: [Int], _ elements: [Element]) -> [Element] {
        let kept = Set(kept)
        return elements.indices.filter { !kept.contains($0) }.map { elements[$0] }
    }

    /// Puts relationships in the order in which their owners were settled: the last one counts.
    mutating func putInOrder() {
        let places = places
        toOnes.sort { places[$0.owner] < places[$1.owner] }
        links.sort { places[$0.owner] < places[$1.owner] }
    }

    /// When each node was settled.
    private var places: [Int] {
        var places = nodes.map { _ in 0 }
        for (place, node) in settled.enumerated() { places[node] = place }
        return places
    }

    /// What the dictionaries say of relationships, one thing after the other. Objects have the ends of their to-one relationships
    /// already: these are among the statements only where something else may have taken them away since.
    var statements: [Statement] {
        let lists = links.map(Statement.list)
        guard hasRepetitions || !numberedAnywhere.isEmpty || links.contains(where: { $0.mode == .clear }) else {
            return lists
        }
        let ends = (replacedToOnes + toOnes).filter(hasInverse).map(Statement.end)
        let replaced = replacedLinks.map(Statement.replacedList)
        if ends.isEmpty, replaced.isEmpty { return lists }
        let places = places
        // Of one dictionary as they are filled in.
        return (ends + replaced + lists).sorted {
            let (one, other) = ($0.place, $1.place)
            return (places[one.owner], one.isList, one.property) < (places[other.owner], other.isList, other.property)
        }
    }

    private func hasInverse(_ toOne: ToOne) -> Bool {
        schema.entities[nodes[toOne.owner].entity].properties[toOne.property].inverse != nil
    }

    mutating func connectToOnes() throws {
        for toOne in toOnes {
            let row = snapshot.resolved(rows[toOne.owner])
            let end = try toOne.member.map { try self.row(of: $0, toOne.owner, toOne.property) } ?? .none
            let column = schema.entities[row.entity].properties[toOne.property].column
            snapshot.tables[row.entity].setToOne(end, column, row: row.row)
            snapshot.tables[row.entity].markPresent(toOne.property, row: row.row)
        }
    }
}
