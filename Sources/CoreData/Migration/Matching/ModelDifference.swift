// What is different between two versions of a model: data. The words are in ModelDifference+Words.swift, the comparison
// in ModelComparison.swift.

import Foundation

/// One difference between two versions of a model.
struct ModelDifference: Equatable {
    /// The entity, as the newer version calls it; the older name of a removed one.
    var entity: String
    /// The property, as the newer version calls it, or the path of an element of a composite attribute; the older name of a removed one.
    /// Nil where the entity itself is concerned.
    var property: String?
    var change: Change
    /// Why no mapping can be inferred; nil where one can.
    var obstacle: Obstacle?

    enum Change: Equatable {
        case added
        case removed
        case renamed(from: String)
        case abstract(Bool)
        case superentity(from: String?, to: String?)
        case uniqueness(from: [[String]], to: [[String]])
        case modifier(from: String?, to: String?)
        // Properties
        case optional(Bool)
        case type(from: NSAttributeType, to: NSAttributeType)
        case externalStorage(Bool)
        case keptInHistory(Bool)
        case derivation(from: String?, to: String?)
        /// Elements of a composite attribute that share a name have changed places.
        case elementOrder
        case destination(from: String, to: String)
        case inverse(from: String?, to: String?)
        case count(from: ClosedCount, to: ClosedCount)
        case ordered(Bool)
    }

    /// How many objects a relationship may have; a maximum of 0 is none.
    struct ClosedCount: Equatable {
        var minimum: Int
        var maximum: Int
    }

    enum Obstacle: Equatable {
        case typeChanged
        /// A mandatory attribute that existing objects have no value for.
        case noDefault
        /// A mandatory to-one relationship that existing objects have nothing for.
        case nothingToReferTo
        /// Nothing that the relationship led to is in what it leads to now.
        case unrelatedDestination
        /// Entities that had no common ancestor have one now; their objects' keys may be the same.
        case mergedHierarchies([String])
    }
}
