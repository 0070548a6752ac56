// Random selections: what a SQLite store groups and computes in SQL is what the in-memory store does by evaluation. A
// failure prints the seed and the request.

import Testing

@testable import CoreData

@Suite struct RandomAggregateTests {
    private static let plain: [String: [String]] = [
        "Thing": [
            "flag", "small", "real", "price", "name", "when", "key", "blob", "link", "owner.name", "parent.small",
        ],
        "Part": ["count", "mass", "name", "whole.flag", "maker.boss.name", "whole.owner.age"],
    ]
    private static let computed: [String: [String]] = [
        "Thing": ["small + medium", "children.@count", "lowercase:(name)", "real * 2", "length:(note)"],
        "Part": ["count / 2", "length:(name)", "whole.children.@count"],
    ]
    private static let members: [String: [String]] = [
        "Thing": [
            "count:(children)", "sum:(children.small)", "min:(children.name)", "children.@max.small",
            "average:(children.small)",
        ],
        "Part": ["count:(whole.children)", "max:(whole.children.name)", "whole.children.@sum.small"],
    ]
    private static let functions = ["sum:", "min:", "max:", "average:", "count:", "median:", "stddev:"]
    private static let types: [NSAttributeType] = [
        .undefinedAttributeType, .undefinedAttributeType, .integer64AttributeType, .doubleAttributeType,
        .decimalAttributeType,
    ]

    /// A request in words that both worlds' requests are made of.
    private struct Plan: CustomStringConvertible {
        var entity = ""
        var columns: [(name: String, format: String?, type: NSAttributeType)] = []
        var groups: [(name: String, format: String?)] = []
        var having: String?
        var predicate: String?
        var sort: [(key: String, ascending: Bool)] = []
        var distinct = false
        var limit = 0
        var offset = 0

        var description: String {
            "\(entity) \(columns) by \(groups) having \(having ?? "-") where \(predicate ?? "-") sort \(sort) "
                + "distinct \(distinct) limit \(limit) offset \(offset)"
        }

        private func property(_ name: String, _ format: String?, _ type: NSAttributeType) -> Any {
            guard let format else { return name }
            let description = NSExpressionDescription()
            description.name = name
            description.expression = NSExpression(format: format)
            description.expressionResultType = type
            return description
        }

        func request() throws -> NSFetchRequest<NSDictionary> {
            let request = NSFetchRequest<NSDictionary>(entityName: entity)
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = columns.map { property($0.name, $0.format, $0.type) }
            if !groups.isEmpty {
                request.propertiesToGroupBy = groups.map { property($0.name, $0.format, .undefinedAttributeType) }
            }
            request.havingPredicate = try having.map { try NSPredicate.parsing($0) }
            request.predicate = try predicate.map { try NSPredicate.parsing($0) }
            request.sortDescriptors = sort.map { NSSortDescriptor(key: $0.key, ascending: $0.ascending) }
            request.returnsDistinctResults = distinct
            request.fetchLimit = limit
            request.fetchOffset = offset
            return request
        }
    }

    private func plan(_ random: inout SeededGenerator) -> Plan {
        var plan = Plan()
        plan.entity = random.pick(["Thing", "Thing", "Part", "Special"])
        let base = plan.entity == "Special" ? "Thing" : plan.entity
        let plain = Self.plain[base] ?? [], computed = Self.computed[base] ?? []
        if random.chance(70) {
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                if random.chance(70) {
                    plan.groups.append((random.pick(plain), nil))
                } else {
                    let format = random.pick(computed)
                    plan.groups.append(("g \(format)", format))
                }
            }
            plan.columns = plan.groups.map { ($0.name, $0.format, .undefinedAttributeType) }
            for index in 0..<Int.random(in: 1...3, using: &random) {
                let ofMembers = random.chance(15) ? Self.members[base].map { random.pick($0) } : nil
                plan.columns.append(
                    ("c\(index)", ofMembers ?? aggregate(plain + computed, &random), random.pick(Self.types)))
            }
            if !plan.groups.isEmpty, random.chance(40) {
                let sign = random.pick(["<", ">", "==", "!="])
                plan.having = "\(aggregate(plain + computed, &random)) \(sign) \(Int.random(in: 0...4, using: &random))"
            }
            plan.distinct = random.chance(15)
        } else {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                if random.chance(60) {
                    plan.columns.append((random.pick(plain), nil, .undefinedAttributeType))
                } else {
                    let format = random.pick(computed)
                    plan.columns.append((format, format, random.pick(Self.types)))
                }
            }
            plan.distinct = random.chance(50)
            if random.chance(30) { plan.sort.append((random.pick(plain), random.chance(50))) }
        }
        // Two columns of one name are one value of a dictionary.
        var seen: Set<String> = []
        plan.columns = plan.columns.filter { seen.insert($0.name).inserted }
        for column in plan.columns where random.chance(30) {
            plan.sort.append((column.name, random.chance(50)))
        }
        if random.chance(30) { plan.predicate = random.pick(["name != nil", "name > 'b'", "FALSEPREDICATE"]) }
        if random.chance(20) { plan.limit = Int.random(in: 1...5, using: &random) }
        if random.chance(15) { plan.offset = Int.random(in: 1...3, using: &random) }
        return plan
    }

    private func aggregate(_ formats: [String], _ random: inout SeededGenerator) -> String {
        let call = "\(random.pick(Self.functions))(\(random.pick(formats)))"
        return random.chance(20) ? "\(call) + count:(number)" : call
    }

    @Test(arguments: Laws.cases(1...6))
    func `both stores give the same dictionaries in the same order`(_ seed: UInt64) throws {
        let sqlite = try PredicateWorld(.sqlite, seed: seed)
        let memory = try PredicateWorld(.inMemory, seed: seed)
        var random = SeededGenerator(seed: seed)
        var count = 0
        for _ in 0..<300 {
            let plan = plan(&random)
            let inSQL = try sqlite.library.context.fetch(plan.request())
            let inMemory = try memory.library.context.fetch(plan.request())
            #expect(inSQL.map(Self.shown) == inMemory.map(Self.shown), "seed \(seed): \(plan)")
            count += inMemory.count
        }
        #expect(count > 1000)
    }

    private static func shown(_ dictionary: NSDictionary) -> [String: String] {
        var shown: [String: String] = [:]
        for (key, value) in dictionary {
            let text = (value as? NSManagedObjectID)?.uriRepresentation().lastPathComponent ?? "\(value)"
            shown["\(key)"] = text
        }
        return shown
    }
}
