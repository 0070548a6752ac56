// Formats that are long and not deep: rows of operators and of conditions of any length.

import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite struct LongPredicateTests {
    private static func store() throws -> TestStore {
        let thing = TestModel.entity(
            "Thing",
            [
                TestModel.attribute("number", .integer32AttributeType), TestModel.attribute("date", .dateAttributeType),
                TestModel.attribute("price", .decimalAttributeType),
            ])
        let store = try TestStore(TestModel.model([thing]))
        try store.insert(
            "Thing",
            (0..<20).map { ["number": .integer($0), "date": .date(Double($0)), "price": .decimal(Decimal($0))] })
        return store
    }

    private static func count(_ predicate: NSPredicate, in store: TestStore) throws -> Int {
        try store.backend.count(matching: StoreQuery(entity: try store.entity("Thing"), predicate: predicate))
    }

    @Test func `a row of 20,000 operators is read, computed, printed, compared and let go`() throws {
        let text = Array(repeating: "1", count: 20_000).joined(separator: " + ")
        let expression = try NSExpression.parsing(text)
        #expect(expression.expressionValue(with: nil, context: nil) as? Int == 20_000)
        #expect(expression.description == text)
        let again = try NSExpression.parsing(expression.description)
        #expect(again == expression && again.hash == expression.hash)
        let more = try NSExpression.parsing("\(text) + 1")
        #expect(more != expression)
        let predicate = try NSPredicate.parsing("$x + \(text) == 20007")
        #expect(predicate.withSubstitutionVariables(["x": 7]).evaluate(with: nil))
    }

    @Test(arguments: ["number", "price", "date"])
    func `a row of operators gives in SQL what it gives in memory`(_ property: String) throws {
        let store = try Self.store()
        let row = (0..<3000).map { $0.isMultiple(of: 3) ? " - 1" : " + 1" }.joined()
        let right = property == "date" ? "CAST(1010, 'NSDate')" : "1010"
        #expect(try Self.count(try NSPredicate.parsing("\(property)\(row) == \(right)"), in: store) == 1)
        #expect(try Self.count(try NSPredicate.parsing("\(property)\(row) > \(right)"), in: store) == 9)
        if property == "number" {
            let columns = String(repeating: " + number - number", count: 300)
            #expect(try Self.count(try NSPredicate.parsing("number\(columns) > 9"), in: store) == 10)
        }
    }

    @Test(arguments: [".b", ".@sum", ".@max.b"])
    func `a key path of 20,000 components is read, printed and followed`(_ component: String) throws {
        let path = "a" + String(repeating: component, count: 20_000)
        let expression = try NSExpression.parsing(path)
        #expect(expression.keyPath == path && expression.description == path)
        _ = expression.expressionValue(with: ["a": [1, 2]], context: nil)
        #expect(try NSPredicate.parsing("\(path) == 1").formatText == "\(path) == 1")
    }

    @Test func `printed rows keep their order of computing`() throws {
        let random = (0..<40).map { ["+", "*", "-", "|", "**", "<<"][($0 * 7) % 6] }
        var expression = NSExpression(forConstantValue: 2)
        for (index, sign) in random.enumerated() {
            let function: PredefinedFunction =
                switch sign {
                case "+": .add
                case "*": .multiply
                case "-": .subtract
                case "|": .bitOr
                case "**": .power
                default: .shiftLeft
                }
            expression = .function(function, [expression, NSExpression(forConstantValue: index % 3)])
        }
        #expect(expression.chainLength == 40)
        #expect(try NSExpression.parsing(expression.description) == expression)
    }

    @Test(arguments: ["AND", "OR"]) func `thousands of conditions are one condition`(_ word: String) throws {
        let store = try Self.store()
        let sign = word == "AND" ? "!=" : "=="
        let parts = (0..<5000).map { "number \(sign) \($0 * 2)" }
        let predicate = try NSPredicate.parsing(parts.joined(separator: " \(word) "))
        #expect(try Self.count(predicate, in: store) == 10)
        let few = try NSPredicate.parsing("NOT (\(parts.prefix(700).joined(separator: " \(word) ")))")
        #expect(try Self.count(few, in: store) == 10)
    }

    @Test(arguments: ["AND", "OR"]) func `ten times as many conditions take about ten times as long`(_ word: String)
        throws
    {
        let store = try Self.store()
        func count(_ conditions: Int) throws -> Int {
            let parts = (0..<conditions).map { "number \(word == "AND" ? "!=" : "==") \($0 + 10)" }
            return try Self.count(try NSPredicate.parsing(parts.joined(separator: " \(word) ")), in: store)
        }
        let ratio = try Growth.ratio { () throws in
            #expect(try count(900) == 10)
        } large: { () throws in
            #expect(try count(9000) == 10)
        }
        // Quadratic would be 100.
        #expect(ratio < 30, "\(ratio)")
    }

    @Test(arguments: [
        "SELF" + String(repeating: "[0]", count: 20_000), "a" + String(repeating: " UNION a", count: 20_000),
    ])
    func `what would be deep is refused with its place`(_ text: String) {
        let error = #expect(throws: CoreData.PredicateError.self) { _ = try NSExpression.parsing(text) }
        #expect(String(describing: error).contains("levels of nesting"))
    }
}
