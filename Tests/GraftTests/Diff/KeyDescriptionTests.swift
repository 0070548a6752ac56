// The number of an object among those with the same contents comes from the diff's file; ObjectKey.description adds one to it. Conflicts, errors,
// texts and pages show keys by it.

import Foundation
import Graft
import Testing

@Suite struct KeyDescriptionTests {
    @Test func `the key of a diff from outside is described, or refused, whatever number it has`() async {
        await #expect(processExitsWith: .success) {
            let text = """
                {"version": 1, "deleted": [
                    {"key": {"entity": "Note", "position": {"root": 9223372036854775807, "contents": "8f3a0c21"}}}]}
                """
            let diff = try? JSONDecoder().decode(GraphDiff.self, from: Data(text.utf8))
            _ = diff?.deleted.first?.key.description
            _ = diff?.text()
        }
    }
}
