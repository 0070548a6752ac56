// Reading, writing and applying JSON Patch beyond what the public suite tests: atomicity, equality, limits, words.

import Foundation
import Testing

@testable import Graft

@Suite struct JSONPatchTests {
    @Test func `a patch that fails leaves the document as it was and names operation, pointer, found and expected`()
        throws
    {
        var document: JSONValue = ["name": "Batman", "powers": [1, 2]]
        let before = document
        let patch = try JSONPatch(
            parsing: """
                [{"op": "replace", "path": "/name", "value": "Robin"}, {"op": "remove", "path": "/powers/0"},
                 {"op": "test", "path": "/powers/0", "value": 3}]
                """)
        let error = graftError { try patch.apply(to: &document) }
        #expect(
            error?.problem
                == .inapplicablePatch(operation: 2, pointer: "/powers/0", found: "2", expected: "3"))
        #expect(document == before)
        #expect(
            error?.description
                == "Operation 2 at '/powers/0' found 2 where it needs 3. "
                + "Make the patch from the document that it is applied to.")
    }

    @Test func `a pointer that ends early says how far it leads`() throws {
        let patch = JSONPatch([.add(JSONPatch.Pointer(["a", "b", "c"]), 1)])
        let error = graftError { _ = try patch.applying(to: ["a": ["x": 1]]) }
        #expect(
            error?.problem
                == .inapplicablePatch(
                    operation: 0, pointer: "/a/b/c", found: "an object without it at '/a'", expected: "the member 'b'"))
    }

    @Test func `numbers are equal by value, texts by their bytes, objects in any order`() throws {
        func passes(_ document: JSONValue, _ value: JSONValue) -> Bool {
            (try? JSONPatch([.test(JSONPatch.Pointer(), value)]).applying(to: document)) != nil
        }
        #expect(try passes(JSONValue(parsing: "1e2"), JSONValue(parsing: "100.00")))
        #expect(try passes(JSONValue(parsing: "[12345678901234567890]"), JSONValue(parsing: "[1234567890123456789e1]")))
        #expect(!passes(1, "1"))
        #expect(!passes(0, false))
        #expect(!passes("é", "e\u{301}"))
        #expect(passes(["a": 1, "b": nil], ["b": nil, "a": 1.0]))
        #expect(!passes(["a": 1, "b": nil], ["a": 1]))
    }

    @Test func `comparing deep objects with members in different orders takes linear time`() throws {
        var one: JSONValue = 1
        var other: JSONValue = 2
        for _ in 0..<200 {
            one = ["a": one, "b": 0]
            other = ["a": other, "b": 0]
        }
        #expect(one != other)
    }

    @Test func `a patch survives JSON and Foundation's coders`() throws {
        let patch = JSONPatch([
            .add(JSONPatch.Pointer(["a", "-"]), nil), .remove(JSONPatch.Pointer(["x/y"])),
            .replace(JSONPatch.Pointer(), ["k": [1, 2.5]]),
            .move(from: JSONPatch.Pointer(["a"]), to: JSONPatch.Pointer(["b"])), .test(JSONPatch.Pointer(["~"]), "t"),
            .copy(from: JSONPatch.Pointer(["a"]), to: JSONPatch.Pointer(["a", "b"])),
        ])
        #expect(try JSONPatch(parsing: patch.description) == patch)
        #expect(try JSONDecoder().decode(JSONPatch.self, from: JSONEncoder().encode(patch)) == patch)
    }

    @Test(arguments: [
        (#"{"op":"add"}"#, "$", "an array of operations"),
        ("[1]", "$[0]", "an operation"),
        (#"[{"op":"add","path":"/a","value":1},{"op":"put","path":"/a"}]"#, "$[1].op", "one of 'add'"),
        (#"[{"op":"add","path":"/a"}]"#, "$[0].value", "the member 'value'"),
        (#"[{"op":"move","path":"/a"}]"#, "$[0].from", "the member 'from'"),
        (#"[{"op":"move","from":"/a","path":"/a/b"}]"#, "$[0].path", "outside of what is moved"),
        (#"[{"op":"remove","path":"a"}]"#, "$[0].path", "isn't a JSON Pointer"),
        (#"[{"path":"/a"}]"#, "$[0].op", "the member 'op'"),
    ])
    func `what isn't a patch is refused with the place in it`(_ text: String, _ place: String, _ words: String) {
        let error = graftError { _ = try JSONPatch(parsing: text) }
        #expect(error?.description.hasPrefix(place + ":") == true, "\(String(describing: error))")
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `copies that double a document again and again are stopped`() throws {
        let wide = (0..<100).map {
            JSONPatch.Operation.copy(from: JSONPatch.Pointer(), to: JSONPatch.Pointer(["a\($0)"]))
        }
        let error = graftError { _ = try JSONPatch(wide).applying(to: ["x": [1, 2, 3]]) }
        guard case .tooLarge(_, JSONPatch.maximumCopiedCount)? = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a patch can't nest a document deeper than it can be written`() throws {
        var value: JSONValue = []
        for _ in 0..<300 { value = [value] }
        var path = JSONPatch.Pointer()
        let operations = (0..<3).map { _ in
            defer { path.tokens += Array(repeating: "0", count: 200) }
            return JSONPatch.Operation.add(path, value)
        }
        #expect(graftError { _ = try JSONPatch(operations).applying(to: nil) }?.problem == .tooDeep(limit: 512))
    }
}
