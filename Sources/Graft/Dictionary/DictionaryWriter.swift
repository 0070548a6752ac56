// From objects to nested dictionaries, depth first with a stack of its own: a chain of 100,000 objects takes no more of the
// thread's stack than one object. Each object is expanded once in a call, so the work is linear in objects and links,
// whatever the graph looks like.
//
//     frames      the objects on the way, outermost first, each with the dictionary that it will be
//     visits      what became of each object that was met: waiting beside one on the way, on the way, or written
//     indexes     where an object's visit is
//     detached    the dictionaries for $objects: where frames would be nested too deep, a new nest begins

import CoreData

/// Makes dictionaries of objects.
struct DictionaryWriter {
    /// An object on the way.
    private struct Frame {
        let object: NSManagedObject
        /// The index of its visit.
        let visit: Int
        let plan: DictionaryPlan
        var dictionary: [String: Any]
        /// The index of the next relationship in the plan.
        var nextRelationship = 0
        /// The members of the current relationship, their visits, and which of them is next.
        var members: [NSManagedObject] = []
        var memberVisits: [Int] = []
        var nextMember = 0
        /// What stands for the members so far.
        var elements: [[String: Any]] = []
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
        /// The number that it has in the dictionaries, so that it can be referred to.
        var number: Int?
    }

    private let compiled: CompiledModel
    private let options: DictionaryOptions
    private var plans: [DictionaryPlan?]
    private var frames: [Frame] = []
    private var visits: [Visit] = []
    /// The index of each object's visit. It is looked up once for each link and goes along from there: in a large graph, most
    /// of the time would go into finding objects in this table.
    private var indexes: [ObjectIdentifier: Int] = [:]
    private var detached: [(number: Int, dictionary: [String: Any])] = []
    private var lastNumber = 0

    init(_ compiled: CompiledModel, _ options: DictionaryOptions) {
        self.compiled = compiled
        self.options = options
        plans = compiled.schema.entities.map { _ in nil }
    }

    /// Makes the dictionaries of some objects. Each of them is written at the top, not nested in another one.
    ///
    /// - Throws: ``GraftError`` with entity and property for a value without the form that is asked for.
    mutating func dictionaries(of roots: [NSManagedObject]) throws -> [[String: Any]] {
        try options.checkNames(in: compiled.schema)
        // A root that is met elsewhere has been written or will be.
        let rootVisits = roots.map { visit(of: $0) }
        claim(rootVisits, for: -1)
        var dictionaries: [[String: Any]] = []
        for (root, visit) in zip(roots, rootVisits) {
            let isFirst = visits[visit].state == .waiting(-1)
            dictionaries.append(isFirst ? try dictionary(of: root, visit) : try repeated(root, visit))
        }
        return dictionaries
    }

    /// The index of an object's visit, which is made where it is met for the first time.
    private mutating func visit(of object: NSManagedObject) -> Int {
        func take(_ index: inout Int) -> Int { index }
        let index = take(&indexes[ObjectIdentifier(object), default: visits.count])
        if index == visits.count { visits.append(Visit()) }
        return index
    }

    /// Sees to it that objects are written here and not deeper, where one of them leads to the others.
    private mutating func claim(_ members: [Int], for frame: Int) {
        for visit in members where visits[visit].state == .met {
            let number = options.repeatedObjects == .referenced ? nextNumber() : nil
            visits[visit] = Visit(state: .waiting(frame), number: number)
        }
    }

    private mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private mutating func dictionary(of root: NSManagedObject, _ visit: Int) throws -> [String: Any] {
        try begin(root, visit, nesting: 0, depth: 0)
        var finished: [String: Any] = [:]
        while !frames.isEmpty {
            if let dictionary = try step() { finished = dictionary }
        }
        if !detached.isEmpty {
            // Completed from the innermost on; by number they are in the order in which they were met.
            finished[DictionaryKey.objects] = detached.sorted { $0.number < $1.number }.map(\.dictionary)
            detached.removeAll()
        }
        return finished
    }

    // MARK: Steps

    /// Goes on with the innermost object; returns its dictionary where it was the outermost and is finished.
    private mutating func step() throws -> [String: Any]? {
        let top = frames.count - 1
        if frames[top].nextMember < frames[top].members.count {
            let next = frames[top].nextMember
            frames[top].nextMember += 1
            try meet(frames[top].members[next], frames[top].memberVisits[next])
            return nil
        }
        closeRelationship(top)
        let plan = frames[top].plan
        let isAtLimit = options.maximumDepth.map { frames[top].depth >= $0 } ?? false
        guard !isAtLimit, frames[top].nextRelationship < plan.relationships.count else { return finish() }
        open(plan.relationships[frames[top].nextRelationship], top)
        return nil
    }

    private mutating func open(_ relationship: DictionaryPlan.Relationship, _ top: Int) {
        let object = frames[top].object
        frames[top].nextRelationship += 1
        frames[top].nextMember = 0
        let members =
            relationship.property.isToMany
            ? object.members(relationship.number, relationship.property)
            : object.destination(relationship.number, relationship.property).map { [$0] } ?? []
        // A deletion reaches relationships only when the context processes its changes.
        let remaining = members.contains(where: \.isDeleted) ? members.filter { !$0.isDeleted } : members
        frames[top].members = remaining
        frames[top].memberVisits = remaining.map { visit(of: $0) }
        // At the limit, what is written isn't the last word: a shorter path may lead to it.
        if frames[top].depth + 1 != options.maximumDepth || options.repeatedObjects == .referenced {
            claim(frames[top].memberVisits, for: top)
        }
    }

    /// Enters what the current relationship has become.
    private mutating func closeRelationship(_ top: Int) {
        guard frames[top].nextRelationship > 0 else { return }
        let property = frames[top].plan.relationships[frames[top].nextRelationship - 1].property
        // Where all members were left out, the relationship isn't empty: nothing is said of it.
        let isSilent = frames[top].elements.isEmpty && !(property.isToMany && frames[top].members.isEmpty)
        if !isSilent {
            frames[top].dictionary[property.name] = property.isToMany ? frames[top].elements : frames[top].elements[0]
        }
        frames[top].elements = []
        frames[top].members = []
        frames[top].memberVisits = []
    }

    /// Puts the innermost object's dictionary where it belongs.
    private mutating func finish() -> [String: Any]? {
        let frame = frames.removeLast()
        visits[frame.visit].state = .written
        guard !frames.isEmpty else { return frame.dictionary }
        if frame.nesting == 0, let number = visits[frame.visit].number {
            detached.append((number, frame.dictionary))
            frames[frames.count - 1].elements.append([DictionaryKey.reference: number])
        } else {
            frames[frames.count - 1].elements.append(frame.dictionary)
        }
        return nil
    }

    // MARK: Objects

    /// Takes a member of the current relationship: begins it, or enters what stands for it.
    private mutating func meet(_ member: NSManagedObject, _ visit: Int) throws {
        let top = frames.count - 1
        switch visits[visit].state {
        case .waiting(top):
            let nesting = frames[top].nesting + 1
            let isTooDeep = nesting >= max(1, options.maximumNesting)
            return try begin(member, visit, nesting: isTooDeep ? 0 : nesting, depth: frames[top].depth + 1)
        case .onTheWay where options.repeatedObjects == .leftOut: return
        case .waiting where options.repeatedObjects == .leftOut && hasInverse(top):
            // The other side says it, when its turn comes.
            return
        default: frames[top].elements.append(try repeated(member, visit))
        }
    }

    private func hasInverse(_ top: Int) -> Bool {
        frames[top].plan.relationships[frames[top].nextRelationship - 1].property.inverse != nil
    }

    /// What stands for an object that was written already, or will be.
    private mutating func repeated(_ object: NSManagedObject, _ visit: Int) throws -> [String: Any] {
        if let number = visits[visit].number { return [DictionaryKey.reference: number] }
        return try attributes(of: object, plan(of: object))
    }

    private mutating func begin(_ object: NSManagedObject, _ visit: Int, nesting: Int, depth: Int) throws {
        let plan = try plan(of: object)
        var number = visits[visit].number
        if nesting == 0, !frames.isEmpty, number == nil { number = nextNumber() }
        visits[visit] = Visit(state: .onTheWay, number: number)
        var dictionary = try attributes(of: object, plan)
        if let number { dictionary[DictionaryKey.number] = number }
        // Apart from its relationship, nothing else says what it is.
        if nesting == 0, !frames.isEmpty, options.entityKey == nil {
            dictionary[DictionaryKey.entity] = plan.writtenName
        }
        frames.append(
            Frame(object: object, visit: visit, plan: plan, dictionary: dictionary, nesting: nesting, depth: depth))
    }

    private mutating func plan(of object: NSManagedObject) throws -> DictionaryPlan {
        let number = try compiled.number(of: object.entity)
        if let plan = plans[number] { return plan }
        let plan = try DictionaryPlan(number, in: compiled.schema, options)
        plans[number] = plan
        return plan
    }

    private func attributes(of object: NSManagedObject, _ plan: DictionaryPlan) throws -> [String: Any] {
        var dictionary: [String: Any] = [:]
        dictionary.reserveCapacity(plan.attributes.count + plan.relationships.count + 1)
        if let key = options.entityKey { dictionary[key] = plan.writtenName }
        for number in plan.attributes {
            let property = plan.properties[number]
            do {
                let value = try DictionaryValue.object(for: object, number, property, form: options.valueForm)
                if let value { dictionary[property.name] = value }
            } catch let error as GraftError {
                throw error.located(in: .init(entity: plan.name, property: property.name))
            }
        }
        return dictionary
    }
}
