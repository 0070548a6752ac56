import Foundation
import Testing

@Suite(
    .enabled(
        if: FileManager.default.fileExists(atPath: Repository.specification.path), "the reference data isn't there"))
struct CoverageTests {
    private func page() throws -> CoveragePage {
        let text = try String(contentsOf: Repository.specification, encoding: .utf8)
        return CoveragePage(
            declarations: SpecReader.declarations(in: text), symbols: try ModuleSymbols.extracted(),
            idioms: try Repository.testNames(under: "Tests/ClientTests/Idioms").count)
    }

    @Test func `the coverage page says of each declaration of the list what the module has`() throws {
        let page = try page()
        if ProcessInfo.processInfo.environment["GRAFT_WRITE_COVERAGE"] != nil {
            try page.text.write(to: Repository.coveragePage, atomically: true, encoding: .utf8)
        }
        let found = try String(contentsOf: Repository.coveragePage, encoding: .utf8)
        let difference = page.text.split(separator: "\n").difference(from: found.split(separator: "\n"))
        #expect(difference.isEmpty, "GRAFT_WRITE_COVERAGE=1 scripts/test --filter CoverageTests writes the page anew.")
    }

    @Test func `what is said to lack something is in the list and declared`() throws {
        let page = try page()
        let listed = Set(page.declarations.map(\.path))
        for path in CoverageNotes.missing.keys.sorted() {
            #expect(listed.contains(path), "\(path) isn't in the list.")
            #expect(page.symbols.has(path), "\(path) isn't declared, so it is absent.")
        }
    }

    @Test func `declarations are read with their labels, cases and owners`() {
        let text = """
            ## 3 Tier 1
            ```swift
            class A<T: B>: NSObject {                                  // 3/4
                init?(for url: URL?, _ x: [String: (Int, Int)] = [:])  // 1/2
                class func make<U>(_ u: U, with f: (U) -> Void)        // 1/2
                @preconcurrency func go(_ block: @escaping () -> Void) // 1/2
                weak var b: (any B)? { get set }
            }
            enum A.Kind: UInt {
                case one /*2/3*/, two /*2/3*/,
                     three /*1/2*/
            }
            let Global: String
            ```
            | 1550 | `NSError1550` | `.error1550` | 4/12 |
            ## 7 Tier 3
            ```swift
            let Rare: String
            ```
            """
        #expect(
            SpecReader.declarations(in: text).map(\.path) == [
                "A", "A.init(for:_:)", "A.make(_:with:)", "A.go(_:)", "A.b", "A.Kind", "A.Kind.one", "A.Kind.two",
                "A.Kind.three", "Global", "NSError1550", "CocoaError.Code.error1550",
            ])
    }
}
