// The four kinds of transformers, as Groot registers them.

import Groot
import Testing

@Suite struct TransformerTests {
    private func transformer(_ name: String) throws -> ValueTransformer {
        try #require(ValueTransformer(forName: NSValueTransformerName(name)))
    }

    @Test func `a transformer from one closure only reads`() throws {
        ValueTransformer.setValueTransformer(withName: "T.forward") { (value: Int) -> String? in "\(value)" }
        let forward = try transformer("T.forward")
        #expect(forward.transformedValue(42) as? String == "42")
        #expect(forward.transformedValue(nil) == nil)
        #expect(forward.transformedValue("not a number") == nil)
        #expect(!type(of: forward).allowsReverseTransformation())
    }

    @Test func `a transformer from two closures reads and writes`() throws {
        ValueTransformer.setValueTransformer(
            withName: "T.both", transform: { (value: Int) -> String? in "\(value)" },
            reverseTransform: { (value: String) -> Int? in Int(value) })
        let both = try transformer("T.both")
        #expect(type(of: both).allowsReverseTransformation())
        #expect(both.transformedValue(42) as? String == "42")
        #expect(both.reverseTransformedValue("42") as? Int == 42)
        #expect(both.reverseTransformedValue("x") == nil)
        #expect(both.reverseTransformedValue(nil) == nil)
    }

    @Test func `a number reaches a closure as the type that it takes`() throws {
        ValueTransformer.setValueTransformer(withName: "T.double") { (value: Double) in value / 2 }
        ValueTransformer.setValueTransformer(withName: "T.decimal") { (value: Decimal) in value / 4 }
        ValueTransformer.setValueTransformer(withName: "T.int") { (value: Int) in value + 1 }
        #expect(try transformer("T.double").transformedValue(5) as? Double == 2.5)
        #expect(try transformer("T.double").transformedValue(NSNumber(value: 5)) as? Double == 2.5)
        #expect(try transformer("T.decimal").transformedValue(5) as? Decimal == Decimal(string: "1.25"))
        #expect(try transformer("T.int").transformedValue(NSNumber(value: 1.5)) == nil)
        // Of a double, Foundation makes a decimal that isn't quite the same.
        ValueTransformer.setValueTransformer(withName: "T.price") { (value: Decimal) in "\(value)" }
        for price in [19.99, -123_456_789.123, 0.3, 1e22, 5e-10] {
            let text = try transformer("T.price").transformedValue(NSNumber(value: price)) as? String
            #expect(text.flatMap { Double($0) } == price && (text?.count ?? 99) < 24, "\(price): \(text ?? "")")
        }
        #expect(try transformer("T.price").transformedValue(NSNumber(value: 19.99)) as? String == "19.99")
    }

    @Test func `dictionary transformers and entity mappers take dictionaries`() throws {
        ValueTransformer.setDictionaryTransformer(withName: "T.dictionary") { ["n": $0.count] }
        ValueTransformer.setEntityMapper(withName: "T.mapper") { $0["type"] as? String }
        #expect(try transformer("T.dictionary").transformedValue(["a": 1]) as? [String: Int] == ["n": 1])
        #expect(try transformer("T.mapper").transformedValue(["type": "A"]) as? String == "A")
        #expect(try transformer("T.mapper").transformedValue(["kind": "A"]) == nil)
        #expect(try transformer("T.mapper").transformedValue("A") == nil)
    }

    @Test func `dictionaries of AnyObject are taken, too`() throws {
        ValueTransformer.setEntityMapper(withName: "T.objects") { (dictionary: [String: AnyObject]) -> String? in
            dictionary["type"] as? String
        }
        let mapper = try transformer("T.objects")
        #expect(mapper.transformedValue(["type": "A"]) as? String == "A")
        #expect(mapper.transformedValue(["type": 1, "tags": ["x"]] as [String: Any]) == nil)

        ValueTransformer.setDictionaryTransformer(withName: "T.objectsToo") { (dictionary: [String: AnyObject]) in
            ["id": dictionary["legacy_id"] ?? NSNull()]
        }
        let transformed = try transformer("T.objectsToo").transformedValue(["legacy_id": 5]) as? [String: Any]
        #expect(transformed?["id"] as? Int == 5)
    }
}
