// Whether a predicate or a sort key that a person wrote asks only for what an entity has. A store would refuse an unknown key too,
// but without a suggestion. What a person writes as a text is then made the value that the attribute has (+Values).

// CoreData shows Foundation too; importing both by name would leave open whose `NSExpression` is meant.
package import CoreData

/// Checks key paths against an entity.
package struct PredicateCheck {
    let entity: NSEntityDescription
    /// The option or annotation that the text was given with, for messages.
    let source: String
    /// The values that texts of the predicate stand for, by the texts' expressions.
    var values: [ObjectIdentifier: GraphValue] = [:]

    package init(entity: NSEntityDescription, source: String) {
        self.entity = entity
        self.source = source
    }

    /// Checks every key path in a predicate, and returns the predicate with values of the attributes' types in place of texts
    /// that are compared with them.
    ///
    /// - Throws: ``GraftError`` with the problem `unknownProperty`, for a variable, which nothing gives a value to, and for what
    ///   an attribute can't be compared with.
    package func checked(_ predicate: NSPredicate) throws -> NSPredicate {
        var check = self
        try check.check(predicate, variables: [:])
        return predicate.withValues(check.values.mapValues { NSExpression(forConstantValue: $0.object) })
    }

    /// Checks a key path that objects are sorted by.
    ///
    /// - Throws: ``GraftError`` with the problem `unknownProperty`, or for a key path that has many values.
    package func check(sortKey: String) throws {
        var current: NSEntityDescription? = entity
        for key in sortKey.split(separator: ".", omittingEmptySubsequences: false) {
            guard let owner = current else { throw unreachable(String(key), in: sortKey) }
            let property = try self.property(String(key), of: owner)
            let relationship = property as? NSRelationshipDescription
            guard relationship?.isToMany != true else {
                throw GraftError(
                    .other(
                        finding: "'\(sortKey)' leads to many objects, which have no order among them",
                        remedy: "Sort by an attribute or along to-one relationships."),
                    at: place(in: owner))
            }
            if let attribute = property as? NSAttributeDescription, attribute.hasParts { return }
            current = relationship?.destinationEntity
        }
    }

    // MARK: Predicates

    /// What an expression gives.
    enum Meaning {
        case objects(of: NSEntityDescription)
        case value(of: PropertyPart)
        /// The result of arithmetic, a count, a sum or an average: never a text.
        case computed
        /// One of several: of a list's elements, of a condition's branches.
        case choice([Meaning])
        /// What only a run would show: a function's result, a part of a transformable value.
        case anything

        /// What gives one of these.
        static func oneOf(_ meanings: [Meaning]) -> Meaning {
            let known = meanings.flatMap { (meaning: Meaning) -> [Meaning] in
                switch meaning {
                case .choice(let parts): parts
                case .anything: []
                case .objects, .value, .computed: [meaning]
                }
            }
            return known.isEmpty ? .anything : known.count == 1 ? known[0] : .choice(known)
        }
    }

    private typealias Variables = [String: Meaning]

    /// Checks what is compared with; a name without quotes is mostly meant to be a text.
    private mutating func meaning(ofValue value: NSExpression, variables: Variables) throws -> Meaning {
        do {
            return try meaning(of: value, variables: variables)
        } catch let error as GraftError {
            guard case .unknownProperty(let key, let closest) = error.problem, value.expressionType == .keyPath,
                value.keyPath == key
            else { throw error }
            let meant = closest.map { "Did you mean '\($0)'? " } ?? ""
            let problem = GraftError.Problem.other(
                finding: "the model has no property '\(key)'", remedy: "\(meant)A text stands in quotes: \"\(key)\".")
            throw GraftError(problem, at: error.place)
        }
    }

    private mutating func check(_ predicate: NSPredicate, variables: Variables) throws {
        switch predicate {
        case let compound as NSCompoundPredicate:
            // Apple declares the elements as `Any`.
            for case let part as NSPredicate in compound.subpredicates as [Any] {
                try check(part, variables: variables)
            }
        case let comparison as NSComparisonPredicate:
            let left = try meaning(of: comparison.leftExpression, variables: variables)
            let right = try meaning(ofValue: comparison.rightExpression, variables: variables)
            try takeTexts(of: comparison, left: left, right: right)
        default:
            break
        }
    }

    /// Checks an expression, and returns what it gives.
    private mutating func meaning(of expression: NSExpression, variables: Variables) throws -> Meaning {
        switch expression.expressionType {
        case .evaluatedObject:
            return .objects(of: entity)
        case .variable:
            guard let known = variables[expression.variable] else { throw unknownVariable(expression.variable) }
            return known
        case .keyPath:
            return try follow(expression.keyPath, from: try meaning(of: expression.operand, variables: variables))
        case .function:
            if let path = Self.path(of: expression) {
                return try follow(path, from: try meaning(of: expression.operand, variables: variables))
            }
            // Along the left side by a loop: a row of operators is as deep as it is long.
            var rest = expression
            var others: [Meaning] = []
            while rest.expressionType == .function, Self.path(of: rest) == nil, let arguments = rest.arguments,
                let first = arguments.first
            {
                let meanings = try arguments.dropFirst().map { try meaning(of: $0, variables: variables) }
                if rest === expression { others = meanings }
                rest = first
            }
            guard rest !== expression else { return .anything }
            let innermost = try meaning(of: rest, variables: variables)
            let first = expression.arguments?.first === rest ? innermost : .anything
            return meaning(ofFunction: expression, of: .oneOf([first] + others))
        case .aggregate:
            let elements = expression.collection as? [NSExpression] ?? []
            return .oneOf(try elements.map { try meaning(of: $0, variables: variables) })
        case .subquery:
            let members = try (expression.collection as? NSExpression).map { try meaning(of: $0, variables: variables) }
            let inner = variables.merging([expression.variable: members ?? .anything]) { $1 }
            try check(expression.predicate, variables: inner)
            return members ?? .anything
        case .conditional:
            try check(expression.predicate, variables: variables)
            let then = try meaning(of: expression.true, variables: variables)
            return .oneOf([then, try meaning(of: expression.false, variables: variables)])
        case .unionSet, .intersectSet, .minusSet:
            _ = try meaning(of: expression.right, variables: variables)
            return try meaning(of: expression.left, variables: variables)
        default:
            return .anything
        }
    }

    /// The path that starts at a variable or a subquery (`$x.name`, `SUBQUERY(…).@count`): Foundation has it as a call.
    private static func path(of expression: NSExpression) -> String? {
        guard expression.function == "valueForKeyPath:", let arguments = expression.arguments, arguments.count == 1,
            arguments[0].expressionType.rawValue == 10
        else { return nil }
        return arguments[0].keyPath
    }

    private func follow(_ keyPath: String, from start: Meaning) throws -> Meaning {
        if case .choice(let starts) = start { return .oneOf(try starts.map { try follow(keyPath, from: $0) }) }
        guard case .objects(var owner) = start else { return .anything }
        var value: PropertyPart?
        for key in keyPath.split(separator: ".") where key.first != "@" && key.lowercased() != "self" {
            if let whole = value {
                value = try element(String(key), of: whole, in: keyPath)
            } else if ["objectID", "entity"].contains(key) {
                return .anything
            } else {
                let property = try property(String(key), of: owner)
                if property is NSAttributeDescription {
                    value = PropertyPart(name: property.name, property: property, whole: property, elements: [])
                } else if let destination = (property as? NSRelationshipDescription)?.destinationEntity {
                    owner = destination
                } else {
                    return .anything
                }
            }
            if value?.isOpen == true { return .anything }
        }
        let result = value.map(Meaning.value) ?? .objects(of: owner)
        // The outermost operator gives the result; those within it give what it is computed from.
        switch keyPath.split(separator: ".").first(where: { $0.first == "@" }) {
        case nil, "@max", "@min": return result
        case "@count", "@sum", "@avg": return .computed
        default: return value == nil ? result : .anything
        }
    }

    /// What a function gives: the least and the greatest value are of the type of what they are chosen from.
    private func meaning(ofFunction expression: NSExpression, of argument: Meaning) -> Meaning {
        switch expression.function {
        case _ where expression.isChoice: argument
        case "sum:", "count:", "average:", "median:", "stddev:", "length:",
            "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "modulus:by:", "raise:toPower:",
            "sqrt:", "log:", "ln:", "exp:", "floor:", "ceiling:", "abs:", "trunc:":
            .computed
        default: .anything
        }
    }

    private func property(_ key: String, of owner: NSEntityDescription) throws -> NSPropertyDescription {
        let properties = owner.propertiesByName
        if let property = properties[key] { return property }
        throw GraftError.unknownProperty(key, among: properties.keys, at: place(in: owner))
    }

    /// The element of a composite attribute that a key path goes on to.
    private func element(_ key: String, of part: PropertyPart, in keyPath: String) throws -> PropertyPart {
        guard let composite = part.property as? NSCompositeAttributeDescription else {
            throw unreachable(key, in: keyPath)
        }
        guard let element = composite.elements.first(where: { $0.name == key }) else {
            throw GraftError.unknownProperty(
                key, among: composite.elements.map(\.name),
                at: .init(source: source, entity: part.whole.entity.name, property: part.name))
        }
        return PropertyPart(
            name: "\(part.name).\(key)", property: element, whole: part.whole, elements: part.elements + [element])
    }

    private func unreachable(_ key: String, in keyPath: String) -> GraftError {
        GraftError(
            .other(finding: "'\(keyPath)' asks a value for its '\(key)'", remedy: "End the key path at the attribute."),
            at: place(in: entity))
    }

    private func unknownVariable(_ name: String) -> GraftError {
        GraftError(
            .other(finding: "nothing gives '$\(name)' a value", remedy: "Write the value itself."),
            at: place(in: entity))
    }

    private func place(in owner: NSEntityDescription) -> GraftError.Place {
        GraftError.Place(source: source, entity: owner.name)
    }
}

extension PropertyPart {
    /// Whether a key path may go on in a value, to what the model doesn't tell.
    fileprivate var isOpen: Bool {
        !(property is NSCompositeAttributeDescription) && (property as? NSAttributeDescription)?.hasParts ?? true
    }
}

extension NSAttributeDescription {
    /// Whether a key path may go on behind the attribute.
    fileprivate var hasParts: Bool {
        switch attributeType {
        case .transformableAttributeType, .compositeAttributeType, .undefinedAttributeType: true
        default: false
        }
    }
}
