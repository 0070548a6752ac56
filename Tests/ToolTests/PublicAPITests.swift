// How large the library's API is: each public type at the top is something that users have in hand, and a page names it. What
// belongs to one of them is nested in it; readers, writers and converters are `package`.

import Foundation
import Testing

@Suite struct PublicAPITests {
    /// A type more needs a reason why none of these can be given up for it.
    static let limit = 45

    /// The public types of `Graft` that aren't nested in others.
    private func types() throws -> [String] {
        let root = Project.root.appending(path: "Sources/Graft")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects ?? []
        let declaration =
            /(?m)^(?:@[a-zA-Z()]+\s+)*public (?:(?:final|indirect|nonisolated) )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.flatMap { file in
            try String(contentsOf: file, encoding: .utf8).matches(of: declaration).map { String($0.1) }
        }.sorted()
    }

    @Test func `the library has few public types at the top`() throws {
        let types = try types()
        try #require(types.contains("GraphDiff") && types.contains("ManagedCodable"))
        #expect(types.count <= Self.limit, "\(types.count): \(types)")
        #expect(Set(types).count == types.count)
    }

    @Test func `a page names each of them`() throws {
        let pages = try Pages.all().map(\.text).joined(separator: "\n")
        for type in try types() {
            #expect(pages.contains(try Regex("`\(type)\\b")), "\(type) is in no page of docs/")
        }
    }
}
