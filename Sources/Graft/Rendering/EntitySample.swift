// The objects of one entity as a page shows them: numbers over a sample, and the first rows. What is damaged is left out.

import CoreData
import Foundation

/// What a page shows of one entity.
struct EntitySample {
    struct Cell {
        var text: String
        /// The objects that a relationship leads to, as far as they are named.
        var links: [ObjectLink] = []
    }

    /// An object by its entity and its key in the store.
    struct ObjectLink: Hashable {
        var entity: String
        var key: String

        init(_ id: NSManagedObjectID) {
            entity = id.entity.name ?? ""
            key = id.uriRepresentation().lastPathComponent
        }
    }

    let entity: GraphSchema.Entity
    /// All objects of exactly this entity.
    let count: Int
    /// How many of them were looked at.
    private(set) var sampleCount = 0
    /// How many more were to be looked at, and can't be read.
    private(set) var damagedCount = 0
    /// By number of the property; of to-one relationships only whether they lead to something.
    private(set) var statistics: [ValueStatistics]
    private(set) var rows: [(link: ObjectLink, cells: [Cell])] = []

    /// Whether some that can be read weren't looked at.
    var isPart: Bool { sampleCount + damagedCount < count }

    /// How many members of a to-many relationship a row names.
    private static let namedMembers = 3
    private static let runCount = 20

    /// - Parameters:
    ///   - sampleSize: How many objects are looked at, or somewhat more; of more than that, runs of them spread evenly.
    ///   - rowCount: How many rows are kept. These are looked at in any case.
    init(
        _ entity: GraphSchema.Entity, in context: NSManagedObjectContext, sampleSize: Int, rowCount: Int,
        text: (GraphValue) -> String
    ) throws {
        self.entity = entity
        statistics = entity.properties.map { _ in ValueStatistics() }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
        request.includesSubentities = false
        count = try context.count(for: request)
        let damage = GraphDamage(context) { _ in }
        for run in Self.runs(of: count, sampleSize, rowCount) where !run.isEmpty {
            request.fetchOffset = run.lowerBound
            request.fetchLimit = run.count
            var batches = ObjectBatches(
                context: context, request: request, batchSize: run.count, relationships: [], releasesObjects: true)
            batches.damage = damage
            damagedCount += run.count
            try batches.forEach { objects in
                damagedCount -= objects.count
                for object in objects { try add(object, rowCount, text, damage) }
            }
        }
    }

    /// Which objects are looked at, each once: the rows that are shown, then parts of the others; all where that leaves none out.
    private static func runs(of count: Int, _ sampleSize: Int, _ rowCount: Int) -> [Range<Int>] {
        let length = max(1, sampleSize / runCount), others = runCount - 1
        let first = min(count, max(length, rowCount))
        if count <= sampleSize || count - first <= others * length { return [0..<count] }
        let starts = (0..<others).map { first + $0 * (count - first - length) / (others - 1) }
        return [0..<first] + starts.map { $0..<$0 + length }
    }

    /// Adds an object; relationships that can't be read are empty.
    private mutating func add(
        _ object: NSManagedObject, _ rowCount: Int, _ text: (GraphValue) -> String, _ damage: GraphDamage
    ) throws {
        do {
            try object.withFaultsAsErrors { try add(object, rowCount, text) }
        } catch  where damage.isLeavingOut(error) {
            return
        }
    }

    private mutating func add(_ object: NSManagedObject, _ rowCount: Int, _ text: (GraphValue) -> String) throws {
        sampleCount += 1
        let isShown = rows.count < rowCount
        var cells: [Cell] = []
        for (number, property) in entity.properties.enumerated() {
            switch property.kind {
            case .attribute:
                let value = try object.graphValue(number, property)
                statistics[number].add(value)
                if isShown { cells.append(Cell(text: value.isNull ? "" : text(value))) }
            case .toOne:
                let id = object.destinationID(number, property)
                statistics[number].add(id == nil ? .null : .boolean(true))
                if isShown { cells.append(Cell(text: "", links: id.map { [ObjectLink($0)] } ?? [])) }
            case .toMany:
                guard isShown else { continue }
                let members = object.memberIDs(number, property)
                let rest = members.count - Self.namedMembers
                cells.append(
                    Cell(
                        text: rest > 0 ? "\(rest) more" : "",
                        links: members.prefix(Self.namedMembers).map { ObjectLink($0) }))
            }
        }
        if isShown { rows.append((ObjectLink(object.objectID), cells)) }
    }
}
