// Where an archive says both ends of a relationship, they have to say the same: a list and what its members say, the two lists of a
// many-to-many relationship with an order, and objects that can have only one partner. Archives that graft writes do; one that was
// edited may not, and what to make of it would depend on who reads it.

import CoreData

/// Compares what the ends of relationships say: in no more memory than a sum for each, but for the partners in one-to-one
/// relationships.
final class LinkBalance {
    /// A relationship where it is declared.
    private typealias Relationship = GraphSnapshot.Column

    private enum Role {
        /// The other end says it, too: this one's pairs are added to a sum, or taken from it, or both where it is its own inverse.
        case pairs(sum: Int, adds: Bool, takes: Bool)
        /// Only this end is said of a one-to-one relationship.
        case partner(Int)
    }

    private struct Partner: Hashable {
        var relationship: Int
        var number: Int
    }

    private let schema: GraphSchema
    private var relationships: [Relationship] = []
    private var sums: [UInt64] = []
    private var partners: Set<Partner> = []
    /// By entity of the archive and column.
    private var toOnes: [[Role?]] = []
    private var toManys: [[Role?]] = []

    init(_ match: ArchiveModelMatch) {
        schema = match.schema
        for entity in match.entities {
            toOnes.append(
                entity?.toOnes.map { column in column.flatMap { role(of: $0, entity?.number ?? 0, match) } } ?? [])
            toManys.append(
                entity?.toManys.map { column in column.flatMap { role(of: $0, entity?.number ?? 0, match) } } ?? [])
        }
    }

    private func role(of number: Int, _ entity: Int, _ match: ArchiveModelMatch) -> Role? {
        let property = schema.entities[entity].properties[number]
        guard let destination = property.destination, let inverse = property.inverse else { return nil }
        let own = Relationship(entity: schema.declaringEntity(of: number, entity), property: number)
        if schema.isOneToOne(property) { return match.saysBothEnds(of: property) ? nil : .partner(index(of: own)) }
        guard match.says(inverse, of: destination) else { return nil }
        let other = Relationship(entity: schema.declaringEntity(of: inverse, destination), property: inverse)
        let isOwner =
            property.isToMany
            && (schema.isExclusive(property)
                || (own.entity, own.property) <= (other.entity, other.property))
        return .pairs(sum: index(of: isOwner ? own : other), adds: isOwner, takes: !isOwner || own == other)
    }

    private func index(of relationship: Relationship) -> Int {
        if let known = relationships.firstIndex(of: relationship) { return known }
        relationships.append(relationship)
        sums.append(0)
        return relationships.count - 1
    }

    /// Takes a record into account.
    ///
    /// - Throws: ``GraftError`` with `damagedArchive` for the second object with the same partner.
    func add(_ record: ArchiveRecord) throws {
        for (column, role) in toOnes[record.entity].enumerated() {
            let end = record.destinations[column]
            guard let role, end != ArchiveRecord.none else { continue }
            switch role {
            case .pairs(let sum, _, _): sums[sum] &-= Self.mixed(owner: end, member: record.number)
            case .partner(let relationship):
                if partners.insert(Partner(relationship: relationship, number: end)).inserted { continue }
                throw damage(relationship, found: "an object that two others have", expected: "one that has it")
            }
        }
        for (column, role) in toManys[record.entity].enumerated() {
            guard case .pairs(let sum, let adds, let takes)? = role else { continue }
            for member in record.members[column] {
                if adds { sums[sum] &+= Self.mixed(owner: record.number, member: member) }
                if takes { sums[sum] &-= Self.mixed(owner: member, member: record.number) }
            }
        }
    }

    /// Makes sure that all ends have said the same.
    ///
    /// - Throws: ``GraftError`` with `damagedArchive` for a relationship whose ends don't.
    func check() throws {
        guard let sum = sums.firstIndex(where: { $0 != 0 }) else { return }
        throw damage(
            sum, found: "links that one end has and the other end doesn't", expected: "the same from both ends")
    }

    private func damage(_ relationship: Int, found: String, expected: String) -> GraftError {
        let (entity, property) = (relationships[relationship].entity, relationships[relationship].property)
        return GraftError(
            .damagedArchive(found: found, expected: expected),
            at: .init(
                entity: schema.entities[entity].name, property: schema.entities[entity].properties[property].name))
    }

    /// A number of a pair, so that sums of different pairs differ (the finalizer of SplitMix64).
    private static func mixed(owner: Int, member: Int) -> UInt64 {
        var mixed = UInt64(truncatingIfNeeded: owner) << 32 ^ UInt64(truncatingIfNeeded: member)
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
