// Identifiers that are UUIDs are compared without regard to the case of their letters (ShapeReader.identifier). A UUID attribute takes both
// for one, and writes capitals: a difference that has to be said. A text attribute takes them for two: then they are no reference.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ReferenceCaseInferenceTests {
    private static let identifier = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"

    private static func isEqual(_ data: InferredData) -> Bool {
        zip(data.exported, data.original).allSatisfy { Set($0) == Set($1) && $0.count == $1.count }
    }

    @Test func `a reference that is written in other letters is named as a difference`() throws {
        let data = try InferredData([
            ("publishers.json", #"[{"id": "\#(Self.identifier)", "name": "a"}]"#),
            ("heroes.json", #"[{"name": "b", "publisher_id": "\#(Self.identifier.lowercased())"}]"#),
        ])
        #expect(data.report.total.stubs == 0)
        #expect(
            Self.isEqual(data) || data.inference.guesses.contains { $0.difference != nil },
            "\(data.exported) without a difference")
    }

    @Test func `texts that differ in their letters alone are no references to each other`() throws {
        let data = try InferredData([
            ("publishers.json", #"[{"id": "\#(Self.identifier)", "name": "a"}, {"id": "x", "name": "c"}]"#),
            ("heroes.json", #"[{"name": "b", "publisher_id": "\#(Self.identifier.lowercased())"}]"#),
        ])
        // No publisher is made up.
        #expect(data.report.total.stubs == 0)
        #expect(data.exported[0].count == 2)
        #expect(
            Self.isEqual(data) || data.inference.guesses.contains { $0.difference != nil },
            "\(data.exported) without a difference")
    }
}
