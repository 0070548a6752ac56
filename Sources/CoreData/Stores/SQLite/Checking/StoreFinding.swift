// What a check of a store finds, as data and in words.

import Foundation

/// Something in a store that isn't as the model, or Core Data, has it.
package struct StoreFinding: Sendable, Equatable {
    /// What is wrong.
    package enum Kind: String, Sendable, CaseIterable {
        /// What SQLite's own check of the file says.
        case damagedFile
        /// A table that can't be read.
        case unreadableTable
        /// A row of an entity that its table doesn't have (`Z_ENT`).
        case unknownEntity
        /// A key that several rows have.
        case duplicateRow
        /// A value of another type than the property's, or one that can't be read.
        case unreadableValue
        /// A value in a file beside the store that isn't there.
        case missingFile
        /// A value in a file that another value is in, too.
        case sharedFile
        /// A link to a row that isn't there.
        case danglingReference
        /// A link to a row of an entity that the relationship can't lead to.
        case wrongDestination
        /// A pair that a join table has several times.
        case duplicateLink
        /// A link to a row that is there, with the number of another entity beside it.
        case wrongEntityNumber
        /// An order key (`Z_FOK_...`) that is missing, or there twice.
        case brokenOrder
        /// Several rows with the values of a uniqueness constraint.
        case brokenUniqueness
        /// Several rows with the identity that the model's annotations declare.
        case duplicateIdentity
        /// A counter of keys (`Z_MAX`) below the largest key.
        case lowKeyCounter
        /// A counter of keys that has no key left for new rows.
        case spentKeyCounter
        /// A column that is declared with another type, by which SQLite changes what is written.
        case wrongColumnType
        /// Keys, pairs or values that nothing in the file keeps unique.
        case missingConstraint
        /// A trigger that a derived attribute needs and the file hasn't.
        case missingTrigger
        /// A row without a version (`Z_OPT`).
        case missingVersion
        /// No value in a mandatory attribute.
        case missingValue
        /// A value that a validation rule of the model forbids, or that isn't written as Core Data writes it.
        case forbiddenValue
        /// No object in a mandatory to-one relationship.
        case orphan
        /// A link of a one-to-one relationship that only one of the two rows has.
        case oneSidedLink
        /// A file beside the store that no row refers to.
        case unusedFile
        /// An index that a new store has, so that searches are fast.
        case missingIndex

        /// Whether Apple's own stores have such rows, and everything can be read all the same.
        package var isNote: Bool {
            switch self {
            case .missingValue, .forbiddenValue, .orphan, .oneSidedLink, .unusedFile, .missingIndex: true
            default: false
            }
        }
    }

    /// What can be done without inventing anything.
    package enum Mend: Sendable, Equatable {
        /// What a repair does: `sets it to null`.
        case possible(String)
        /// Nothing; why, and what a person can do.
        case impossible(String)
    }

    package var kind: Kind
    package var entity: String?
    /// The row's key (`Z_PK`).
    package var row: Int64?
    package var property: String?
    /// What was found, without a full stop.
    package var finding: String
    package var mend: Mend

    package init(
        _ kind: Kind, entity: String? = nil, row: Int64? = nil, property: String? = nil, _ finding: String,
        mend: Mend
    ) {
        self.kind = kind
        self.entity = entity
        self.row = row
        self.property = property
        self.finding = finding
        self.mend = mend
    }

    init(_ kind: Kind, _ stray: StrayRow) {
        self.init(kind, entity: stray.entity, row: stray.row, stray.finding, mend: .impossible(stray.remedy))
    }

    package var isMendable: Bool {
        if case .possible = mend { true } else { false }
    }

    /// Where it is: `Hero.publisher of row 12`; nil where it is about the file.
    package var place: String? {
        let name = [entity, property].compactMap(\.self).joined(separator: ".")
        guard let row else { return name.isEmpty ? nil : name }
        return name.isEmpty ? "row \(row)" : "\(name) of row \(row)"
    }
}

/// How much a check has looked at, and how much it has found.
package struct StoreCheckSummary: Sendable, Equatable {
    package var entities = 0
    package var rows = 0
    package var damages = 0
    package var notes = 0
    package var mended = 0
    /// The values that only their application's transformers can read.
    package var unreadTransformables = 0

    package var findings: Int { damages + notes }

    package init() {}
}
