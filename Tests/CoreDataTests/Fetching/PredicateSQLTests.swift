// The SQL of predicates: what is in its text, what SQLite makes of it, and what it refuses. That its answers are right is
// the matter of RandomPredicateTests.

import Testing

@testable import CoreData

@Suite struct PredicateSQLTests {
    private let schema: SQLSchema
    private let model = PredicateModel.make()

    init() throws { schema = try SQLSchema(model: model) }

    private func statement(_ entity: String, _ predicate: NSPredicate, sort: [NSSortDescriptor] = []) throws
        -> SQLFragment
    {
        let entity = try #require(schema.entity(named: entity))
        var select = SQLSelect(schema: schema, entity: entity, includesSubentities: true)
        try select.add(predicate: predicate)
        for descriptor in sort { try select.add(sortDescriptor: descriptor) }
        return select.statement(columns: "t0.Z_PK")
    }

    private func condition(_ format: String, _ arguments: Any...) throws -> SQLFragment {
        var fragment = try statement("Thing", NSPredicate(format: format, argumentArray: arguments))
        fragment.sql = String(fragment.sql.drop { $0 != "(" })
        return fragment
    }

    @Test(arguments: [
        ("number == 7", "(t0.ZNUMBER = ?)"),
        ("number != 7", "(((t0.ZNUMBER = ?) IS NOT TRUE))"),
        ("name == note", "(t0.ZNAME IS t0.ZNOTE)"),
        ("name == nil", "(t0.ZNAME IS NULL)"),
        ("name != nil", "((NOT (t0.ZNAME IS NULL)))"),
        ("name == 5", "(t0.ZNAME = ?)"),
        ("name == 5.5", "(FALSE)"),
        ("number < 3 AND real >= 2", "((t0.ZNUMBER < ?) AND (t0.ZREAL >= ?))"),
        ("name ==[cd] 'X'", "(graft_fold(t0.ZNAME, ?) = ?)"),
        ("name BEGINSWITH 'ab'", "((t0.ZNAME >= ?) AND (t0.ZNAME < ?))"),
        ("name CONTAINS 'ab'", "(instr(t0.ZNAME, ?) > 0)"),
        ("name LIKE 'a*'", "(graft_match(?, ?, t0.ZNAME, ?))"),
        ("number IN {1, 2, 3}", "(t0.ZNUMBER IN (?,?,?,?))"),
        ("number BETWEEN {1, 2}", "((t0.ZNUMBER >= ?) AND (t0.ZNUMBER <= ?))"),
        ("owner == nil", "(t0.ZOWNER IS NULL)"),
        ("number + 1 == big", "((t0.ZNUMBER + ?) IS t0.ZBIG)"),
        ("children.@count > 0", "(EXISTS (SELECT 1 FROM ZTHING AS s1 WHERE s1.ZPARENT = t0.Z_PK))"),
        ("children.@count > 1", "((SELECT COUNT(*) FROM ZTHING AS s1 WHERE s1.ZPARENT = t0.Z_PK) > ?)"),
        (
            "ANY children.number > 3",
            "(EXISTS (SELECT 1 FROM ZTHING AS s1 WHERE (s1.ZPARENT = t0.Z_PK) AND (s1.ZNUMBER > ?)))"
        ),
        ("SELF == nil", "(FALSE)"),
        ("TRUEPREDICATE", "(TRUE)"),
        ("1 + 2 == 3", "(? = ?)"),
    ])
    func `the condition has this text`(_ format: String, _ sql: String) throws {
        #expect(try condition(format).sql == sql)
    }

    @Test func `to-one paths join the table once`() throws {
        let fragment = try statement(
            "Thing", NSPredicate(format: "owner.name == 'x' AND owner.age > 3"),
            sort: [NSSortDescriptor(key: "owner.name", ascending: false)])
        #expect(
            fragment.sql
                == "SELECT t0.Z_PK FROM ZTHING AS t0 LEFT JOIN ZPERSON AS t1 ON t1.Z_PK = t0.ZOWNER "
                + "WHERE ((t1.ZNAME = ?) AND (t1.ZAGE > ?)) ORDER BY t1.ZNAME DESC")
    }

    @Test func `values are bound and never part of the text`() throws {
        let texts = ["'; DROP TABLE ZTHING; --", "x\"y", "12345678"]
        let formats = [
            "name == %@", "name CONTAINS %@", "name BEGINSWITH %@", "name ENDSWITH[c] %@", "name LIKE %@", "name IN %@",
            "ANY tags.label == %@", "SUBQUERY(children, $c, $c.name == %@).@count > 0", "uppercase(name) == %@",
            "TERNARY(flag == 1, %@, name) == note",
        ]
        for text in texts {
            for format in formats {
                let argument: Any = format.contains("IN %@") ? [text] : text
                let fragment = try condition(format, argument)
                #expect(!fragment.sql.contains(text))
                #expect(fragment.sql.filter { $0 == "?" }.count == fragment.arguments.count)
            }
        }
    }

    @Test func `the text is the same for other values, so that the statement can be kept`() throws {
        #expect(try condition("number == 1").sql == condition("number == 99").sql)
        let five = try condition("number IN %@", Array(0..<5)).sql
        #expect(try condition("number IN %@", Array(0..<8)).sql == five)
        let many = try condition("number IN %@", Array(0..<1000))
        #expect(try condition("number IN %@", Array(0..<100_000)).sql == many.sql)
        #expect(many.arguments.count == 1)
    }

    @Test(arguments: [
        ("color == 'x'", "'color' holds encoded objects"),
        ("missing == 1", "'missing'"),
        ("owner.missing == 1", "'missing'"),
        ("children.name == 'x'", "use ANY, ALL, @count or SUBQUERY"),
        ("$x == 1", "withSubstitutionVariables"),
        ("children.@bogus == 1", "@bogus"),
        ("name.@count == 1", "no to-many relationship"),
        ("parts[FIRST].name == 'x'", "[SIZE]"),
        ("ANY (children UNION friends) == nil", "UNION"),
        ("FUNCTION(name, 'reversed') == 'x'", "'reversed'"),
    ])
    func `what SQL can't do is refused with a reason`(_ format: String, _ reason: String) throws {
        let error = try #require(throws: CocoaError.self) { try condition(format) }
        #expect(error.code == .persistentStoreOperation)
        #expect(error.localizedDescription.contains(reason))
        #expect(error.localizedDescription.contains("Thing"))
    }

    @Test func `closures are refused`() throws {
        let closure = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "number == 1"), NSPredicate { _, _ in true },
        ])
        #expect(throws: CocoaError.self) { try statement("Thing", closure) }
        let descriptor = NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame }
        #expect(throws: CocoaError.self) { try statement("Thing", NSPredicate(value: true), sort: [descriptor]) }
        let selector = NSSortDescriptor(key: "name", ascending: true, selector: "bogus:")
        #expect(throws: CocoaError.self) { try statement("Thing", NSPredicate(value: true), sort: [selector]) }
        let color = NSSortDescriptor(key: "color", ascending: true)
        #expect(throws: CocoaError.self) { try statement("Thing", NSPredicate(value: true), sort: [color]) }
    }

    @Test func `transformable attributes can be compared with nil`() throws {
        let world = try PredicateWorld(.sqlite, seed: 5)
        let memory = try PredicateWorld(.inMemory, seed: 5)
        for format in ["color == nil", "color != nil", "color IN {nil}", "ANY children.color == nil"] {
            let predicate = NSPredicate(format: format)
            let found = try world.numbers("Thing", predicate)
            #expect(found == (try memory.numbers("Thing", predicate)))
            #expect(!found.isEmpty && found.count < 45)
        }
    }

    @Test func `objects of another store are equal to none`() throws {
        let here = try PredicateWorld(.sqlite, seed: 1)
        let there = try PredicateWorld(.sqlite, seed: 1)
        let foreign = there.people[0]
        #expect(try here.numbers("Thing", NSPredicate(format: "owner == %@", foreign)).isEmpty)
        #expect(try here.numbers("Thing", NSPredicate(format: "owner IN %@", [foreign.objectID])).isEmpty)
        #expect(try here.numbers("Thing", NSPredicate(format: "owner != %@", foreign)).count == 45)
        let unsaved = here.library.newContext()
        let new = NSEntityDescription.insertNewObject(forEntityName: "Person", into: unsaved)
        #expect(try here.numbers("Thing", NSPredicate(format: "owner == %@", new)).isEmpty)
    }

    @Test func `thousands of comparisons in one predicate are no problem`() throws {
        let world = try PredicateWorld(.sqlite, seed: 1)
        let parts = (0..<5000).map { NSPredicate(format: "number == %d", $0 * 9) }
        let any = NSCompoundPredicate(orPredicateWithSubpredicates: parts)
        #expect(try world.numbers("Thing", any).sorted() == [0, 9, 18, 27, 36])
    }

    @Test func `a count through the store agrees with the objects found`() throws {
        let world = try PredicateWorld(.sqlite, seed: 3)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.predicate = NSPredicate(format: "ANY tags.weight > 0 AND owner.name != nil")
        #expect(try world.library.context.count(for: request) == world.library.context.fetch(request).count)
    }

    @Test func `the least text after a prefix`() {
        #expect(PredicateSQL.successor(ofPrefix: "ab") == "ac")
        #expect(PredicateSQL.successor(ofPrefix: "\u{D7FF}") == "\u{E000}")
        #expect(PredicateSQL.successor(ofPrefix: "a\u{10FFFF}") == "b")
        #expect(PredicateSQL.successor(ofPrefix: "\u{10FFFF}") == nil)
    }
}
