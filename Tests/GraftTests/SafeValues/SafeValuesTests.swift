// Saving JSON safely: what converts, what doesn't, what is left alone.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct SafeValuesTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Item",
            [
                .attribute("size"), .attribute("int16", .integer16AttributeType, default: 5),
                .attribute("int64", .integer64AttributeType), .attribute("flag", .booleanAttributeType),
                .attribute("double", .doubleAttributeType), .attribute("float", .floatAttributeType),
                .attribute("decimal", .decimalAttributeType), .attribute("date", .dateAttributeType),
                .attribute("uuid", .UUIDAttributeType), .attribute("binary", .binaryDataAttributeType),
                .attribute("tree", .transformableAttributeType), .attribute("computed", isTransient: true),
                .toMany("items", "Item", inverse: "item"), .toOne("item", "Item", inverse: "items"),
            ])
        return sketch.model()
    }

    /// Calls the block with a new object.
    private func withItem(_ body: (NSManagedObject) throws -> Void) throws {
        let stack = try TestStack(model())
        try stack.perform { context throws in
            try body(NSEntityDescription.insertNewObject(forEntityName: "Item", into: context))
        }
    }

    @Test func `unknown keys are ignored and missing ones leave values alone`() throws {
        try withItem { item in
            item.setValue("kept", forKey: "size")
            let report = try item.safeSetValues(forKeysWith: ["int64": 1, "nobody": 2, "items": [1], "computed": "x"])
            #expect(item.text("size") == "kept")
            #expect(item.number("int64") == 1)
            #expect(item.text("computed") == nil)
            #expect(report.total.updated == 1)
            #expect(report.unknownKeys.map(\.key) == ["computed", "nobody"])
        }
    }

    struct Conversion: CustomTestStringConvertible {
        let key: String, value: any Sendable, expected: String
        var testDescription: String { "\(key) \(value)" }
    }

    @Test(arguments: [
        Conversion(key: "size", value: 8, expected: "8"), Conversion(key: "size", value: "30-32", expected: "30-32"),
        Conversion(key: "size", value: 1.5, expected: "1.5"), Conversion(key: "size", value: true, expected: "true"),
        Conversion(key: "int16", value: "-32768", expected: "-32768"),
        Conversion(key: "int16", value: 2.0, expected: "2"), Conversion(key: "int16", value: " 7", expected: "7"),
        Conversion(key: "int64", value: "9223372036854775807", expected: "9223372036854775807"),
        Conversion(key: "flag", value: "true", expected: "1"), Conversion(key: "flag", value: "YES", expected: "1"),
        Conversion(key: "flag", value: "1", expected: "1"), Conversion(key: "flag", value: "off", expected: "0"),
        Conversion(key: "flag", value: 0, expected: "0"), Conversion(key: "double", value: "1.5e3", expected: "1500.0"),
        Conversion(key: "float", value: "0.5", expected: "0.5"),
        Conversion(key: "decimal", value: "0.7689993", expected: "0.7689993"),
        Conversion(key: "int16", value: "12abc", expected: "error"),
        Conversion(key: "int16", value: 70000, expected: "error"),
        Conversion(key: "int16", value: 1.5, expected: "error"), Conversion(key: "int16", value: "", expected: "error"),
        Conversion(key: "int64", value: "9223372036854775808", expected: "error"),
        Conversion(key: "int64", value: 1e300, expected: "error"),
        Conversion(key: "int64", value: Double.nan, expected: "error"),
        Conversion(key: "double", value: Double.nan, expected: "error"),
        Conversion(key: "decimal", value: Double.nan, expected: "error"),
        Conversion(key: "decimal", value: Decimal.nan, expected: "error"),
        Conversion(key: "double", value: Decimal.nan, expected: "error"),
        Conversion(key: "size", value: Decimal.nan, expected: "error"),
        Conversion(key: "double", value: "much", expected: "error"),
        Conversion(key: "float", value: 1e300, expected: "error"), Conversion(key: "flag", value: 2, expected: "error"),
        Conversion(key: "flag", value: "maybe", expected: "error"),
        Conversion(key: "size", value: [1], expected: "error"),
        Conversion(key: "date", value: "tomorrow", expected: "error"),
        Conversion(key: "uuid", value: "x", expected: "error"),
        Conversion(key: "binary", value: "?", expected: "error"),
    ])
    func `a value is converted exactly or refused`(_ conversion: Conversion) throws {
        try withItem { item in
            let dictionary: [String: Any] = [conversion.key: conversion.value]
            let old = item.value(forKey: conversion.key).map { "\($0)" }
            if conversion.expected == "error" {
                let error = try #require(graftError { try item.safeSetValues(forKeysWith: dictionary) })
                #expect(error.place.property == conversion.key)
                #expect(error.place.path == [.key(conversion.key)])
                #expect(item.value(forKey: conversion.key).map { "\($0)" } == old)
                var options = SafeValueOptions()
                options.failurePolicy = .skip
                let report = try item.safeSetValues(forKeysWith: dictionary, options: options)
                #expect(report.failures.map(\.message) == [error.description])
                #expect(item.value(forKey: conversion.key).map { "\($0)" } == old)
            } else {
                try item.safeSetValues(forKeysWith: dictionary)
                let value = try #require(item.value(forKey: conversion.key))
                let text = (value as? NSNumber).map { "\($0)" } ?? "\(value)"
                let isFlag = conversion.key == "flag"
                #expect((isFlag ? "\((value as? Bool) == true ? 1 : 0)" : text) == conversion.expected)
            }
        }
    }

    @Test func `one error names every value that doesn't fit, however many there are`() throws {
        try withItem { item in
            let wrong: [String: Any] = [
                "int16": 70000, "int64": "x", "flag": "maybe", "double": "1e400", "float": "much", "decimal": "1,5",
                "date": "13/13/2026", "uuid": "nope", "binary": "!!!", "size": "fits",
            ]
            let error = try #require(graftError { try item.safeSetValues(forKeysWith: wrong) })
            #expect(Set(([error] + error.others).compactMap(\.place.property)) == Set(wrong.keys).subtracting(["size"]))
            for key in wrong.keys where key != "size" {
                #expect(error.description.contains("$.\(key) (Item.\(key)): found"), "\(error)")
            }
            #expect(error.description.hasSuffix("Change the data or name a transformer."))
            #expect(item.text("size") == nil)
        }
    }

    @Test func `whatever stands for an integer, it becomes that integer or an error`() throws {
        var random = SeededGenerator(seed: 7)
        let pieces = ["0", "1", "7", "32767", "32768", "-", "+", ".", "e3", " ", "x", "", "9", "00"]
        try withItem { item in
            for _ in 0..<2000 {
                let text = (0...random.below(3)).map { _ in pieces[random.below(pieces.count)] }.joined()
                item.setValue(5, forKey: "int16")
                // As JSON's numbers read it, blanks around it left aside; a sign of plus is nobody's.
                let trimmed = text.trimmingCharacters(in: .whitespaces)
                let number = Double(trimmed).flatMap { Int16(exactly: $0) }
                do {
                    try item.safeSetValues(forKeysWith: ["int16": text])
                    #expect(item.number("int16") == number.map(Int64.init), "'\(text)'")
                } catch {
                    #expect(item.number("int16") == 5, "'\(text)'")
                    // Plain digits are never refused where they fit.
                    let isPlain = !trimmed.isEmpty && trimmed.allSatisfy(\.isNumber) && Int16(trimmed) != nil
                    #expect(!isPlain, "'\(text)': \(error)")
                }
            }
        }
    }

    @Test func `a double that JSONSerialization has read is the one that was written`() throws {
        var random = SeededGenerator(seed: 11)
        try withItem { item in
            for _ in 0..<300 {
                let value = Double.random(in: -200...200, using: &random)
                let json = Data(#"{"double": \#(value), "float": \#(value)}"#.utf8)
                let read = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
                try item.safeSetValues(forKeysWith: read)
                #expect(item.value(forKey: "double") as? Double == value)
                #expect((item.value(forKey: "float") as? NSNumber)?.floatValue == Float("\(value)"))
                item.setValue(nil, forKey: "double")
                try item.populate(fromDictionary: read)
                #expect(item.value(forKey: "double") as? Double == value)
            }
        }
    }

    @Test func `an error names all values and changes none`() throws {
        try withItem { item in
            let error = try #require(
                graftError { try item.safeSetValues(forKeysWith: ["size": "new", "int16": "x", "flag": "maybe"]) })
            #expect(error.description.contains("$.int16") && error.description.contains("$.flag"))
            #expect(item.text("size") == nil)
            #expect(item.number("int16") == 5)
            var options = SafeValueOptions()
            options.failurePolicy = .collect
            let failures = #expect(throws: ImportFailures.self) {
                try item.safeSetValues(forKeysWith: ["size": "new", "int16": "x", "flag": "maybe"], options: options)
            }
            #expect(failures?.report.failures.count == 2)
            #expect(item.text("size") == nil)
            options.failurePolicy = .skip
            let report = try item.safeSetValues(
                forKeysWith: ["size": "new", "int16": "x", "flag": "maybe"], options: options)
            #expect(report.total.updated == 1)
            #expect(Set(report.failures.compactMap(\.property)) == ["int16", "flag"])
            #expect(item.text("size") == "new")
        }
    }

    @Test func `dates come by the formatter, in ISO 8601, as numbers and as dates`() throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "dd.MM.yyyy"
        let expected = Date(timeIntervalSince1970: 1_363_910_400)
        try withItem { item in
            let values: [Any] = ["22.03.2013", "2013-03-22", "2013-03-22T01:00+01:00", 1_363_910_400, expected]
            for value in values {
                item.setValue(nil, forKey: "date")
                try item.safeSetValues(forKeysWith: ["date": value], dateFormatter: formatter)
                #expect(item.value(forKey: "date") as? Date == expected, "\(value)")
            }
            var options = SafeValueOptions()
            options.numericDate = .secondsSince2001
            try item.safeSetValues(forKeysWith: ["date": 0], options: options)
            #expect(item.value(forKey: "date") as? Date == Date(timeIntervalSinceReferenceDate: 0))
        }
    }

    @Test func `null clears, is ignored or brings the default back, by attribute`() throws {
        try withItem { item in
            func reset() {
                item.setValue(Date(), forKey: "date")
                item.setValue(9, forKey: "int16")
            }
            let nulls: [String: Any] = ["date": NSNull(), "int16": NSNull()]
            reset()
            try item.safeSetValues(forKeysWith: nulls)
            #expect(item.value(forKey: "date") == nil && item.value(forKey: "int16") == nil)
            reset()
            var options = SafeValueOptions()
            options.nullPolicy = .ignore
            options.nullPolicies["int16"] = .default
            try item.safeSetValues(forKeysWith: nulls, options: options)
            #expect(item.value(forKey: "date") != nil)
            #expect(item.number("int16") == 5)
        }
    }

    @Test func `key paths and transformers of the user info apply`() throws {
        let name = NSValueTransformerName("SafeValuesDoubling")
        ValueTransformer.setValueTransformer(DoublingTransformer(), forName: name)
        var sketch = ModelSketch()
        sketch.entity(
            "Place",
            [
                .attribute("latitude", .doubleAttributeType, json: "location.lat"),
                .attribute("twice", .integer32AttributeType, json: "half", transformer: name.rawValue),
                .attribute("unmapped"),
            ])
        let stack = try TestStack(sketch.model())
        try stack.perform { context throws in
            let place = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
            try place.safeSetValues(forKeysWith: ["location": ["lat": "52.5"], "half": 21, "unmapped": "x"])
            #expect(place.value(forKey: "latitude") as? Double == 52.5)
            #expect(place.number("twice") == 42)
            #expect(place.text("unmapped") == nil)
            let refused = graftError { try place.safeSetValues(forKeysWith: ["half": "x"]) }
            #expect(refused?.place.property == "twice")
            let known: [String: Any] = ["location": ["lat": 1, "typo": 2], "other": ["lat": 3]]
            let report = try place.safeSetValues(forKeysWith: known)
            #expect(report.unknownKeys.map(\.key) == ["location.typo", "other"])
            var strict = SafeValueOptions()
            strict.unknownKeys = .fail
            let unknown = graftError { try place.safeSetValues(forKeysWith: known, options: strict) }
            #expect(unknown?.place.path == [.key("location"), .key("typo")])
            // A null on the way is a null at the end.
            try place.safeSetValues(forKeysWith: ["location": NSNull()])
            #expect(place.value(forKey: "latitude") == nil)
            var options = SafeValueOptions()
            options.usesMapping = false
            try place.safeSetValues(forKeysWith: ["latitude": 1, "unmapped": "x"], options: options)
            #expect(place.value(forKey: "latitude") as? Double == 1)
            #expect(place.text("unmapped") == "x")
        }
    }
}

private final class DoublingTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { (value as? Int).map { $0 * 2 } }
}
