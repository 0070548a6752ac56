// Evaluation in memory on dictionaries, arrays, texts and numbers. What a store answers is compared with it in
// RandomPredicateTests.

import Testing

@testable import CoreData

@Suite struct PredicateEvaluationTests {
    struct Case: CustomTestStringConvertible, @unchecked Sendable {
        let format: String
        let arguments: [Any]
        let expected: Bool
        var testDescription: String { "\(format) is \(expected)" }

        static func yes(_ format: String, _ arguments: Any...) -> Case {
            Case(format: format, arguments: arguments, expected: true)
        }
        static func no(_ format: String, _ arguments: Any...) -> Case {
            Case(format: format, arguments: arguments, expected: false)
        }
    }

    nonisolated(unsafe) static let object: [String: Any] = [
        "i": 7, "big": Int64.max, "d": 2.5, "yes": true, "decimal": NSDecimalNumber(string: "2.50"),
        "name": "Ünïcode", "ascii": "Hello World", "empty": "", "tab": "a\tb\n",
        "date": Date(timeIntervalSinceReferenceDate: 1000),
        "uuid": UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")!,
        "url": URL(string: "https://example.org/a")!, "data": Data([1, 2, 3]), "null": NSNull(),
        "numbers": [1, 2, 3, 4], "empties": [Int](), "names": ["ann", "Bob", "Änne"],
        "set": NSSet(array: ["x", "y"]), "ordered": NSOrderedSet(array: [3, 1, 2]),
        "author": ["name": "Ann", "age": 30, "tags": ["a", "b"]],
        "items": [
            ["name": "one", "price": 1, "tags": ["a"], "owner": ["name": "X"]],
            ["name": "two", "price": 2.5, "tags": ["a", "b"]],
            ["name": "three", "tags": [String]()],
        ] as [[String: Any]],
    ]

    static let comparisons: [Case] = [
        .yes("i == 7"), .no("i == 8"), .yes("i != 8"), .no("i != 7"), .yes("i < 8"), .no("i < 7"), .yes("i <= 7"),
        .yes("i > 6"), .yes("i >= 7"), .no("i > 7"),
        .yes("i == 7.0"), .yes("d == 2.5"), .yes("decimal == 2.5"), .yes("decimal == d"), .yes("d < 3"),
        .yes("yes == TRUE"), .yes("yes == 1"), .no("yes == FALSE"), .yes("yes != NO"),
        .yes("big == 9223372036854775807"), .no("big == 9223372036854775806"), .no("big == 9.223372036854775807e18"),
        .yes("big < 9.223372036854775807e18"), .no("big > 9223372036854775806.0"), .yes("big > 9223372036854774784.0"),
        .yes("ascii == 'Hello World'"), .no("ascii == 'hello world'"), .yes("ascii ==[c] 'hELLO wORLD'"),
        .yes("name ==[cd] 'unicode'"), .yes("name ==[d] 'Unicode'"), .no("name ==[d] 'unicode'"),
        .yes("name ==[c] 'üNÏCODE'"), .no("name == %@", "Ünïcode".decomposedStringWithCanonicalMapping),
        .yes("name ==[c] %@", "Ünïcode".decomposedStringWithCanonicalMapping),
        .yes("ascii < 'Hello Worlds'"), .yes("ascii < 'hello'"), .no("ascii <[c] 'hello'"), .yes("'Z' < 'a'"),
        .yes("'a' < 'é'"), .yes("'z' < 'é'"), .yes("'\u{FFFD}' < '😀'"),
        .yes("date == %@", Date(timeIntervalSinceReferenceDate: 1000)),
        .yes("date < %@", Date(timeIntervalSinceReferenceDate: 1000.5)),
        .yes("date == CAST(1000, 'NSDate')"), .yes("CAST(date, 'NSNumber') == 1000"), .no("date == 1000"),
        .yes("uuid == %@", UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8")!),
        .yes("uuid == CAST('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'NSUUID')"), .no("uuid == %@", UUID()),
        .yes("url == %@", URL(string: "https://example.org/a")!), .yes("url == 'https://example.org/a'"),
        .yes("url BEGINSWITH 'https'"), .yes("data == %@", Data([1, 2, 3])), .yes("data < %@", Data([1, 3])),
        .yes("CAST(1e999, 'NSDate') - 1e999 == nil"), .yes("-1e999 + CAST(1e999, 'NSDate') == nil"),
        .no("i == CAST(CAST(1e999, 'NSDate') - 1e999, 'NSNumber')"),
        .yes("modulus:by:(CAST(CAST(1e999, 'NSDate') - 1e999, 'NSNumber'), 2) == nil"),
        .yes("null == nil"), .yes("missing == nil"), .no("missing != nil"), .yes("i != nil"), .yes("nil == nil"),
        .no("missing < 3"), .no("missing > 3"), .no("missing >= nil"), .yes("missing != 3"), .yes("NOT missing == 3"),
        .yes("NOT missing < 3"), .no("i == '7'"), .yes("i != '7'"), .no("i < '8'"), .no("ascii > 3"),
        .yes("i BETWEEN {7, 9}"), .yes("i BETWEEN {5, 7}"), .no("i BETWEEN {8, 9}"), .no("i BETWEEN {9, 5}"),
        .yes("i BETWEEN %@", [1, 10]), .no("missing BETWEEN {1, 2}"), .no("i BETWEEN {1}"),
        .yes("ascii BETWEEN {'A', 'Z'}"), .yes("3 < i"), .yes("i == i"), .yes("missing == null"),
    ]

    static let strings: [Case] = [
        .yes("ascii CONTAINS 'lo W'"), .no("ascii CONTAINS 'LO w'"), .yes("ascii CONTAINS[c] 'LO w'"),
        .yes("name CONTAINS[cd] 'NICO'"), .yes("'lo' IN ascii"), .no("'LO' IN ascii"), .yes("'LO' IN[c] ascii"),
        .yes("ascii BEGINSWITH 'Hell'"), .no("ascii BEGINSWITH 'hell'"), .yes("ascii BEGINSWITH[c] 'hell'"),
        .yes("name BEGINSWITH[d] 'U'"), .yes("ascii ENDSWITH 'rld'"), .no("ascii ENDSWITH 'RLD'"),
        .yes("ascii ENDSWITH[c] 'RLD'"), .no("empty ENDSWITH 'x'"), .yes("ascii CONTAINS ''"),
        .yes("empty BEGINSWITH ''"),
        .no("missing CONTAINS ''"), .no("missing BEGINSWITH 'x'"), .no("i CONTAINS '7'"), .no("ascii CONTAINS 7"),
        .yes("ascii LIKE 'Hello*'"), .yes("ascii LIKE '*World'"), .yes("ascii LIKE '*o*o*'"),
        .yes("ascii LIKE 'H?llo World'"),
        .no("ascii LIKE 'Hello'"), .no("ascii LIKE 'hello*'"), .yes("ascii LIKE[c] 'hello*'"), .yes("ascii LIKE '*'"),
        .yes("empty LIKE ''"), .yes("empty LIKE '*'"), .no("empty LIKE '?'"), .yes("tab LIKE 'a?b?'"),
        .yes("'a*b' LIKE 'a\\\\*b'"), .no("'axb' LIKE 'a\\\\*b'"), .yes("'a?b' LIKE 'a\\\\?b'"), .yes("'.' LIKE '.'"),
        .no("'x' LIKE '.'"), .yes("name LIKE[cd] '?NICODE'"),
        .yes("ascii MATCHES 'Hello.*'"), .no("ascii MATCHES 'Hello'"), .no("ascii MATCHES 'hello.*'"),
        .yes("ascii MATCHES[c] 'hello.*'"), .yes("ascii MATCHES '\\\\w+\\\\s\\\\w+'"), .yes("'ab' MATCHES 'a|ab'"),
        .no("'ab\n' MATCHES 'ab'"), .yes("name MATCHES[cd] 'unicode'"), .no("missing MATCHES '.*'"),
        .no("i MATCHES '7'"), .yes("'a' MATCHES '(?x) a # letter'"), .no("'ab' MATCHES '(?x) a # letter'"),
        .yes("'a(' MATCHES '\\\\Qa('"), .no("'a(b' MATCHES '\\\\Qa('"), .no("ascii MATCHES ''"),
        .yes("name.length == 7"), .yes("empty.length == 0"), .yes("length:(name) == 7"),
    ]

    static let collections: [Case] = [
        .yes("i IN {1, 7}"), .no("i IN {1, 8}"), .yes("i IN %@", [7.0]), .yes("i IN %@", Set([7, 8])), .no("i IN {}"),
        .yes("missing IN {nil}"), .no("missing IN {1}"), .yes("ascii IN %@", ["Hello World"]),
        .yes("ascii IN[c] %@", ["hello world"]), .yes("NOT i IN {8}"), .no("'7' IN {7}"),
        .yes("numbers CONTAINS 3"), .no("numbers CONTAINS 9"), .yes("3 IN numbers"), .yes("set CONTAINS 'x'"),
        .yes("names CONTAINS[c] 'ANN'"), .yes("author CONTAINS 'name'"),
        .yes("ANY numbers == 3"), .no("ANY numbers == 9"), .yes("ALL numbers > 0"), .no("ALL numbers > 1"),
        .yes("NONE numbers > 9"), .no("NONE numbers > 3"), .yes("SOME numbers > 3"), .no("ANY empties == 1"),
        .yes("ALL empties == 1"), .yes("NONE empties == 1"), .no("ANY missing == nil"), .yes("ALL missing == 1"),
        .yes("ANY items.name == 'two'"), .no("ALL items.name == 'two'"), .yes("ANY items.price == nil"),
        .yes("ANY items.price > 2"), .no("ANY items.price > 3"), .yes("ANY items.tags == 'b'"),
        .no("ANY items.tags == 'c'"),
        .yes("ANY items.owner.name == 'X'"), .no("ANY items.owner.name == nil"), .yes("ANY items.owner == nil"),
        .yes("ANY names BEGINSWITH[cd] 'A'"), .yes("ANY numbers IN {4, 5}"), .yes("ANY numbers BETWEEN {4, 5}"),
        .yes("numbers.@count == 4"), .yes("empties.@count == 0"), .yes("missing.@count == 0"), .yes("items.@count > 2"),
        .yes("numbers.@sum.self == 10"), .yes("items.@sum.price == 3.5"), .yes("empties.@sum.self == 0"),
        .yes("numbers.@avg.self == 2.5"), .yes("items.@avg.price == 1.75"), .yes("empties.@avg.self == nil"),
        .yes("items.@max.price == 2.5"), .yes("items.@min.price == 1"), .yes("items.@max.name == 'two'"),
        .yes("empties.@max.self == nil"), .yes("items.@sum.tags.@count == 3"), .yes("items.tags.@count == 3"),
        .yes("count(items.@distinctUnionOfObjects.tags) == 2"), .yes("count(items.@unionOfObjects.tags) == 3"),
        .yes("numbers == {1, 2, 3, 4}"), .no("numbers == {4, 3, 2, 1}"), .yes("set == %@", NSSet(array: ["y", "x"])),
        .yes("ordered == {3, 1, 2}"), .yes("ordered[FIRST] == 3"), .yes("ordered[LAST] == 2"), .yes("ordered[1] == 1"),
        .yes("ordered[SIZE] == 3"), .yes("ordered[9] == nil"), .yes("author['name'] == 'Ann'"),
        .yes("SUBQUERY(items, $i, $i.price > 1).@count == 1"), .yes("SUBQUERY(items, $i, $i.price == nil).@count == 1"),
        .yes("SUBQUERY(items, $i, ANY $i.tags == 'a' AND $i.price < 2).@count == 1"),
        .yes("SUBQUERY(numbers, $n, $n > 2).@count == 2"), .yes("SUBQUERY(numbers, $n, $n > i).@count == 0"),
        .yes("ANY SUBQUERY(items, $i, $i.price > 1).name == 'two'"),
        .yes("SUBQUERY(items, $i, SUBQUERY($i.tags, $t, $t == 'b').@count > 0).@count == 1"),
        .yes("SUBQUERY(items, $i, $i.owner.name == nil).@count == 2"),
        .yes("SUBQUERY(missing, $i, TRUEPREDICATE).@count == 0"),
        .yes("({1, 2} UNION {2, 3}).@count == 3"), .yes("({1, 2} INTERSECT numbers) == {1, 2}"),
        .yes("(numbers MINUS {1, 2}).@count == 2"),
    ]

    static let expressions: [Case] = [
        .yes("i + 1 == 8"), .yes("i - 10 == -3"), .yes("i * 2 == 14"), .yes("i / 2 == 3"), .yes("i / 2.0 == 3.5"),
        .yes("decimal / 2 == 1.25"), .yes("i / 0 == nil"), .yes("i ** 2 == 49"), .yes("-i == -7"),
        .yes("missing + 1 == nil"),
        .yes("ascii + 1 == nil"), .yes("big + 1 == 9.223372036854775808e18"), .yes("1 + 2 * 3 == 7"),
        .yes("(1 + 2) * 3 == 9"),
        .yes("2 ** 3 ** 2 == 512"), .yes("10 - 3 - 2 == 5"), .yes("(i & 3) == 3"), .yes("(i | 8) == 15"),
        .yes("(i ^ 1) == 6"),
        .yes("i << 2 == 28"), .yes("i >> 1 == 3"), .yes("~i == -8"), .yes("modulus(i, 4) == 3"),
        .yes("modulus(i, 0) == nil"),
        .yes("abs(-3) == 3"), .yes("abs(0 - d) == 2.5"), .yes("sqrt(16) == 4"), .yes("sqrt(-1) == nil"),
        .yes("floor(d) == 2"),
        .yes("ceiling(d) == 3"), .yes("trunc(-2.5) == -2"), .yes("floor(i) == 7"), .yes("exp(0) == 1"),
        .yes("ln(1) == 0"),
        .yes("log(100) == 2"), .yes("uppercase(ascii) == 'HELLO WORLD'"), .yes("lowercase(ascii) == 'hello world'"),
        .yes("canonical(name) == 'unicode'"), .yes("uppercase(i) == nil"), .yes("now() > date"),
        .yes("sum(1, 2, 3) == 6"), .yes("sum(numbers) == 10"), .yes("max(1, i, 3) == 7"), .yes("min({3, 1, 2}) == 1"),
        .yes("average(numbers) == 2.5"), .yes("median(numbers) == 2.5"), .yes("median(1, 5, 2) == 2"),
        .yes("mode({1, 2, 2, 3}) == {2}"), .yes("stddev({2, 4, 4, 4, 5, 5, 7, 9}) == 2"), .yes("count(numbers) == 4"),
        .yes("noindex(i) == 7"), .yes("CAST(i, 'NSString') == '7'"), .yes("CAST('12', 'NSNumber') == 12"),
        .yes("CAST('x', 'NSString') == 'x'"), .yes("date + 60 == CAST(1060, 'NSDate')"),
        .yes("date - 1000 == CAST(0, 'NSDate')"),
        .yes("date - CAST(400, 'NSDate') == 600"), .yes("TERNARY(i > 5, 'a', 'b') == 'a'"),
        .yes("TERNARY(i < 5, 1, 2) == 2"),
        .yes("FUNCTION(ascii, 'lowercaseString') == 'hello world'"),
        .yes("FUNCTION(author, 'valueForKey:', 'age') == 30"),
        // Foundation's methods, by their selectors.
        .yes("FUNCTION(now(), 'dateByAddingTimeInterval:', -86400) < now()"),
        .yes("FUNCTION(date, 'dateByAddingTimeInterval:', 60) == CAST(1060, 'NSDate')"),
        .yes("FUNCTION(date, 'timeIntervalSinceDate:', CAST(400, 'NSDate')) == 600"),
        .yes("FUNCTION(date, 'laterDate:', now()) > date"), .yes("FUNCTION(ascii, 'length') == 11"),
        .yes("FUNCTION(ascii, 'stringByAppendingString:', '!') == 'Hello World!'"),
        .yes("FUNCTION(ascii, 'uppercaseString') == 'HELLO WORLD'"),
        .yes("FUNCTION('a b c', 'capitalizedString') == 'A B C'"), .yes("FUNCTION('12', 'integerValue') == 12"),
        .yes("FUNCTION('a-b', 'stringByReplacingOccurrencesOfString:withString:', '-', '+') == 'a+b'"),
        .yes("FUNCTION(ascii, 'substringFromIndex:', 6) == 'World'"),
        .yes("FUNCTION(ascii, 'substringToIndex:', 5) == 'Hello'"),
        // Half of a character of two units.
        .yes("FUNCTION('\u{1F600}a', 'substringFromIndex:', 2) == 'a'"),
        .yes("FUNCTION('\u{1F600}a', 'substringFromIndex:', 1) == '\u{FFFD}a'"),
        .yes("FUNCTION('\u{1F600}a', 'substringToIndex:', 1) == '\u{FFFD}'"),
        .yes("FUNCTION('a,b', 'componentsSeparatedByString:', ',') == {'a', 'b'}"),
        .yes("FUNCTION(names, 'componentsJoinedByString:', '-') BEGINSWITH 'ann-Bob'"),
        .yes("FUNCTION(ascii, 'hasPrefix:', 'Hell') == TRUE"), .yes("FUNCTION(i, 'isEqual:', 7) == TRUE"),
        .yes("FUNCTION(i, 'compare:', 8) == -1"), .yes("FUNCTION(numbers, 'containsObject:', 3) == TRUE"),
        .yes("FUNCTION(numbers, 'objectAtIndex:', 0) == 1"), .yes("FUNCTION(null, 'uppercaseString') == nil"),
        .yes("FUNCTION(author, 'name') == 'Ann'"),
        .yes("random() < 1"), .yes("random(5) < 5"), .yes("author.name == 'Ann'"), .yes("author.missing.deeper == nil"),
        .yes("author.tags.@count == 2"), .yes("i.stringValue == '7'"), .no("items.@bogus == 1"),
    ]

    @Test(arguments: comparisons + strings + collections + expressions)
    func `a predicate holds or doesn't`(_ test: Case) throws {
        let predicate = try NSPredicate.parsing(test.format, arguments: test.arguments)
        #expect(predicate.evaluate(with: unsafe Self.object) == test.expected)
        let foundation = NSDictionary(dictionary: unsafe Self.object)
        #expect(predicate.evaluate(with: foundation) == test.expected, "as NSDictionary")
        let negated = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
        #expect(negated.evaluate(with: unsafe Self.object) == !test.expected, "negated")
    }

    @Test func `self is the object itself`() {
        #expect(NSPredicate(format: "SELF BEGINSWITH 'a'").evaluate(with: "abc"))
        #expect(NSPredicate(format: "SELF > 3").evaluate(with: 4))
        #expect(NSPredicate(format: "SELF IN %@", [1, 2]).evaluate(with: NSNumber(value: 2)))
        #expect(NSPredicate(format: "SELF.@count == 2").evaluate(with: [1, 2]))
        #expect(NSPredicate(format: "ANY SELF == 2").evaluate(with: NSSet(array: [1, 2])))
        #expect(NSPredicate(format: "SELF == nil").evaluate(with: nil))
    }

    @Test func `Foundation's collections filter with formats`() {
        let array = NSArray(array: [["n": 1], ["n": 2], ["n": 3]])
        #expect(array.filtered(using: NSPredicate(format: "n > 1")).count == 2)
        #expect(NSSet(array: [1, 2, 3]).filtered(using: NSPredicate(format: "SELF < 3")).count == 2)
        #expect(NSOrderedSet(array: [1, 2, 3]).filtered(using: NSPredicate(format: "SELF != 2")).count == 2)
    }

    @Test func `variables take the values they are given`() {
        let predicate = NSPredicate(format: "age > $limit AND name == $who.name")
        let variables: [String: Any] = ["limit": 3, "who": ["name": "x"]]
        #expect(predicate.evaluate(with: ["age": 4, "name": "x"], substitutionVariables: variables))
        #expect(!predicate.evaluate(with: ["age": 3, "name": "x"], substitutionVariables: variables))
        #expect(predicate.withSubstitutionVariables(variables).evaluate(with: ["age": 4, "name": "x"]))
    }

    @Test func `closures and Foundation's compounds mix with formats`() {
        let closure = NSPredicate { object, _ in (object as? [String: Int])?["a"] == 1 }
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [closure, NSPredicate(format: "b == 2")])
        #expect(both.evaluate(with: ["a": 1, "b": 2]))
        #expect(!both.evaluate(with: ["a": 2, "b": 2]))
        let either = NSCompoundPredicate(orPredicateWithSubpredicates: [NSPredicate(value: false), both])
        #expect(either.evaluate(with: ["a": 1, "b": 2]))
    }

    @Test func `stored properties of other objects are read`() {
        final class Person {
            let name: String
            let friends: [Person]
            init(_ name: String, _ friends: [Person] = []) {
                self.name = name
                self.friends = friends
            }
        }
        let person = Person("Ann", [Person("Bob"), Person("Cid")])
        #expect(NSPredicate(format: "name == 'Ann' AND ANY friends.name == 'Cid'").evaluate(with: person))
        #expect(!NSPredicate(format: "friends.@count == 3").evaluate(with: person))
    }

    @Test func `a list of a hundred thousand values is searched quickly`() {
        let predicate = NSPredicate(format: "n IN %@", Array(0..<100_000))
        let clock = ContinuousClock()
        let time = clock.measure {
            for n in stride(from: 0, to: 200_000, by: 100) {
                #expect(predicate.evaluate(with: ["n": n]) == (n < 100_000))
            }
        }
        #expect(time < .seconds(10))
    }
}
