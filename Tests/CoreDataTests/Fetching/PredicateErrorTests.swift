// Mistakes in formats: each is reported with its place, what stands there, and what to do.

import Testing

@testable import CoreData

@Suite struct PredicateErrorTests {
    struct Mistake: CustomTestStringConvertible, @unchecked Sendable {
        let format: String
        var arguments: [Any] = []
        let position: Int
        let found: String
        var testDescription: String { format.isEmpty ? "(empty)" : format }
    }

    @Test(arguments: [
        Mistake(format: "", position: 1, found: "the end"),
        Mistake(format: "name", position: 5, found: "the end"),
        Mistake(format: "name ==", position: 8, found: "the end"),
        Mistake(format: "name = = 3", position: 8, found: "'='"),
        Mistake(format: "== 3", position: 1, found: "'=='"),
        Mistake(format: "a == 1 b == 2", position: 8, found: "'b'"),
        Mistake(format: "a == 1 AND", position: 11, found: "the end"),
        Mistake(format: "AND a == 1", position: 1, found: "'AND'"),
        Mistake(format: "(a == 1", position: 8, found: "the end"),
        Mistake(format: "a == 1)", position: 7, found: "')'"),
        Mistake(format: "a == 'x", position: 6, found: "a text without an end"),
        Mistake(format: "a == \"x'", position: 6, found: "a text without an end"),
        Mistake(format: "é == ü == 1", position: 8, found: "'=='"),
        Mistake(format: "a NOT IN {1}", position: 3, found: "'NOT'"),
        Mistake(format: "a == 1x", position: 6, found: "'1x'"),
        Mistake(format: "a == 0xG", position: 6, found: "'0xG'"),
        Mistake(format: "a ==[q] 1", position: 6, found: "'q'"),
        Mistake(format: "a ==[c 1", position: 8, found: "the number 1"),
        Mistake(format: "a == %@", position: 6, found: "%@ without an argument"),
        Mistake(format: "a == %@ AND b == %d", arguments: [1], position: 18, found: "%d without an argument"),
        Mistake(format: "%K == 1", arguments: [1], position: 1, found: "%K"),
        Mistake(format: "a == %d", arguments: [Date()], position: 6, found: "%d"),
        Mistake(format: "a == %y", position: 6, found: "'%y'"),
        Mistake(format: "a == ?", position: 6, found: "'?'"),
        Mistake(format: "a. == 1", position: 4, found: "'=='"),
        Mistake(format: "$ == 1", position: 1, found: "'$' without a name"),
        Mistake(format: "nothing(a) == 1", position: 1, found: "the function 'nothing' with 1 arguments"),
        Mistake(format: "SUBQUERY(a, b, c == 1).@count > 0", position: 13, found: "'b'"),
        Mistake(format: "SUBQUERY(a, $b, c).@count > 0", position: 18, found: "')'"),
        Mistake(format: "TERNARY(a == 1, 2) == 3", position: 20, found: "'=='"),
        Mistake(format: "CAST(a, 'NSFoo') == 3", position: 6, found: "'a'"),
        Mistake(format: "CAST('no date', 'NSDate') == 3", position: 6, found: "the text \"no date\""),
        Mistake(format: "(a == 1) + 2 == 3", position: 1, found: "'('"),
        Mistake(format: "NOT a", position: 6, found: "the end"),
        Mistake(format: "a IN {1, 2", position: 11, found: "the end"),
        Mistake(format: "a[1 == 2", position: 3, found: "the number 1"),
        Mistake(
            format: "a MATCHES '('", position: 11,
            found: "the text \"(\", which is not a regular expression (ICU's syntax)"),
        Mistake(
            format: "a MATCHES 'a)|(b'", position: 11,
            found: "the text \"a)|(b\", which is not a regular expression (ICU's syntax)"),
        Mistake(format: "ANY a.b", position: 8, found: "the end"),
        Mistake(format: "in == 1", position: 1, found: "'in'"),
    ])
    func `a mistake is reported with its place`(_ mistake: Mistake) throws {
        let error = try #require(throws: PredicateError.self) {
            try NSPredicate.parsing(mistake.format, arguments: mistake.arguments)
        }
        #expect(error.position == mistake.position)
        #expect(error.found == mistake.found)
        #expect(!error.expected.isEmpty && !error.remedy.isEmpty)
    }

    @Test func `the message shows the format with a mark under the place`() throws {
        let error = try #require(throws: PredicateError.self) { try NSPredicate.parsing("größe = = 3") }
        #expect(
            error.description == """
                The predicate can't be read at character 9: found '=' where a value is expected. A value is a key path, a \
                literal (12, 'text', TRUE, nil), an argument (%@) or a function.
                    größe = = 3
                            ^
                """)
    }

    @Test func `a long format is shown around the place`() throws {
        let format =
            String(repeating: "a == 1 AND ", count: 50) + "b = = 1" + String(repeating: " AND a == 1", count: 50)
        let error = try #require(throws: PredicateError.self) { try NSPredicate.parsing(format) }
        let lines = error.description.split(separator: "\n")
        #expect(lines.count == 3)
        let mark = try #require(lines[2].firstIndex(of: "^"))
        let offset = lines[2].distance(from: lines[2].startIndex, to: mark)
        #expect(lines[1].dropFirst(offset).first == "=")
        #expect(lines[1].count <= 104)
    }

    @Test func `nesting has a limit`() throws {
        for deep in ["(", "NOT ", "-", "{", "a["] {
            #expect(throws: PredicateError.self) { try NSPredicate.parsing(String(repeating: deep, count: 100_000)) }
        }
        let allowed = String(repeating: "(", count: 90) + "a == 1" + String(repeating: ")", count: 90)
        #expect(try NSPredicate.parsing(allowed).formatText == "a == 1")
    }

    @Test func `no format stops the program`() {
        // Pieces of the language in random order, seeded; whatever comes out, it is a predicate or an error.
        let pieces = [
            "a", "b.c", "==", "<", "(", ")", "AND", "OR", "NOT", "'x'", "1", "2.5", "{", "}", ",", "%@", "%K", "$v",
            "IN",
            "ANY", "ALL", "[c]", "[", "]", "SUBQUERY(", "sum(", "+", "-", "**", "@count", ".", "nil", "SELF", "BETWEEN",
            "MATCHES", "#", "%", "\\", "\"", "é", "TERNARY(", "CAST(", "FUNCTION(", "FETCH(", "UNION", "0x", "1e", "&&",
            "!",
        ]
        var generator = SeededGenerator(seed: 11)
        var parsed = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...(Bool.random(using: &generator) ? 4 : 12), using: &generator)
            let format = (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }
                .joined(separator: Bool.random(using: &generator) ? " " : "")
            guard let predicate = try? NSPredicate.parsing(format, arguments: ["k", 1]) else { continue }
            parsed += 1
            _ = predicate.evaluate(with: ["a": 1, "b": ["c": [1, 2]]])
            _ = predicate.formatText
        }
        #expect(parsed > 10)
    }
}
