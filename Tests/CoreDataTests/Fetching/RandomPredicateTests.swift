// The law that holds the SQL of predicates to their evaluation in memory: random predicates over random objects find the
// same objects in a SQLite store, in the in-memory store, and by `evaluate(with:)` on the objects themselves. A failure
// prints the seed and the format.

import Testing

@testable import CoreData

@Suite struct RandomPredicateTests {
    private static let entities = ["Thing", "Thing", "Thing", "Special", "Extra", "Person", "Tag", "Part"]

    /// The entity that has the properties which a predicate over `entity` may use.
    private func base(_ entity: String) -> String { entity == "Special" || entity == "Extra" ? "Thing" : entity }

    @Test(arguments: Laws.cases(1...8))
    func `both stores and the objects themselves agree about random predicates`(_ seed: UInt64) throws {
        let sqlite = try PredicateWorld(.sqlite, seed: seed)
        let memory = try PredicateWorld(.inMemory, seed: seed)
        let (sqliteVariables, memoryVariables) = (sqlite.variables, memory.variables)
        var generator = RandomPredicateGenerator(seed: seed)
        var (found, missed) = (0, 0)
        for _ in 0..<400 {
            let entity = generator.random.pick(Self.entities)
            let format = generator.predicate(base(entity))
            let includesSubentities = generator.random.chance(80)
            let parsed = try NSPredicate.parsing(format)
            let inSQL = try sqlite.numbers(
                entity, parsed.withSubstitutionVariables(sqliteVariables), includesSubentities: includesSubentities)
            let predicate = parsed.withSubstitutionVariables(memoryVariables)
            let inMemory = try memory.numbers(entity, predicate, includesSubentities: includesSubentities)
            #expect(inSQL == inMemory, "seed \(seed), \(entity): \(format)")
            let all = try memory.library.fetch(entity).filter {
                (includesSubentities || $0.entity.name == entity) && predicate.evaluate(with: $0)
            }
            #expect(
                inMemory == all.map { $0.value(forKey: "number") as? Int ?? -1 }, "seed \(seed), objects: \(format)")
            found += inMemory.count
            missed += try memory.library.fetch(entity).count - inMemory.count
        }
        // A generator whose predicates always or never held would prove nothing.
        #expect(found > 1000 && missed > 1000)
    }

    @Test(arguments: Laws.cases(1...8))
    func `a random predicate prints a format that parses back to it`(_ seed: UInt64) throws {
        var generator = RandomPredicateGenerator(seed: seed)
        for _ in 0..<1000 {
            let format = generator.predicate(base(generator.random.pick(Self.entities)))
            let predicate = try NSPredicate.parsing(format)
            let printed = predicate.formatText
            let again = try NSPredicate.parsing(printed)
            #expect(again == predicate, "seed \(seed): \(format) prints as \(printed)")
            #expect(again.formatText == printed, "seed \(seed): \(format)")
        }
    }

    @Test(arguments: Laws.cases(1...4))
    func `both stores agree about random orders`(_ seed: UInt64) throws {
        let sqlite = try PredicateWorld(.sqlite, seed: seed)
        let memory = try PredicateWorld(.inMemory, seed: seed)
        var random = SeededGenerator(seed: seed)
        let keys = [
            "flag", "small", "big", "real", "single", "price", "name", "note", "when", "key", "blob", "link", "owner",
            "owner.name", "parent.price", "owner.boss.age", "parent.owner.name", "children.@count", "tags.@max.weight",
            "objectID", "SELF",
        ]
        let selectors = [
            nil, nil, "compare:", "caseInsensitiveCompare:", "localizedStandardCompare:", "localizedCompare:",
        ]
        for _ in 0..<150 {
            let sort = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                NSSortDescriptor(
                    key: random.pick(keys), ascending: random.chance(50),
                    selector: random.pick(selectors).map { Selector($0) })
            }
            let entity = random.pick(["Thing", "Special"])
            let inSQL = try sqlite.numbers(entity, nil, sort: sort)
            let inMemory = try memory.numbers(entity, nil, sort: sort)
            #expect(inSQL == inMemory, "seed \(seed), \(entity): \(sort)")
        }
    }

    /// What the generator doesn't write.
    private static let rareFormats = [
        "entity.name == 'Special'", "entity.name IN {'Extra', 'Thing'}", "owner.entity.name == 'Manager'",
        "objectID == $thing3", "objectID IN $things", "SELF.objectID IN {$thing1, $thing2}",
        "owner.objectID == $person1",
        "noindex(number) == 3", "children.@sum.tags.@count > 2", "children[SIZE] > 1", "modulus(number, 7) == 3",
        "number << 2 == 12", "number >> 1 == 3", "~number == -4", "number ** 2 == 16", "exp(small) > 2",
        "ln(number) > 2",
        "log(number) == 1", "CAST(when, 'NSNumber') > 86000", "CAST(number, 'NSString') == '7'",
        "CAST(name, 'NSNumber') > 1",
        "CAST(CAST(when, 'NSNumber') + 1, 'NSDate') > when", "when < now()", "when - until > 0", "until + 10 > when",
        "median:(tags.weight) > 0", "stddev:(tags.weight) > 0", "sum(small, medium, 1) > 4", "max(small, medium) == 3",
        "min(name, note) == 'a'", "average(small, real) > 1", "count(children) > 1",
        "count({1, 2}) == 2 AND number == 1",
        "name ==[l] note", "name <[cl] 'b'", "name.length > 1", "link CONTAINS 'org'", "blob.length == 2",
        "key == CAST('6BA7B810-9DAD-11D1-80B4-00C04FD430C8', 'NSUUID')", "key.UUIDString BEGINSWITH '6BA'",
        "TERNARY(flag == TRUE, name, note) == 'a'", "flag == FALSE OR flag == nil",
        "ANY children.owner.entity.name == 'Manager'",
        "ALL children.tags.weight > 0", "ANY parts.maker.boss.name != nil",
        "SUBQUERY(children, $c, $c.owner == owner).@count > 0",
        "SUBQUERY(friends, $f, SUBQUERY($f.children, $c, $c.number > number).@count > 0).@count > 1",
        "ANY SUBQUERY(parts, $p, $p.count != nil).maker.age > 1", "friends.@count > 2 AND ANY friends == $thing5",
        "number > 3 AND ANY friends.friends == SELF", "children.@max.owner.things.@count > 2",
        "friends.@avg.parts.@sum.mass > 1",
        "ANY {1, 2, 3} == small",
        "ALL {small, medium} >= 0", "ANY {small, name} >= 0", "ANY {small, medium} == nil",
        "ALL {owner.name, name} != nil",
        "NOT ALL {number, name} >= 0 AND number == 2", "ALL {nil, 1} != small", "small IN {medium, big, 3}",
        "number BETWEEN {small, medium}", "parts.@sum.count > 0",
        "$person1.name == owner.name", "owner.things.@count > 3", "1 == 1", "owner.boss == nil",
        "NOT owner.name == nil",
    ]

    @Test func `rare formats are found alike`() throws {
        var found: [String: Int] = [:]
        for seed: UInt64 in [1, 2, 3] {
            let sqlite = try PredicateWorld(.sqlite, seed: seed)
            let memory = try PredicateWorld(.inMemory, seed: seed)
            let (sqliteVariables, memoryVariables) = (sqlite.variables, memory.variables)
            for format in Self.rareFormats {
                let parsed = try NSPredicate.parsing(format)
                let inSQL = try sqlite.numbers("Thing", parsed.withSubstitutionVariables(sqliteVariables))
                let inMemory = try memory.numbers("Thing", parsed.withSubstitutionVariables(memoryVariables))
                #expect(inSQL == inMemory, "seed \(seed): \(format)")
                found[format, default: 0] += inMemory.count
            }
        }
        for format in Self.rareFormats where format != "1 == 1" {
            #expect((1..<135).contains(found[format] ?? 0), "'\(format)' tests nothing")
        }
    }

    @Test(arguments: [3, 40, 70, 500, 20_000])
    func `lists of any length are found alike`(_ count: Int) throws {
        let sqlite = try PredicateWorld(.sqlite, seed: 99)
        let memory = try PredicateWorld(.inMemory, seed: 99)
        var random = SeededGenerator(seed: UInt64(count))
        let lists: [(String, [Any])] = [
            ("number", (0..<count).map { $0 * 2 }),
            (
                "real",
                PredicateValues.reals.shuffled(using: &random).prefix(count / 2)
                    + (0..<count).map { Double($0) + 0.125 }
            ),
            ("real", [0.25, 1, 2 as Int] + (0..<count).map { $0 + 100 }),
            (
                "price",
                PredicateValues.decimals.prefix(4).map { NSDecimalNumber(string: $0) } + (0..<count).map { $0 + 1000 }
            ),
            ("name", PredicateValues.strings.prefix(max(count / 2, 1)) + (0..<count).map { "x\($0)\"\\\n" }),
            (
                "when",
                PredicateValues.dates.prefix(2).map(Date.init(timeIntervalSinceReferenceDate:))
                    + (0..<count).map { Date(timeIntervalSinceReferenceDate: Double($0) + 0.5) }
            ),
            ("key", [UUID(uuidString: PredicateValues.uuids[0]) as Any] + (0..<count).map { _ in UUID() }),
            ("blob", [Data([0, 1]), Data()] + (0..<count).map { Data("\($0)".utf8) }),
            ("name", ["a", NSNull()] + (0..<count).map { "y\($0)" }),
        ]
        for (key, values) in lists {
            for format in ["%K IN %@", "NOT %K IN %@", "ANY children.%K IN %@", "%K IN[c] %@"] {
                let predicate = NSPredicate(format: format, argumentArray: [key, values])
                let inSQL = try sqlite.numbers("Thing", predicate)
                #expect(inSQL == (try memory.numbers("Thing", predicate)), "\(format) with \(key)")
            }
        }
        let objects = { (world: PredicateWorld) in
            NSPredicate(
                format: "owner IN %@ OR SELF IN %@", argumentArray: [world.people, Array(world.things.prefix(count))])
        }
        #expect(try sqlite.numbers("Thing", objects(sqlite)) == (try memory.numbers("Thing", objects(memory))))
    }
}
