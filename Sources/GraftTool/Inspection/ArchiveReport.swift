// What `graft inspect` tells about an archive: its header.
//
//     heroes.archive: archive, JSON, format version 1, 4210 bytes, with its model
//     Model checksum q5Vx...
//
//     ENTITY  OBJECTS
//     Hero          4

import Foundation
import Graft

/// An archive's header, for people and as JSON.
struct ArchiveReport: Encodable {
    var file: String
    var size: Int
    var hasModel: Bool
    var header: GraphArchive.Header
}

extension ReportText {
    static func lines(_ archive: ArchiveReport) -> [String] {
        let header = archive.header
        let encoding = header.encoding == .json ? "JSON" : "binary"
        let model = archive.hasModel ? "with its model" : "without its model"
        return [
            "\(archive.file): archive, \(encoding), format version \(header.version), \(archive.size) bytes, \(model)",
            "Model checksum \(header.modelChecksum)", "",
        ] + tree(header)
    }

    private static func tree(_ header: GraphArchive.Header) -> [String] {
        var rows = [["ENTITY", "OBJECTS"]]
        func add(childrenOf parent: String?, depth: Int) {
            guard depth < 256 else { return }
            for entity in header.entities.sorted(by: { $0.name < $1.name }) where entity.superentity == parent {
                rows.append([String(repeating: "  ", count: depth) + entity.name, "\(entity.objectCount)"])
                add(childrenOf: entity.name, depth: depth + 1)
            }
        }
        add(childrenOf: nil, depth: 0)
        return TextTable.lines(rows, rightAligned: [1])
    }
}
