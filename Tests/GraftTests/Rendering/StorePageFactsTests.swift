// What a page is told about a store: how much its tables take, or nothing of that, and what a check came to.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct StorePageFactsTests {
    /// Two animals of 100 and 300 bytes of text with their keys, and a stone, in a store in memory.
    private func page(_ page: StorePage) throws -> String {
        var sketch = ModelSketch()
        sketch.entity("Animal", [.attribute("name")])
        sketch.entity("Dog", parent: "Animal", [])
        sketch.entity("Stone", [.attribute("name")])
        let stack = try TestStack(sketch.model())
        try stack.perform { context in
            for (entity, length) in [("Animal", 92), ("Dog", 292), ("Stone", 3)] {
                _ = context.make(entity, ["name": String(repeating: "x", count: length)])
            }
            try context.save()
        }
        return try page.html(of: stack.container.newBackgroundContext())
    }

    @Test func `where tables don't tell, sizes are the lengths of values, and the page says so`() throws {
        let html = try page(StorePage(title: "T"))
        #expect(html.contains("Sizes are the lengths of the values"))
        #expect(html.contains("1 object, 100 bytes</p>") && html.contains("1 object, 300 bytes</p>"))
        #expect(html.contains("<td class=\"number\">292 bytes</td>"))
    }

    @Test func `a table is shared by the lengths of values, or belongs to one entity alone`() throws {
        var wanted = StorePage(title: "T")
        wanted.tables = [
            .init(entities: ["Animal", "Dog"], bytes: 8_000_000), .init(entities: ["Stone"], bytes: 4096),
        ]
        let html = try page(wanted)
        #expect(html.contains("1 object, ≈ 2.0 MB</p>") && html.contains("1 object, ≈ 6.0 MB</p>"))
        #expect(html.contains("1 object, 4.1 kB</p>"))
        #expect(!html.contains("class=\"check\""))
    }

    @Test func `a store that can't be checked has a page that says why`() throws {
        var wanted = StorePage(title: "T")
        wanted.check = .init(summary: "not possible", remarks: ["It is on a <server>."])
        let html = try page(wanted)
        #expect(html.contains("<summary><h2>Check: not possible</h2></summary>\n<p>It is on a &lt;server&gt;.</p>"))
    }

    @Test func `numbers farther apart than a number can say have a range and no bars`() throws {
        var sketch = ModelSketch()
        sketch.entity("Sample", [.attribute("value", .doubleAttributeType)])
        let stack = try TestStack(sketch.model())
        try stack.perform { context in
            for value in [-1.7e308, 1, 2, 3, 4, 1.7e308] { _ = context.make("Sample", ["value": value]) }
            try context.save()
        }
        let html = try StorePage(title: "T").html(of: stack.container.newBackgroundContext())
        #expect(html.contains("<td>-1.7e+308 to 1.7e+308</td><td></td>"))
    }

    @Test func `the bounds of large numbers are exact`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Sample", [.attribute("count", .integer64AttributeType), .attribute("price", .decimalAttributeType)])
        let stack = try TestStack(sketch.model())
        let price = try #require(Decimal(string: "12345678901234567.01"))
        try stack.perform { context in
            for step in [3, 0, 7, 1, 5] {
                _ = context.make(
                    "Sample", ["count": Int64.max - Int64(step), "price": price + Decimal(step) / 100])
            }
            try context.save()
        }
        let html = try StorePage(title: "T").html(of: stack.container.newBackgroundContext())
        #expect(html.contains("<td>9223372036854775800 to 9223372036854775807</td>"))
        #expect(html.contains("<td>12345678901234567.01 to 12345678901234567.08</td>"))
    }

    @Test(arguments: [(25, 10), (45, 10), (45, 100), (100, 5)])
    func `rows that are shown are looked at once, and others spread over all`(_ sampleSize: Int, _ rowCount: Int) throws
    {
        var sketch = ModelSketch()
        sketch.entity("Sample", [.attribute("number", .integer64AttributeType)])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.perform { context in
            for number in 0..<60 {
                _ = context.make("Sample", ["number": number])
                try context.save()
            }
        }
        let context = stack.container.newBackgroundContext()
        let schema = try GraphSchema(stack.container.managedObjectModel)
        let sample = try context.performAndWait {
            try EntitySample(schema.entities[0], in: context, sampleSize: sampleSize, rowCount: rowCount) {
                $0.description
            }
        }
        #expect(sample.rows.count == min(60, rowCount))
        let wanted = (0..<min(60, rowCount)).map { "\($0)" }
        #expect(sample.rows.map { $0.cells[0].text } == wanted)
        #expect(sample.statistics[0].distinct == sample.sampleCount, "each object counts once")
        #expect(sample.sampleCount <= sampleSize + rowCount)
    }

    @Test(arguments: [
        (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (1049, "1.0 kB"), (1050, "1.1 kB"),
        (12_345, "12 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"), (5_000_000_000, "5.0 GB"),
    ])
    func `a size is said in the largest unit that it fills`(_ bytes: Int, _ words: String) {
        #expect(StorePage.words(bytes: bytes) == words)
    }
}
