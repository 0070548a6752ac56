// JSON Pointers: the examples of RFC 6901, section 5, and what isn't one.

import Foundation
import Testing

@testable import Graft

@Suite struct JSONPointerTests {
    private let document: JSONValue = [
        "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8,
    ]

    @Test func `the examples of the RFC lead where it says`() throws {
        let examples: [(String, JSONValue)] = [
            ("", document), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2),
            ("/e^f", 3), ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8),
        ]
        for (text, value) in examples {
            let pointer = try JSONPatch.Pointer(parsing: text)
            #expect(try document.value(at: pointer) == value, "\(text)")
            #expect(pointer.description == text)
            let data = try JSONEncoder().encode([pointer])
            #expect(try JSONDecoder().decode([JSONPatch.Pointer].self, from: data) == [pointer])
        }
    }

    @Test(arguments: ["foo", "#/foo", "/~", "/a~", "/~2", "/~a"])
    func `a text that isn't a pointer is refused`(_ text: String) {
        let error = graftError { _ = try JSONPatch.Pointer(parsing: text) }
        guard case .invalidPointer(text, _)? = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("RFC 6901") == true)
    }

    @Test(arguments: ["/foo/-", "/foo/2", "/foo/01", "/foo/-1", "/foo/1e0", "/foo/+1", "/foo/99999999999999999999"])
    func `an index that leads nowhere is refused with the indexes that there are`(_ text: String) {
        let error = graftError { _ = try document.value(at: JSONPatch.Pointer(parsing: text)) }
        #expect(error?.description.contains("an index from 0 to 1") == true, "\(String(describing: error))")
        #expect(error?.description.contains("'\(text)'") == true)
    }

    @Test func `keys are compared by their bytes`() throws {
        let document: JSONValue = .object(JSONValue.Object([("é", 1), ("e\u{301}", 2)]))
        #expect(try document.value(at: JSONPatch.Pointer(["é"])) == 1)
        #expect(try document.value(at: JSONPatch.Pointer(["e\u{301}"])) == 2)
        #expect(JSONPatch.Pointer(["é"]) != JSONPatch.Pointer(["e\u{301}"]))
    }
}
