// From a graph to nested dictionaries, depth first with a stack of its own: a chain of 100,000 objects takes no more of the
// thread's stack than one object. Each object is expanded once in a call, so the work is linear in objects and links,
// whatever the graph looks like.
//
//     {"class": "Person", "name": "Ann", "friends": [
//         {"class": "Person", "name": "Bob", "friends": [{"$ref": 1}]},         Ann goes without saying: she led to Bob
//         {"class": "Person", "name": "Cid", "$id": 1}]}                        met again, so Cid has a number
//
//     frames      the objects on the way, outermost first
//     visits      what became of each object that was met: waiting beside one on the way, on the way, or written
//     drafts      what is known of the dictionaries, innermost first. Only at the end it is known who was met again; then each
//                 is made of those before it
//
// DictionaryReader reads it back. What the objects are is the business of a DictionarySource.

/// A graph that becomes dictionaries.
protocol DictionarySource {
    associatedtype Node
    associatedtype Key: Hashable

    /// What tells an object from the others.
    func key(of node: Node) -> Key
    /// What stands for an object that isn't expanded, such as its identity; nil where it is.
    mutating func standIn(for node: Node) throws -> [String: Any]?
    /// What is written of an object.
    mutating func content(of node: Node, isRoot: Bool) throws -> DictionaryContent
    /// The objects that a relationship of an object leads to.
    mutating func members(of node: Node, _ relationship: DictionaryPlan.Relationship) throws -> [Node]
}

/// What is written of an object, but for its related objects.
struct DictionaryContent {
    /// What stands under the entity key.
    var entityName: String
    var dictionary: [String: Any]
    var relationships: [DictionaryPlan.Relationship]
}

/// Makes dictionaries of objects.
struct DictionaryWriter<Source: DictionarySource> {
    private typealias Relationship = DictionaryPlan.Relationship

    /// What stands in a relationship.
    private enum Element {
        /// The dictionary of a visit.
        case nested(Int)
        /// The number of a visit.
        case reference(Int)
        case plain([String: Any])
    }

    /// What a dictionary is made of.
    private struct Draft {
        let visit: Int
        var dictionary: [String: Any]
        var parts: [(relationship: Relationship, elements: [Element])] = []
    }

    /// An object on the way.
    private struct Frame {
        let node: Source.Node
        var draft: Draft
        let relationships: [Relationship]
        /// The index of the next relationship.
        var nextRelationship = 0
        /// The members of the current relationship, their visits, and which of them is next.
        var members: [Source.Node] = []
        var memberVisits: [Int] = []
        var nextMember = 0
        /// What stands for the members so far.
        var elements: [Element] = []
        /// The visit of the object that led here, and the number of the relationship back.
        let owner: Int
        let inverse: Int?
        /// How many objects it is nested in, counted from where the nest begins.
        let nesting: Int
        /// How many relationships led here.
        let depth: Int
    }

    private struct Visit {
        enum State: Equatable {
            /// Nobody is going to write it yet.
            case met
            /// It will be written among the members that the frame with this index is writing; -1 is at the top.
            case waiting(Int)
            case onTheWay
            case written
        }

        var state = State.met
        /// Whether something refers to it by number.
        var isReferenced = false
        /// The index of its draft.
        var draft = -1
    }

    private(set) var source: Source
    private let options: DictionaryOptions
    private var frames: [Frame] = []
    private var visits: [Visit] = []
    /// The index of each object's visit. It is looked up once for each link and goes along from there: in a large graph, most
    /// of the time would go into finding objects in this table.
    private var indexes: [Source.Key: Int] = [:]
    private var drafts: [Draft] = []
    /// The visits of what is nested too deep in the current root.
    private var detached: [Int] = []
    /// How many objects and members were looked at.
    private(set) var stepCount = 0

    init(_ source: Source, _ options: DictionaryOptions) {
        self.source = source
        self.options = options
    }

    /// Makes the dictionaries of some objects. Each of them is written at the top, not nested in another one.
    ///
    /// - Throws: ``GraftError`` with entity and property for a value without the form that is asked for.
    mutating func dictionaries(of roots: [Source.Node]) throws -> [[String: Any]] {
        // A root that is met elsewhere has been written or will be.
        let rootVisits = roots.map { visit(of: $0) }
        claim(rootVisits, for: -1)
        var elements: [(element: Element, detached: [Int])] = []
        for (root, visit) in zip(roots, rootVisits) {
            guard visits[visit].state == .waiting(-1) else {
                elements.append((try repeated(root, visit), []))
                continue
            }
            try begin(root, visit, owner: -1, inverse: nil, nesting: 0, depth: 0)
            while !frames.isEmpty { try step() }
            elements.append((.nested(visit), detached))
            detached.removeAll()
        }
        return assembled(elements)
    }

    /// The index of an object's visit, which is made where it is met for the first time.
    private mutating func visit(of node: Source.Node) -> Int {
        func take(_ index: inout Int) -> Int { index }
        let index = take(&indexes[source.key(of: node), default: visits.count])
        if index == visits.count { visits.append(Visit()) }
        return index
    }

    /// Sees to it that objects are written here and not deeper, where one of them leads to the others.
    private mutating func claim(_ members: [Int], for frame: Int) {
        for visit in members where visits[visit].state == .met { visits[visit].state = .waiting(frame) }
    }

    // MARK: Steps

    /// Goes on with the innermost object.
    private mutating func step() throws {
        stepCount += 1
        let top = frames.count - 1
        if frames[top].nextMember < frames[top].members.count {
            let next = frames[top].nextMember
            frames[top].nextMember += 1
            return try meet(frames[top].members[next], frames[top].memberVisits[next])
        }
        closeRelationship(top)
        let isAtLimit = options.maximumDepth.map { frames[top].depth >= $0 } ?? false
        guard !isAtLimit, frames[top].nextRelationship < frames[top].relationships.count else { return finish() }
        frames[top].nextRelationship += 1
        let members = try source.members(of: frames[top].node, relationship(top))
        frames[top].nextMember = 0
        frames[top].members = members
        frames[top].memberVisits = members.map { visit(of: $0) }
        // At the limit, what is written isn't the last word: a shorter path may lead to it.
        if frames[top].depth + 1 != options.maximumDepth || options.repeatedObjects == .referenced {
            claim(frames[top].memberVisits, for: top)
        }
    }

    /// The relationship that a frame is writing.
    private func relationship(_ frame: Int) -> Relationship {
        frames[frame].relationships[frames[frame].nextRelationship - 1]
    }

    /// Enters what the current relationship has become.
    private mutating func closeRelationship(_ top: Int) {
        guard frames[top].nextRelationship > 0 else { return }
        let relationship = relationship(top)
        // Where all members were left out, the relationship isn't empty: nothing is said of it.
        let isSilent =
            frames[top].elements.isEmpty && !(relationship.property.isToMany && frames[top].members.isEmpty)
        if !isSilent { frames[top].draft.parts.append((relationship, frames[top].elements)) }
        frames[top].elements = []
        frames[top].members = []
        frames[top].memberVisits = []
    }

    private mutating func finish() {
        let frame = frames.removeLast()
        let visit = frame.draft.visit
        visits[visit].state = .written
        visits[visit].draft = drafts.count
        drafts.append(frame.draft)
        guard !frames.isEmpty else { return }
        if frame.nesting == 0 {
            visits[visit].isReferenced = true
            detached.append(visit)
            frames[frames.count - 1].elements.append(.reference(visit))
        } else {
            frames[frames.count - 1].elements.append(.nested(visit))
        }
    }

    // MARK: Objects

    /// Takes a member of the current relationship: begins it, or enters what stands for it.
    private mutating func meet(_ member: Source.Node, _ visit: Int) throws {
        let top = frames.count - 1
        if let standIn = try source.standIn(for: member) { return frames[top].elements.append(.plain(standIn)) }
        switch visits[visit].state {
        case .waiting(top):
            let nesting = frames[top].nesting + 1
            let isTooDeep = nesting >= max(1, options.maximumNesting)
            try begin(
                member, visit, owner: frames[top].draft.visit, inverse: relationship(top).property.inverse,
                nesting: isTooDeep ? 0 : nesting, depth: frames[top].depth + 1)
        case .onTheWay where options.repeatedObjects == .leftOut: return
        case .waiting where options.repeatedObjects == .leftOut && relationship(top).property.inverse != nil:
            // The other side says it, when its turn comes.
            return
        case _ where options.repeatedObjects == .referenced && goesWithoutSaying(visit, top): return
        default: frames[top].elements.append(try repeated(member, visit))
        }
    }

    /// Whether a member is the one that led here, and the reader adds it by itself: where it is the only one, and beside others
    /// only in a list without order.
    private func goesWithoutSaying(_ visit: Int, _ top: Int) -> Bool {
        let relationship = relationship(top)
        guard frames[top].inverse == relationship.number, frames[top].owner == visit, relationship.group == nil else {
            return false
        }
        return frames[top].members.count == 1 || frames[top].nesting > 0 && !relationship.property.isOrdered
    }

    /// What stands for an object that was written already, or will be.
    private mutating func repeated(_ node: Source.Node, _ visit: Int) throws -> Element {
        if options.repeatedObjects == .leftOut {
            return .plain(try source.content(of: node, isRoot: false).dictionary)
        }
        visits[visit].isReferenced = true
        return .reference(visit)
    }

    private mutating func begin(
        _ node: Source.Node, _ visit: Int, owner: Int, inverse: Int?, nesting: Int, depth: Int
    ) throws {
        visits[visit].state = .onTheWay
        var content = try source.content(of: node, isRoot: frames.isEmpty)
        // Apart from its relationship, nothing else says what it is.
        if nesting == 0, !frames.isEmpty, options.entityKey == nil {
            content.dictionary[DictionaryKey.entity] = content.entityName
        }
        frames.append(
            Frame(
                node: node, draft: Draft(visit: visit, dictionary: content.dictionary),
                relationships: content.relationships, owner: owner, inverse: inverse, nesting: nesting, depth: depth))
    }

    // MARK: The dictionaries

    /// Puts the dictionaries together, now that it is known which of them need a number.
    private mutating func assembled(_ roots: [(element: Element, detached: [Int])]) -> [[String: Any]] {
        var numbers = [Int](repeating: 0, count: visits.count)
        var lastNumber = 0
        for visit in visits.indices where visits[visit].isReferenced {
            lastNumber += 1
            numbers[visit] = lastNumber
        }
        var made: [[String: Any]] = []
        made.reserveCapacity(drafts.count)
        func dictionary(_ element: Element) -> [String: Any] {
            switch element {
            case .nested(let visit):
                // Each stands in one place, which takes it.
                var taken: [String: Any] = [:]
                swap(&taken, &made[visits[visit].draft])
                return taken
            case .reference(let visit): return [DictionaryKey.reference: numbers[visit]]
            case .plain(let dictionary): return dictionary
            }
        }
        for index in drafts.indices {
            var result = drafts[index].dictionary
            if numbers[drafts[index].visit] > 0 { result[DictionaryKey.number] = numbers[drafts[index].visit] }
            for (relationship, elements) in drafts[index].parts {
                let property = relationship.property
                let value: Any = property.isToMany ? elements.map(dictionary) : dictionary(elements[0])
                result.enter(value, property.name, in: relationship.group)
            }
            drafts[index].parts = []
            drafts[index].dictionary = [:]
            made.append(result)
        }
        return roots.map { element, detached in
            var result = dictionary(element)
            if !detached.isEmpty {
                // Finished from the innermost on; by number they are in the order in which they were met.
                let ordered = detached.sorted { numbers[$0] < numbers[$1] }
                result[DictionaryKey.objects] = ordered.map { dictionary(.nested($0)) }
            }
            return result
        }
    }
}

extension [String: Any] {
    /// Enters a value under a name, in the dictionary below a key where there is one.
    mutating func enter(_ value: Any, _ name: String, in group: String?) {
        guard let group else {
            self[name] = value
            return
        }
        var values = self[group] as? [String: Any] ?? [:]
        values[name] = value
        self[group] = values
    }
}
