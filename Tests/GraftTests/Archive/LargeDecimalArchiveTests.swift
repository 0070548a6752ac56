// A Decimal is up to 2^128 × 10^127, so 20 × 10^127 is one. Without the zeros at its end it has the exponent 128, which NumberText.decimal
// takes for none: what an archive has written can't be read again. (NumberTextTests has "1e128" among what no decimal can hold.)

import CoreData
import Foundation
import Graft
import Testing

@Suite struct LargeDecimalArchiveTests {
    private static func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity("Limit", [.attribute("value", .decimalAttributeType)])
        return sketch.model()
    }

    private static func values(_ stack: TestStack) throws -> [Decimal?] {
        try stack.perform { context in
            try context.all("Limit").map { ($0.value(forKey: "value") as? NSDecimalNumber)?.decimalValue }
        }
    }

    @Test(arguments: [128, 150], GraphArchive.Encoding.allCases)
    func `a decimal that ends in more than 127 zeros comes back`(_ zeros: Int, _ encoding: GraphArchive.Encoding) throws
    {
        let text = "2" + String(repeating: "0", count: zeros)
        let decimal = try #require(Decimal(string: text))
        try #require("\(decimal)" == text)
        let stack = try TestStack(Self.model())
        try stack.fill { $0.add("Limit", ["value": NSDecimalNumber(decimal: decimal)]) }
        try #require(try Self.values(stack) == [decimal])
        let copy = try TestStack.restored(from: stack.archive(encoding))
        #expect(try Self.values(copy) == [decimal])
    }

    /// The same limit where a SQLite store reads a double ("3.4028236692093846e+165"): `Decimal(string:)` refuses it, and the row counts as
    /// damaged. A save may refuse the value; what it has taken has to be readable.
    @Test func `a SQLite store reads the largest decimal again, or doesn't take it`() throws {
        let stack = try TestStack(Self.model(), .sqlite)
        do {
            try stack.fill { $0.add("Limit", ["value": NSDecimalNumber(decimal: .greatestFiniteMagnitude)]) }
        } catch {
            return
        }
        #expect(throws: Never.self) { _ = try stack.archive() }
    }
}
