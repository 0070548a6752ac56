// Predicates, expressions and fetch requests of an archive. Each is an object with a class of its own kind:
//
//     NSComparisonPredicate { NSLeftExpression, NSRightExpression, NSPredicateOperator { NSOperatorType, … } }
//     NSKeyPathExpression { NSOperand: SELF, NSSelectorName: valueForKeyPath:, NSArguments: [NSKeyPath] }
//     NSFunctionExpression { NSOperand: _NSPredicateUtilities, NSSelectorName: count:, NSArguments }

import Foundation

/// Reads predicates out of a keyed archive.
enum ArchivedPredicates {
    typealias Damage = KeyedArchive.Damage

    private static let deepest = 64

    // MARK: Validation

    /// The rules of a property: predicates, and beside each a text or an error code.
    static func rules(
        of object: KeyedArchive.Object, for property: NSPropertyDescription, in archive: KeyedArchive
    ) throws(Damage) -> [ValidationRule] {
        let fields = try archive.members(object["NSValidationPredicates"]) ?? []
        let warnings = try archive.members(object["NSValidationWarnings"]) ?? []
        let type = (property as? NSAttributeDescription)?.attributeType ?? .undefinedAttributeType
        var rules: [ValidationRule] = []
        for (index, field) in fields.enumerated() {
            guard let predicate = try predicate(field, in: archive) else { continue }
            rules.append(try rule(predicate, index < warnings.count ? warnings[index] : nil, type, archive))
        }
        return rules
    }

    private static func rule(
        _ predicate: NSPredicate, _ warning: PropertyListValue?, _ type: NSAttributeType, _ archive: KeyedArchive
    ) throws(Damage) -> ValidationRule {
        if let text = try archive.text(warning) { return ValidationRule(predicate: predicate, warning: .text(text)) }
        let code = try archive.integer(warning)
        if let limit = AttributeLimit(predicate, of: type), code == nil || code == Int64(limit.errorCode) {
            return ValidationRule(limit)
        }
        return ValidationRule(predicate: predicate, warning: code.map { .code(Int($0)) } ?? .text(""))
    }

    // MARK: Predicates

    /// - Returns: Nil for `$null`.
    static func predicate(
        _ field: PropertyListValue?, in archive: KeyedArchive, depth: Int = 0
    ) throws(Damage) -> NSPredicate? {
        guard depth < deepest else { throw Damage(reason: "a predicate is nested more than \(deepest) deep") }
        guard let object = try archive.object(field) else {
            // Other writers of models keep the format.
            guard let text = try archive.text(field) else { return nil }
            return try parsed(text)
        }
        switch object.className {
        case "NSTruePredicate": return NSPredicate(value: true)
        case "NSFalsePredicate": return NSPredicate(value: false)
        case "NSComparisonPredicate": return try comparison(object, archive, depth)
        case "NSCompoundPredicate": return try compound(object, archive, depth)
        default: throw Damage(reason: "a predicate is of the unknown class \(object.className)")
        }
    }

    private static func parsed(_ text: String) throws(Damage) -> NSPredicate {
        do throws(ModelTextError) {
            return try ModelTexts.predicate(text)
        } catch {
            throw Damage(reason: "the predicate '\(text)' can't be read (\(error.reason))")
        }
    }

    private static func comparison(
        _ object: KeyedArchive.Object, _ archive: KeyedArchive, _ depth: Int
    ) throws(Damage) -> NSPredicate {
        let sign = try archive.object(object["NSPredicateOperator"])
        let number = UInt(exactly: try archive.integer(sign?["NSOperatorType"]) ?? -1)
        guard let left = try expression(object["NSLeftExpression"], in: archive, depth: depth + 1),
            let right = try expression(object["NSRightExpression"], in: archive, depth: depth + 1),
            let type = number.flatMap(NSComparisonPredicate.Operator.init(rawValue:))
        else { throw Damage(reason: "a comparison lacks a side or its operator") }
        let modifier = UInt(exactly: try archive.integer(sign?["NSModifier"]) ?? 0)
            .flatMap(NSComparisonPredicate.Modifier.init(rawValue:))
        // Which of the two keys holds the options depends on the operator.
        let plainOptions = try archive.integer(sign?["NSOptions"])
        let stringOptions = try archive.integer(sign?["NSFlags"])
        return NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: modifier ?? .direct, type: type,
            options: NSComparisonPredicate.Options(
                rawValue: UInt(truncatingIfNeeded: plainOptions ?? stringOptions ?? 0)))
    }

    private static func compound(
        _ object: KeyedArchive.Object, _ archive: KeyedArchive, _ depth: Int
    ) throws(Damage) -> NSPredicate {
        let number = UInt(exactly: try archive.integer(object["NSCompoundPredicateType"]) ?? -1)
        guard let type = number.flatMap(NSCompoundPredicate.LogicalType.init(rawValue:)) else {
            throw Damage(reason: "a compound predicate has no type")
        }
        var parts: [NSPredicate] = []
        for member in try archive.members(object["NSSubpredicates"]) ?? [] {
            if let part = try predicate(member, in: archive, depth: depth + 1) { parts.append(part) }
        }
        if type == .not, parts.count != 1 { throw Damage(reason: "a negation has \(parts.count) parts") }
        return CompoundPredicate(type: type, subpredicates: parts)
    }

    // MARK: Fetch requests

    /// - Parameter entityName: What the owner of the request calls the entity, where the request doesn't.
    static func request(
        _ object: KeyedArchive.Object, entityName: String? = nil, in archive: KeyedArchive
    ) throws(Damage) -> NSFetchRequest<any NSFetchRequestResult> {
        let entity = try archive.object(object["NSEntity"])
        let name = try archive.text(entity?["NSEntityName"])
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: name ?? entityName ?? "")
        request.predicate = try predicate(object["NSPredicate"], in: archive)
        request.fetchLimit = try count(object["NSFetchLimit"], archive)
        request.fetchOffset = try count(object["NSFetchOffset"], archive)
        request.fetchBatchSize = try count(object["NSBatchSize"], archive)
        request.resultType = NSFetchRequestResultType(rawValue: UInt(try count(object["NSResultType"], archive)))
        try ArchivedRequestFlag.set(request, from: object, in: archive)
        let members = try archive.members(object["NSSortDescriptors"]) ?? []
        if !members.isEmpty { request.sortDescriptors = try sortDescriptors(members, archive) }
        return request
    }

    private static func count(_ field: PropertyListValue?, _ archive: KeyedArchive) throws(Damage) -> Int {
        max(0, Int(truncatingIfNeeded: try archive.integer(field) ?? 0))
    }

    private static func sortDescriptors(
        _ members: [PropertyListValue], _ archive: KeyedArchive
    ) throws(Damage) -> [NSSortDescriptor] {
        var descriptors: [NSSortDescriptor] = []
        for member in members {
            guard let object = try archive.object(member), let key = try archive.text(object["NSKey"]) else {
                throw Damage(reason: "a sort descriptor has no key")
            }
            let ascending = try archive.flag(object["NSAscending"])
            let method = try archive.text(object["NSSelector"]) ?? SortComparison.standard.rawValue
            guard SortComparison(rawValue: method) != nil else {
                throw Damage(reason: "the sort descriptor for '\(key)' calls '\(method)', which can't be called here")
            }
            descriptors.append(NSSortDescriptor(key: key, ascending: ascending, selector: Selector(method)))
        }
        return descriptors
    }
}
