// The law of RandomPredicateTests for PostgreSQL: what it answers is what memory answers. What it can't do in the same way it
// refuses, with the reason.

import Testing

@testable import CoreData

@Suite(.enabled(if: TestServer.url != nil, "no PostgreSQL server: make test-postgresql"))
struct RandomPostgreSQLPredicateTests {
    private static let entities = ["Thing", "Thing", "Thing", "Special", "Extra", "Person", "Tag", "Part"]

    @Test(arguments: Laws.cases(1...8))
    func `PostgreSQL finds what memory finds, or says why it can't`(_ seed: UInt64) throws {
        let server = try PredicateWorld(.postgreSQL, seed: seed)
        let memory = try PredicateWorld(.inMemory, seed: seed)
        var generator = RandomPredicateGenerator(seed: seed)
        var (found, refused) = (0, 0)
        for _ in 0..<400 {
            let entity = generator.random.pick(Self.entities)
            let format = generator.predicate(entity == "Special" || entity == "Extra" ? "Thing" : entity)
            let parsed = try NSPredicate.parsing(format)
            let expected = try memory.numbers(entity, parsed.withSubstitutionVariables(memory.variables))
            do {
                let numbers = try server.numbers(entity, parsed.withSubstitutionVariables(server.variables))
                #expect(numbers == expected, "seed \(seed), \(entity): \(format)")
                found += numbers.count
            } catch let error as CocoaError {
                // Dates beyond the year 294276.
                let reasons = ["can't be evaluated by a PostgreSQL store", "out of range", "PostgreSQL can hold"]
                #expect(
                    reasons.contains { error.localizedDescription.contains($0) },
                    "seed \(seed), \(entity): \(format): \(error.localizedDescription)")
                refused += 1
            }
        }
        #expect(found > 500 && refused < 200, "found \(found), refused \(refused)")
    }
}
