// What can't be taken of records, and shows when they become objects: links to what is of another entity than the relationship leads to,
// or isn't there by the end; objects of an abstract entity, or of another type than the stored one's; what is gone and lacks its owner. The
// first one ends the import; or all are noted, so that an import which goes on without their records begins anew once, and not for each.

import Foundation

extension BatchImporter {
    /// Notes that something can't be taken.
    ///
    /// - Throws: The error, where nothing is noted, or where it isn't one of a record.
    func refuse(_ error: GraftError, source: Int) throws {
        guard findings != nil, error.concernsOneRecord, let offset = error.place.byteOffset else {
            sourceNumber = source
            throw error
        }
        findings?.append(RecordFinding(source: source, offset: offset, error: error))
    }

    /// Notes, once, that a row can't be taken: it goes without an object, or with what there is.
    ///
    /// - Throws: The error, where nothing is noted, or where it isn't one of a record.
    func refuse(_ row: RowReference, _ error: GraftError) throws {
        if isRefused(row) { return }
        try refuse(error, source: sourceNumber)
        states[row.entity][row.row].insert(.refused)
    }

    /// Whether a row can't be taken.
    func isRefused(_ row: RowReference) -> Bool { states[row.entity][row.row].contains(.refused) }

    /// Hands over what has been noted.
    func takeFindings() -> [RecordFinding] {
        guard let noted = findings else { return [] }
        findings = []
        return noted
    }
}
