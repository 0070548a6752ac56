// The objects of one entity in the order of their identities, a batch at a time. First a page of IDs, which begins
// behind the last identity of the page before, then the objects of each batch with what is needed of them. So neither
// objects nor IDs of the whole store are in memory.

import CoreData

/// Reads one side of a comparison.
struct IdentityStream {
    private let side: StoreSide
    private let entity: Int
    private let relationships: [String]
    private let pageSize: Int
    private let batchSize: Int
    private let isPaged: Bool
    private var page: ArraySlice<NSManagedObjectID> = []
    private var isLastPage = false
    /// The IDs in their order, where they needn't be looked for by identity; and how many the pages before have had.
    private let ids: DifferingObjects.IDs?
    private var offset = 0
    private var batch: ArraySlice<NSManagedObject> = []
    private(set) var count = 0

    /// The object to look at; nil at the end.
    private(set) var current: NSManagedObject?
    /// Its identity.
    private(set) var identity: [GraphValue] = []

    /// - Parameters:
    ///   - ids: The objects to read; nil for all.
    ///   - relationships: Those that are read with the objects.
    init(
        _ side: StoreSide, entity: Int, ids: DifferingObjects.IDs? = nil, relationships: [String],
        pageSize: Int = 1 << 16, batchSize: Int = 1000
    ) throws {
        self.side = side
        self.entity = entity
        self.relationships = relationships
        self.pageSize = pageSize
        self.batchSize = batchSize
        let description = side.schema.entities[entity]
        let allByRow = { try side.context.rowIDs(of: description.name, offset: $0, limit: $1) }
        self.ids = ids ?? (description.isByRow == true ? allByRow : nil)
        isPaged = description.identity.allSatisfy { number in
            // Where a store rounds values, what it has can't be asked for exactly.
            switch description.properties[number].attributeKind {
            case .integer16, .integer32, .integer64, .string, .uuid, .date: true
            default: false
            }
        }
        try advance()
    }

    /// Goes on to the next object. The one before may be gone afterwards.
    ///
    /// - Throws: ``GraftError`` with `missingIdentity` or `duplicateIdentity`.
    mutating func advance() throws {
        let last = identity
        let hadObject = current != nil
        if batch.isEmpty { try readBatch() }
        current = batch.popFirst()
        guard let current else { return identity = [] }
        count += 1
        identity = try side.order(of: current, entity)
        guard hadObject else { return }
        switch last.precedes(identity) {
        case true?: return
        case nil:
            throw GraftError(
                .duplicateIdentity(try side.key(of: current).description),
                at: .init(source: side.source, entity: name))
        case false?:
            throw GraftError(
                .other(
                    finding: "the store doesn't order '\(name)' by its identity: \(identity) comes after \(last)",
                    remedy: "Identify the objects by attributes of integers, texts, dates or UUIDs."),
                at: .init(source: side.source, entity: name))
        }
    }

    private var name: String { side.schema.entities[entity].name }

    private mutating func readBatch() throws {
        while batch.isEmpty {
            if page.isEmpty { try readPage() }
            guard !page.isEmpty else { return }
            let ids = page.prefix(batchSize)
            page = page.dropFirst(batchSize)
            // Nobody holds an object of the batch before any more.
            try side.context.resetInSameState()
            batch = try ObjectBatches(
                context: side.context, request: request, batchSize: batchSize, relationships: relationships,
                releasesObjects: true
            ).objects(Array(ids))[...]
        }
    }

    private var request: NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = false
        return request
    }

    private mutating func readPage() throws {
        guard !isLastPage else { return }
        let description = side.schema.entities[entity]
        if let ids {
            page = try ids(offset, pageSize)[...]
            offset += page.count
            isLastPage = page.count < pageSize
            return
        }
        let names = description.identity.map { description.properties[$0].name }
        let request = request
        request.sortDescriptors = names.map { NSSortDescriptor(key: $0, ascending: true) }
        if isPaged {
            request.fetchLimit = pageSize
            if !identity.isEmpty { request.predicate = Self.predicate(names, after: identity) }
        }
        page = try ObjectBatches(
            context: side.context, request: request, batchSize: batchSize, relationships: [], releasesObjects: true
        ).objectIDs()[...]
        isLastPage = !isPaged || page.count < pageSize
    }

    /// For two attributes: `a > 1 OR (a == 1 AND b > 2)`.
    private static func predicate(_ names: [String], after identity: [GraphValue]) -> NSPredicate {
        let alternatives = names.indices.map { last in
            let parts = (0...last).map { index in
                NSPredicate(
                    format: index == last ? "%K > %@" : "%K == %@",
                    argumentArray: [names[index], identity[index].object as Any])
            }
            return NSCompoundPredicate(andPredicateWithSubpredicates: parts) as NSPredicate
        }
        return NSCompoundPredicate(orPredicateWithSubpredicates: alternatives)
    }
}
