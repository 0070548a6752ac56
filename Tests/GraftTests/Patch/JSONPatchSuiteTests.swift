// json-patch-tests (github.com/json-patch/json-patch-tests): what an implementation of RFC 6902 has to do, case by
// case.

import Foundation
import Testing

@testable import Graft

@Suite(.needsReferenceData) struct JSONPatchSuiteTests {
    @Test(arguments: ["tests.json", "spec_tests.json"])
    func `every enabled test of the suite has the result that it demands`(_ file: String) throws {
        let url = sharedData.appendingPathComponent("json-patch-tests/\(file)")
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        guard case .array(let tests) = try JSONValue(parsing: text) else {
            Issue.record("\(file) isn't an array")
            return
        }
        var count = 0
        for (number, test) in tests.enumerated() where test["disabled"] != true {
            guard let document = test["doc"], let patch = test["patch"] else { continue }
            count += 1
            let name: Comment = "\(file) \(number): \(test["comment"]?.description ?? "")"
            if test["error"] != nil {
                #expect(throws: GraftError.self, name) { try JSONPatch(patch).applying(to: document) }
            } else {
                let result = try #require(try? JSONPatch(patch).applying(to: document), name)
                if let expected = test["expected"] { #expect(result == expected, name) }
            }
        }
        #expect(count > (file == "tests.json" ? 90 : 15))
    }
}
