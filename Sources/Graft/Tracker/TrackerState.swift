// What a tracker knows, as it is in its file.

import Foundation

/// The state of a tracker.
struct TrackerState: Codable {
    /// The version of the form. A file of a later one is refused.
    static let version = 1

    var version = TrackerState.version
    /// The UUID of the store whose objects are tracked; nil in files of before, and where there is none.
    var store: String?
    /// By what the next version of the model finds the entities and properties of this one; nil in files of before.
    var identifiers: RenamingIdentifiers?
    /// The last state that the server is known to have.
    var base: GraphSnapshot
    /// The objects as they were sent, until the server has answered.
    var sent: GraphSnapshot?
    /// A state of the server that has arrived, and may not have reached the objects yet.
    var incoming: GraphSnapshot?
    /// What both sides changed, and nobody has settled.
    var conflicts: [GraphMerge.Conflict] = []

    enum CodingKeys: String, CodingKey, CaseIterable {
        case version, store, identifiers, base, sent, incoming, conflicts
    }
}
