// Formats: what they parse to, and how they are printed. Every printed format parses to an equal predicate.

import Testing

@testable import CoreData

@Suite struct PredicateParsingTests {
    struct Case: CustomTestStringConvertible, @unchecked Sendable {
        let format: String
        let arguments: [Any]
        let printed: String
        var testDescription: String { format }

        init(_ format: String, _ arguments: [Any] = [], _ printed: String? = nil) {
            self.format = format
            self.arguments = arguments
            self.printed = printed ?? format
        }
    }

    static let comparisons = [
        Case("name == \"x\""),
        Case("name = 'x'", [], "name == \"x\""),
        Case("name=\"x\"", [], "name == \"x\""),
        Case("a != 1"),
        Case("a <> 1", [], "a != 1"),
        Case("a < 1"),
        Case("a <= 1"),
        Case("a =< 1", [], "a <= 1"),
        Case("a > 1"),
        Case("a >= 1"),
        Case("a => 1", [], "a >= 1"),
        Case("a BETWEEN {1, 10}"),
        Case("a between {1,10}", [], "a BETWEEN {1, 10}"),
        Case("a IN {1, 2, 3}"),
        Case("a in {}", [], "a IN {}"),
        Case("name CONTAINS \"x\""),
        Case("name BEGINSWITH \"x\""),
        Case("name endswith 'x'", [], "name ENDSWITH \"x\""),
        Case("name LIKE \"x*\""),
        Case("name MATCHES \"x+\""),
        Case("name ==[c] \"x\""),
        Case("name == [c] 'x'", [], "name ==[c] \"x\""),
        Case("name CONTAINS[dc] 'x'", [], "name CONTAINS[cd] \"x\""),
        Case("name CONTAINS [cd] 'x'", [], "name CONTAINS[cd] \"x\""),
        Case("name ==[n] \"x\""),
        Case("name ==[l] \"x\""),
        Case("name <[CDNL] 'x'", [], "name <[cdnl] \"x\""),
        Case("a == nil"),
        Case("a == NULL", [], "a == nil"),
        Case("a == NIL", [], "a == nil"),
        Case("a == TRUE", [], "a == 1"),
        Case("a == yes", [], "a == 1"),
        Case("a == NO", [], "a == 0"),
        Case("a == false", [], "a == 0"),
        Case("1 == a"),
        Case("SELF == 3"),
        Case("self > 3", [], "SELF > 3"),
        Case("SELF.name == 'x'", [], "name == \"x\""),
    ]

    static let logic = [
        Case("TRUEPREDICATE"),
        Case("falsepredicate", [], "FALSEPREDICATE"),
        Case("a == 1 AND b == 2"),
        Case("a == 1 && b == 2", [], "a == 1 AND b == 2"),
        Case("a == 1 AND b == 2 AND c == 3"),
        Case("a == 1 OR b == 2 OR c == 3"),
        Case("a == 1 || b == 2 or c == 3", [], "a == 1 OR b == 2 OR c == 3"),
        Case("a == 1 AND b == 2 OR c == 3", [], "(a == 1 AND b == 2) OR c == 3"),
        Case("a == 1 AND (b == 2 OR c == 3)"),
        Case("a == 1 AND (b == 2 AND c == 3)"),
        // CosmicMind Graph, ApiTests: a conjunction at the beginning is taken in.
        Case("(a == 1 AND b == 2) AND c == 3", [], "a == 1 AND b == 2 AND c == 3"),
        Case("((NOT a == 1) OR b == 2) OR c == 3", [], "(NOT a == 1) OR b == 2 OR c == 3"),
        Case("(a == 1 OR b == 2) AND c == 3"),
        Case("(a == 1 AND (b == 2 AND c == 3)) AND d == 4", [], "a == 1 AND (b == 2 AND c == 3) AND d == 4"),
        Case("NOT a == 1"),
        Case("!a == 1", [], "NOT a == 1"),
        Case("not not a == 1", [], "NOT (NOT a == 1)"),
        Case("NOT (a == 1 AND b == 2)"),
        Case("NOT a == 1 AND b == 2", [], "(NOT a == 1) AND b == 2"),
        Case("((a == 1))", [], "a == 1"),
        Case("(a) == (1)", [], "a == 1"),
        Case("(a + 1) * 2 == 4"),
        Case("(a + 1) > 2 AND ((b))==1", [], "a + 1 > 2 AND b == 1"),
        Case("TRUEPREDICATE AND a == 1"),
        Case("ANY tags.name == \"x\""),
        Case("SOME tags.name == 'x'", [], "ANY tags.name == \"x\""),
        Case("ALL tags.name == \"x\""),
        Case("NONE tags.name == 'x'", [], "NOT ANY tags.name == \"x\""),
        Case("NOT ANY tags.name == \"x\""),
        Case("any (tags.name) IN {1}", [], "ANY tags.name IN {1}"),
    ]

    static let expressions = [
        Case("a == -1"),
        Case("a == - 1", [], "a == -1"),
        Case("a == -b", [], "a == 0 - b"),
        Case("a == 1.5"),
        Case("a == .5", [], "a == 0.5"),
        Case("a == 1e3", [], "a == 1000"),
        Case("a BETWEEN {-1.0, 2.5}", [], "a BETWEEN {-1, 2.5}"),
        Case("a / 2.0 == 1"),
        Case("a == 1.5E-3", [], "a == 0.0015"),
        Case("a == 0x1F", [], "a == 31"),
        Case("a == 0o17", [], "a == 15"),
        Case("a == 0b101", [], "a == 5"),
        Case("a == 9223372036854775807"),
        Case("a == -9223372036854775807"),
        Case("a == 9223372036854775808", [], "a == CAST(\"9223372036854775808\", \"NSDecimalNumber\")"),
        Case("a == b + c * d", [], "a == b + (c * d)"),
        Case("a == (b + c) * d"),
        Case("a == b - c - d", [], "a == (b - c) - d"),
        Case("a == b ** c ** d", [], "a == b ** (c ** d)"),
        Case("a / 2 == 1"),
        Case("(key & 1) > 0", [], "key & 1 > 0"),
        Case("a | b ^ c & d << 1 == 0", [], "a | (b ^ (c & (d << 1))) == 0"),
        Case("a >> 2 == 1"),
        Case("~a == 1", [], "onesComplement:(a) == 1"),
        Case("items.@count > 2"),
        Case("@count > 2"),
        Case("orders.@sum.price > 2"),
        Case("orders.@avg.item.price == 2"),
        Case("#and == 1"),
        Case("#or.in == 1"),
        Case("a.in.and == 1"),
        Case("$x == 1"),
        Case("$x.name == $y.name"),
        Case("a[0] == 1"),
        Case("a[FIRST] == 1"),
        Case("a[last].name == 1", [], "a[LAST].name == 1"),
        Case("a[SIZE] == 2"),
        Case("a[\"key\"] == 2"),
        Case("first == 1 AND last == 2 AND size == 3"),
        Case("sum(a, b) == 1", [], "sum:(a, b) == 1"),
        Case("sum:(items.price) == 1"),
        Case("count(items) > 1", [], "count:(items) > 1"),
        Case("modulus:by:(a, 2) == 0"),
        Case("modulus(a, 2) == 0", [], "modulus:by:(a, 2) == 0"),
        Case("now() > date"),
        Case("uppercase(name) == 'X'", [], "uppercase:(name) == \"X\""),
        Case("a == count", [], nil),
        Case("FUNCTION(a, \"lowercaseString\") == \"x\""),
        Case("FETCH == 1", [], "#FETCH == 1"), Case("a.fetch == 1"),
        Case("fetch($r, $c, yes) == 1", [], "FETCH($r, $c, YES) == 1"),
        Case("FUNCTION($m, 'f:with:', b, 2) == nil", [], "FUNCTION($m, \"f:with:\", b, 2) == nil"),
        Case("CAST(a, \"NSDate\") > now()"),
        Case("date == CAST(86400, 'NSDate')", [], "date == CAST(86400.000000, \"NSDate\")"),
        Case("date == CAST(0.1, 'NSDate')", [], "date == CAST(0.100000, \"NSDate\")"),
        Case("date == CAST('2001-01-02T00:00:00Z', 'NSDate')", [], "date == CAST(86400.000000, \"NSDate\")"),
        Case("date == CAST('2001-01-02', 'NSDate')", [], "date == CAST(86400.000000, \"NSDate\")"),
        Case("a == TERNARY(b > 1, \"x\", \"y\")"),
        Case("SUBQUERY(items, $i, $i.price > 1 AND $i.name == \"x\").@count > 0"),
        Case("SUBQUERY(a.items, $i, ANY $i.tags.name IN {1}).@count == 0"),
        Case("a UNION b == {1}"),
        Case("(a INTERSECT b) MINUS c == {1}"),
        Case("ANY {1, 2} == a"),
    ]

    static let texts = [
        Case(#"a == "it's""#),
        Case(#"a == 'it\'s'"#, [], #"a == "it's""#),
        Case(#"a == "a \"b\" c""#),
        Case(#"a == "back\\slash""#),
        Case(#"a == "tab\tline\n""#),
        Case(#"a == "\u00e9""#, [], #"a == "é""#),
        Case(#"a == "\u0001""#),
        Case("a == ''", [], "a == \"\""),
        Case("a == 'ünï → 🙂'", [], "a == \"ünï → 🙂\""),
        Case("a == '%@'", [], "a == \"%@\""),
        Case("größe > 3"),
        Case("a LIKE '\\\\*'", [], #"a LIKE "\\*""#),
        Case("a MATCHES '\\\\d+'", [], #"a MATCHES "\\d+""#),
    ]

    static let arguments = [
        Case("%K == %@", ["name", "x"], "name == \"x\""),
        Case("%K.%K == %d", ["a", "b.c", 3], "a.b.c == 3"),
        Case("$x.%K == %@", ["a", 1], "$x.a == 1"),
        Case("%K.@count == %ld", ["a", 3], "a.@count == 3"),
        Case("a == %d AND b == %f", [1, 2.5], "a == 1 AND b == 2.5"),
        Case("a == %@ AND b == %@", [1, 2.5], "a == 1 AND b == 2.5"),
        Case("a == %i OR a == %u OR a == %lld OR a == %lu", [1, 2, 3, 4], "a == 1 OR a == 2 OR a == 3 OR a == 4"),
        Case("a == %@", [true], "a == 1"),
        Case("a == %@", [NSNull()], "a == <null>"),
        Case("a == %@", [Int?.none as Any], "a == nil"),
        Case("a == %@", [Int?.some(3) as Any], "a == 3"),
        Case("a IN %@", [[1, 2]], "a IN {1, 2}"),
        Case("a IN %@", [[1.0, 2.5]], "a IN {1, 2.5}"),
        Case("a BETWEEN %@", [[1.0, 2.0]], "a BETWEEN {1, 2}"),
        Case("a IN %@", [["x", "y"]], "a IN {\"x\", \"y\"}"),
        Case("a IN %@", [Set(["y", "x"])], "a IN {\"x\", \"y\"}"),
        Case("a IN %@", [NSSet(array: [1])], "a IN {1}"),
        Case("a BETWEEN %@", [[1, 2]], "a BETWEEN {1, 2}"),
        Case("a BETWEEN {%@, %d}", [1, 2], "a BETWEEN {1, 2}"),
        Case("a == %@", [Date(timeIntervalSinceReferenceDate: 1.5)], "a == CAST(1.500000, \"NSDate\")"),
        Case("a == %@", [Date(timeIntervalSinceReferenceDate: 1e-7)], "a == CAST(1e-07, \"NSDate\")"),
        Case(
            "a == %@", [UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")!],
            "a == CAST(\"6BA7B810-9DAD-11D1-80B4-00C04FD430C8\", \"NSUUID\")"),
        Case(
            "a == %@", [URL(string: "https://example.org/?a=b")!], "a == CAST(\"https://example.org/?a=b\", \"NSURL\")"),
        Case("a == %@", [Data([0, 1, 2])], "a == CAST(\"AAEC\", \"NSData\")"),
        Case("a == %@", [Decimal(string: "1.10")!], "a == CAST(\"1.1\", \"NSDecimalNumber\")"),
        Case("a == %@", [NSExpression(forKeyPath: "b.c")], "a == b.c"),
        Case("a == %@ AND b == 1", ["x", "not used"], "a == \"x\" AND b == 1"),
    ]

    @Test(arguments: comparisons + logic + expressions + texts + arguments)
    func `a format is printed in normal form and parses back to an equal predicate`(_ test: Case) throws {
        let predicate = try NSPredicate.parsing(test.format, arguments: test.arguments)
        #expect(predicate.formatText == test.printed)
        let again = try NSPredicate.parsing(predicate.formatText)
        #expect(again.isEqual(predicate))
        #expect(predicate.isEqual(again))
        // Foundation's constants are equal, but hash by identity.
        if predicate is NSComparisonPredicate || predicate is NSCompoundPredicate {
            #expect(again.hash == predicate.hash)
        }
        #expect(again.formatText == predicate.formatText)
    }

    @Test func `the class of the result is that of the predicate`() {
        #expect(NSPredicate(format: "a == 1") is NSComparisonPredicate)
        #expect(NSPredicate(format: "a == 1 AND b == 2") is NSCompoundPredicate)
        #expect((NSPredicate(format: "NOT a == 1") as? NSCompoundPredicate)?.compoundPredicateType == .not)
        #expect(NSPredicate(format: "TRUEPREDICATE").isEqual(NSPredicate(value: true)))
    }

    @Test func `a format that describes another class than the one asked stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Typed: NSPredicate {}
            _ = Typed(format: "a == 1")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("describes a NSComparisonPredicate, not a Typed"))
    }

    @Test(arguments: ["$each.author.name", "SUBQUERY(books, $b, $b.pages > 3).@count"])
    func `a path from anything but the evaluated object is a call, which a translator can make again`(_ text: String)
        throws
    {
        let path = NSExpression(format: text)
        #expect(path.expressionType == .function && path.function == "valueForKeyPath:")
        #expect([.variable, .subquery].contains(path.operand.expressionType))
        let argument = try #require(path.arguments?.first)
        #expect(argument.expressionType.rawValue == 10 && text.hasSuffix(argument.keyPath))
        let again = NSExpression(
            forFunction: path.operand, selectorName: path.function, arguments: path.arguments)
        #expect(again == path && again.description == text)
    }

    @Test func `translators read the parts of a comparison`() throws {
        let predicate = NSPredicate(format: "ANY author.name BEGINSWITH[cd] %@", "x")
        let comparison = try #require(predicate as? NSComparisonPredicate)
        #expect(comparison.leftExpression.expressionType == .keyPath)
        #expect(comparison.leftExpression.keyPath == "author.name")
        #expect(comparison.rightExpression.expressionType == .constantValue)
        #expect(comparison.rightExpression.constantValue as? String == "x")
        #expect(comparison.comparisonPredicateModifier == .any)
        #expect(comparison.predicateOperatorType == .beginsWith)
        #expect(comparison.options == [.caseInsensitive, .diacriticInsensitive])
    }

    @Test func `numbers of constants are NSNumber`() throws {
        for format in ["a == 5", "a == TRUE", "a == 1.5"] {
            let comparison = try #require(NSPredicate(format: format) as? NSComparisonPredicate)
            let value = try #require(comparison.rightExpression.constantValue)
            #expect(type(of: value) is AnyClass)
            #expect(value is NSNumber)
        }
        #expect(type(of: NSExpression(forConstantValue: 5).constantValue!) is AnyClass)
    }

    @Test func `variadic arguments of every type stand for themselves`() {
        let id = UUID()
        let predicate = NSPredicate(
            format: "a == %@ AND b == %@ AND c IN %@ AND d == %d AND e == %@ AND f == %@", "x", id, [1, 2], 5,
            Date(timeIntervalSinceReferenceDate: 0), NSNumber(value: 1.5))
        let expected = NSPredicate(
            format: "a == 'x' AND b == %@ AND c IN {1, 2} AND d == 5 AND e == CAST(0, 'NSDate') AND f == 1.5",
            argumentArray: [id])
        #expect(predicate.isEqual(expected))
    }

    @Test func `C's variable arguments are read`() {
        let format = "%K == %@ AND b == %d AND c == %lld AND d == %f AND e IN %@ AND f == %lu AND g == %@"
        let arguments: [any CVarArg] = [
            "a", "x", Int32(-5), Int64.min, 2.5, [1, 2], UInt.max, Date(timeIntervalSinceReferenceDate: 7),
        ]
        let predicate = unsafe withVaList(arguments) { unsafe NSPredicate(format: format, arguments: $0) }
        #expect(
            predicate.formatText
                == "a == \"x\" AND b == -5 AND c == -9223372036854775808 AND d == 2.5 AND e IN {1, 2} "
                + "AND f == 1.8446744073709552e+19 AND g == CAST(7.000000, \"NSDate\")")
    }

    @Test func `a compound made by code prints, evaluates and substitutes like a parsed one`() {
        let parts = [NSPredicate(format: "a == 1"), NSPredicate(format: "b == $x")]
        let compound = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        #expect(compound.formatText == "a == 1 AND b == $x")
        let filled = compound.withSubstitutionVariables(["x": 2])
        #expect(filled.formatText == "a == 1 AND b == 2")
        #expect(filled.evaluate(with: ["a": 1, "b": 2]))
        #expect(!filled.evaluate(with: ["a": 1, "b": 3]))
        #expect(NSPredicate(format: "a == 1 AND b == $x").isEqual(compound))
    }

    // Predicate Format String Syntax: printf's arguments are taken.
    @Test func `a text of C's is taken, and in an array of arguments any value in its place`() {
        let expected = NSPredicate(format: "key == 'value'")
        #expect(NSPredicate(format: "%K == %s", argumentArray: ["key", "value"]).isEqual(expected))
        #expect(NSPredicate(format: "%K == %s", argumentArray: ["key", "value" as NSString]).isEqual(expected))
        unsafe "value".withCString { text in
            #expect(unsafe NSPredicate(format: "%K == %s", "key", text).isEqual(expected))
            let list = unsafe withVaList([text]) { unsafe NSPredicate(format: "key == %s", arguments: $0) }
            #expect(list.isEqual(expected))
        }
        #expect(throws: PredicateError.self) { try NSPredicate.parsing("key == %s") }
    }

    // Divergence 52: Foundation's own compounds can't be made to print. What they are put into can.
    @Test func `a compound made in code prints and compares as what it says after its variables were replaced`() {
        let parts = [NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2")]
        let compound = NSCompoundPredicate(orPredicateWithSubpredicates: parts)
        #expect(compound.evaluate(with: ["a": 1, "b": 1]) && !compound.evaluate(with: ["a": 2, "b": 1]))
        let copy = compound.withSubstitutionVariables([:])
        #expect("\(copy)" == "a == 1 OR b == 2" && copy.isEqual(NSPredicate(format: "a == 1 OR b == 2")))
    }

    @Test func `variables are replaced everywhere but in a subquery that has one of the same name`() {
        let predicate = NSPredicate(format: "$x.a == $y AND SUBQUERY(items, $y, $y.b == $x).@count > 0")
        let filled = predicate.withSubstitutionVariables(["x": 1, "y": NSExpression(forKeyPath: "k")])
        #expect(filled.formatText == "1.a == k AND SUBQUERY(items, $y, $y.b == 1).@count > 0")
    }

    @Test func `predicates of different structure aren't equal`() {
        let formats = [
            "a == 1", "a == 2", "a != 1", "b == 1", "a ==[c] 1", "ANY a == 1", "ALL a == 1", "NOT a == 1",
            "a == 1 AND b == 1", "a == 1 OR b == 1", "b == 1 AND a == 1", "a == \"1\"", "TRUEPREDICATE",
            "a IN {1}", "a IN {1, 2}", "a IN {2, 1}", "$a == 1", "a.b == 1", "a + b == 1", "a - b == 1",
        ]
        let predicates = formats.map { NSPredicate(format: $0) }
        for (i, first) in predicates.enumerated() {
            for (j, second) in predicates.enumerated() {
                #expect(first.isEqual(second) == (i == j), "\(formats[i]) and \(formats[j])")
            }
        }
    }

    @Test func `a list of a thousand comparisons is one flat compound`() throws {
        let format = (0..<1000).map { "a == \($0)" }.joined(separator: " OR ")
        let compound = try #require(try NSPredicate.parsing(format) as? NSCompoundPredicate)
        #expect(compound.subpredicates.count == 1000)
        #expect(compound.evaluate(with: ["a": 999]))
    }
}
