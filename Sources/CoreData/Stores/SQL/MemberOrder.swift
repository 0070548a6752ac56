// The order of one owner's members, as a save changes it. A store reads the order keys of those that have come or moved, and of one on
// either side; of all where these have no room for them.

import Foundation

package struct MemberOrder {
    let members: [NSManagedObjectID]
    /// The places before and behind which nothing has changed.
    let moved: Range<Int>
    /// Members without an order key: what came from another owner brought that one's along.
    let added: Set<Int64>
    let key: (NSManagedObjectID) throws -> Int64

    /// A member whose order key has to be written; it may be one that isn't in the store yet.
    package struct Move {
        package let member: Int64
        package let key: Int64
        package let isNew: Bool
    }

    /// The members beside which others have come or gone, or that have moved.
    package func neighbourhood() throws -> [Int64] { try known(members[part(isWhole: false)].map(key)) }

    /// What has to be written.
    ///
    /// - Parameter read: Gives the order keys that members have in the store; of all members where it is told so.
    package func moves(
        isWhole: Bool = false, _ read: (_ members: [Int64], _ isWhole: Bool) throws -> [Int64: Int64]
    ) throws -> [Move] {
        let part = part(isWhole: isWhole), members = try members[part].map(key)
        let present = try read(known(members), isWhole)
        let before = members.map { added.contains($0) ? nil : present[$0] }
        let after = SparseOrder.keys(for: before)
        // What is beside the part that changes has to stay.
        let fits =
            (part.lowerBound == 0 || before.first == after.first)
            && (part.upperBound == self.members.count || before.last == after.last)
        guard fits else { return try moves(isWhole: true, read) }
        return members.indices.filter { before[$0] != after[$0] }.map {
            Move(member: members[$0], key: after[$0], isNew: before[$0] == nil)
        }
    }

    private func known(_ members: [Int64]) -> [Int64] { members.filter { !added.contains($0) } }

    private func part(isWhole: Bool) -> Range<Int> {
        isWhole ? members.indices : max(moved.lowerBound - 1, 0)..<min(moved.upperBound + 1, members.count)
    }
}
