// JSON Merge Patch: the examples of RFC 7396, and what such a patch can't say.

import Foundation
import Testing

@testable import Graft

@Suite struct JSONMergePatchTests {
    /// Original, patch and result of appendix A.
    private static let examples = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test func `the examples of appendix A have the results that it gives`() throws {
        for (original, patch, result) in Self.examples {
            let found = try JSONMergePatch(parsing: patch).applying(to: JSONValue(parsing: original))
            #expect(found.description == result, "\(patch) onto \(original)")
        }
    }

    @Test func `the example of section 3 has the result that it gives`() throws {
        let original = try JSONValue(
            parsing: """
                {"title": "Goodbye!", "author": {"givenName": "John", "familyName": "Doe"},
                 "tags": ["example", "sample"], "content": "This will be unchanged"}
                """)
        let patch = try JSONMergePatch(
            parsing: """
                {"title": "Hello!", "phoneNumber": "+01-123-456-7890", "author": {"familyName": null}, "tags": ["example"]}
                """)
        #expect(
            patch.applying(to: original) == [
                "title": "Hello!", "author": ["givenName": "John"], "tags": ["example"],
                "content": "This will be unchanged", "phoneNumber": "+01-123-456-7890",
            ])
    }

    @Test func `the difference of two documents leads from one to the other but for the losses that it names`() throws {
        var lossless = 0
        for seed: UInt64 in 1...3000 {
            var random = SeededGenerator(seed: seed)
            let old = random.document()
            let new = Bool.random(using: &random) ? random.changed(old) : random.document()
            let (patch, losses) = JSONMergePatch.difference(from: old, to: new)
            let expected = try JSONPatch(losses.map { .remove($0) }).applying(to: new)
            #expect(patch.applying(to: old) == expected, "seed \(seed): \(old) to \(new): \(patch)")
            for loss in losses { #expect(try new.value(at: loss).isNull, "seed \(seed)") }
            if losses.isEmpty { lossless += 1 }
        }
        #expect(lossless > 1000)
    }

    @Test func `the difference names only what changes`() {
        let (patch, losses) = JSONMergePatch.difference(
            from: ["a": 1, "b": ["x": 1, "y": [1]], "c": nil, "d": 4],
            to: ["a": 1, "b": ["x": 2, "y": [1]], "c": nil, "e": nil])
        #expect(patch.json == ["d": nil, "b": ["x": 2]])
        #expect(losses == [JSONPatch.Pointer(["e"])])
    }

    @Test func `a patch survives Foundation's coders`() throws {
        let patch = JSONMergePatch(["a": nil, "b": ["c": 1]])
        #expect(try JSONDecoder().decode(JSONMergePatch.self, from: JSONEncoder().encode(patch)) == patch)
        #expect(try JSONMergePatch(parsing: patch.description) == patch)
    }

    @Test func `thousands of members are merged in linear time`() {
        let members = (0..<20_000).map { ("key\($0)", JSONValue.number(JSONValue.Number($0))) }
        let patch = JSONMergePatch(
            .object(JSONValue.Object(members.map { ($0.0, $0.0.hasSuffix("7") ? .null : "new") })))
        let result = patch.applying(to: .object(JSONValue.Object(members)))
        #expect(result["key7"] == nil)
        #expect(result["key19998"] == "new")
    }
}
