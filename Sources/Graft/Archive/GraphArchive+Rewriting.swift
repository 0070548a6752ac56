// The law that fuzzing holds archives against (Fuzzing/Sources/FuzzTargets): records that were read and written anew are the same
// when they are read again. No context and no model take part, so that it is fast.

package import Foundation

extension GraphArchive {
    /// The archive's records, written anew: numbered in their order, without names that say anything, and without the model.
    ///
    /// - Throws: As ``verify(progress:)``.
    package func rewritten() throws -> Data {
        final class Collector { var bytes = ByteBuffer(capacity: 1 << 12) }
        let collector = Collector()
        let decoder = try decoder()
        let entities = try decoder.header.archiveEntities()
        var records: [ArchiveRecord] = []
        while let record = try decoder.next() { records.append(record) }
        var places = ValuesByNumber<Int>()
        for (place, record) in records.enumerated() { places[record.number] = place }
        let names = records.enumerated().map { "\(entities[$1.entity].name)#\($0)" }
        let encoder: any ArchiveEncoder =
            switch decoder.header.encoding {
            case .json: LineArchiveEncoder(entities, names: names) { collector.bytes.append($0) }
            case .binary: BlockArchiveEncoder(entities, isCompressed: false) { collector.bytes.append($0) }
            }
        try encoder.begin(decoder.header, model: nil)
        for var record in records {
            record.number = places[record.number] ?? ArchiveRecord.none
            record.destinations = record.destinations.map { $0 < 0 ? $0 : places[$0] ?? ArchiveRecord.none }
            record.members = record.members.map { $0.compactMap { places[$0] } }
            try encoder.write(record)
        }
        try encoder.end()
        return collector.bytes.data
    }
}
