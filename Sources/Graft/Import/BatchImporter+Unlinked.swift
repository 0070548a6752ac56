// Links that can't be made: to an object of another entity than the relationship leads to, or to one that isn't there by the end. The
// first one ends the import; or all are noted, so that an import which goes on without their records begins anew once, and not for each.

import Foundation

extension BatchImporter {
    /// A link that can't be made.
    struct Unlinked {
        /// The number of the text that has it.
        var source: Int
        /// Why, with the offset of who has it.
        var error: GraftError
    }

    /// Notes that a link can't be made.
    ///
    /// - Throws: The error, where nothing is noted, or where it isn't one of a record.
    func refuse(_ error: GraftError, source: Int) throws {
        guard unlinked != nil, error.concernsOneRecord, error.place.byteOffset != nil else {
            sourceNumber = source
            throw error
        }
        unlinked?.append(Unlinked(source: source, error: error))
    }

    /// Hands over what has been noted.
    func takeUnlinked() -> [Unlinked] {
        guard let noted = unlinked else { return [] }
        unlinked = []
        return noted
    }
}
