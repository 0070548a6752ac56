// Validation of one value and of a whole object, with Core Data's error codes. An object is checked on its slots, unless its class overrides
// `validateValue(_:forKey:)`: then its values are boxed and go through there.

import Foundation

extension NSManagedObject {
    /// Runs a check in which a fault that can't be read is its error.
    func readingFaults(_ check: () throws -> Void) throws {
        guard let context = managedObjectContext else { return try check() }
        try context.collectingFaultFailures(check)
    }

    /// Checks all properties and reports every failure.
    func validateSlots() throws {
        // A refreshed object may be a fault with what others' changes say of it.
        realize()
        var errors: [any Error] = []
        if hasWrittenValidation {
            for slot in layout.slots.indices {
                CoreDataError.collect(&errors) { try validateThroughOverrides(slot) }
            }
        } else {
            for slot in layout.slots.indices where layout.isChecked[slot] {
                CoreDataError.collect(&errors) { try validate(slot: slot) }
            }
        }
        for composite in layout.topComposites { requireElements(of: composite, { values[$0].isNull }, &errors) }
        if let error = CoreDataError.combined(errors) { throw error }
    }

    /// A composite value that is there has all its mandatory elements. (Assumed: without a value, none of them is demanded.)
    private func requireElements(
        of composite: CompositeLayout, isNeeded: Bool = false, _ isNull: (Int) -> Bool, _ errors: inout [any Error]
    ) {
        guard isNeeded || !composite.slots.allSatisfy(isNull) else { return }
        for (_, element) in composite.elements {
            switch element {
            case .composite(let inner): requireElements(of: inner, isNeeded: !inner.isOptional, isNull, &errors)
            // A slot that isn't optional has been asked for by itself.
            case .slot(let slot) where layout.slots[slot].isOptional && !layout.slots[slot].property.isOptional:
                if isNull(slot) { CoreDataError.collect(&errors) { throw missing(slot) } }
            case .slot: break
            }
        }
    }

    private func validateThroughOverrides(_ slot: Int) throws {
        // An unread relationship hasn't been changed as a whole; asking for it would read it.
        if values[slot].isRelationshipFault, !layout.slots[slot].hasCountRule { return }
        var boxed = boxedValue(slot).map { $0 as AnyObject }
        let before = boxed
        try unsafe withUnsafeMutablePointer(to: &boxed) { pointer in
            try unsafe validateValue(pointer, forKey: layout.slots[slot].name)
        }
        if boxed !== before { setValue(boxed, forKey: layout.slots[slot].name) }
    }

    /// Checks a slot's current value.
    private func validate(slot: Int) throws {
        switch layout.slots[slot].kind {
        case .attribute:
            if values[slot].isNull { return try requireOptional(slot) }
            // What a store has been given by others stays as it is.
            if layout.hasLimitedRoom[slot], isSetHere(slot) { try requireRoom(slot, values[slot]) }
            if !layout.slots[slot].property.validationRules.isEmpty {
                try checkRules(slot, values[slot].boxedAttribute)
            }
        case .toOne:
            if values[slot].isNull { return try requireOptional(slot) }
            if !layout.slots[slot].property.validationRules.isEmpty { try checkRules(slot, boxedValue(slot)) }
        case .toMany:
            switch values[slot] {
            case .unread(nil), .memberIDs: return
            default: break
            }
            if layout.slots[slot].hasCountRule { try checkCount(slot, members(slot).count) }
            if !layout.slots[slot].property.validationRules.isEmpty { try checkRules(slot, boxedValue(slot)) }
        }
    }

    /// Checks a value that is about to be set.
    func validate(_ value: AnyObject?, forKey key: String) throws {
        guard let slot = layout.slot(named: key) else {
            guard let composite = layout.composites[key] else { return }
            let parts = composite.values(value) ?? []
            for (slot, value) in parts { try check(value, slot) }
            let missing = Set(parts.filter { $0.value == nil }.map(\.slot))
            var errors: [any Error] = []
            requireElements(of: composite, missing.contains, &errors)
            if let error = errors.first { throw error }
            return
        }
        switch layout.slots[slot].kind {
        case .attribute, .toOne: try check(value, slot)
        case .toMany:
            let count = (value as? NSSet)?.count ?? (value as? NSOrderedSet)?.count ?? 0
            try checkCount(slot, count)
            try checkRules(slot, value)
        }
    }

    private func check(_ value: Any?, _ slot: Int) throws {
        guard let value, !(value is NSNull) else { return try requireOptional(slot) }
        if layout.hasLimitedRoom[slot], let attribute = layout.slots[slot].property as? NSAttributeDescription {
            let given = ManagedValue(boxed: value, for: attribute) ?? .null
            if isSetHere(slot) || !given.isSame(as: values[slot]) { try requireRoom(slot, given) }
        }
        try checkRules(slot, value)
    }

    /// Whether a value is another one than was read: an element of a composite attribute is set with the others.
    private func isSetHere(_ slot: Int) -> Bool { touched.contains(slot) && (isInserted || differs(slot)) }

    // MARK: The rules

    private func requireOptional(_ slot: Int) throws {
        guard !layout.slots[slot].isOptional else { return }
        throw missing(slot)
    }

    /// Refuses what a store can't give back: a number that the attribute's type has no room for, and what isn't a number
    /// where there has to be one.
    private func requireRoom(_ slot: Int, _ value: ManagedValue) throws {
        if !layout.slots[slot].isOptional, value.isNaN {
            throw failure(
                .validationMissingMandatoryProperty, slot, nil,
                "is required and is not a number (NaN), which a store can't keep. Set a number.")
        }
        guard case .integer(let number) = value, case .attribute(let type) = layout.slots[slot].kind,
            let expected = type.room(exceededBy: value)
        else { return }
        throw failure(
            number < 0 ? .validationNumberTooSmall : .validationNumberTooLarge, slot, NSNumber(value: number),
            "is \(number) and has to be \(expected). Set another one, or give the attribute a wider type.")
    }

    private func missing(_ slot: Int) -> CocoaError {
        failure(.validationMissingMandatoryProperty, slot, nil, "is required and has no value. Set one.")
    }

    private func checkCount(_ slot: Int, _ count: Int) throws {
        guard let relationship = layout.slots[slot].relationship else { return }
        if count == 0, relationship.isOptional { return }
        // Observed: CareKit's store has mandatory to-many relationships without members; only the minimum count counts.
        let minimum = relationship.minCount
        if count < minimum {
            throw failure(
                .validationRelationshipLacksMinimumCount, slot, boxedValue(slot),
                "has \(count) members and needs at least \(minimum).")
        }
        if relationship.maxCount > 1, count > relationship.maxCount {
            throw failure(
                .validationRelationshipExceedsMaximumCount, slot, boxedValue(slot),
                "has \(count) members and may have at most \(relationship.maxCount).")
        }
    }

    /// Checks a value by all rules of its property; each that it breaks is an error of its own.
    private func checkRules(_ slot: Int, _ value: Any?) throws {
        var errors: [any Error] = []
        for rule in layout.slots[slot].property.validationRules {
            CoreDataError.collect(&errors) { try check(rule, slot, value) }
        }
        if let error = CoreDataError.combined(errors) { throw error }
    }

    private func check(_ rule: ValidationRule, _ slot: Int, _ value: Any?) throws {
        guard let breach = try rule.breach(by: value, of: layout.slots[slot].property) else { return }
        guard let limit = rule.limit else { throw predicateFailure(rule, slot, value, breach) }
        throw failure(CocoaError.Code(rawValue: limit.errorCode), slot, value, "\(breach).")
    }

    private func predicateFailure(
        _ rule: ValidationRule, _ slot: Int, _ value: Any?, _ breach: String
    ) -> CocoaError {
        let (code, text): (CocoaError.Code, String?) =
            switch rule.warning {
            case .code(let code): (CocoaError.Code(rawValue: code), nil)
            case .text(let text): (.managedObjectValidation, text)
            }
        let error = failure(code, slot, value, "\(breach).")
        var info = (error as NSError).userInfo
        info[NSValidationPredicateErrorKey] = rule.predicate
        if let text { info[NSLocalizedDescriptionKey] = text }
        return CocoaError(code, userInfo: info)
    }

    /// The delete rule deny: no destination may be left, unless it is deleted as well.
    func validateDeletion() throws {
        var errors: [CocoaError] = []
        for (slot, definition) in layout.slots.enumerated() {
            guard let relationship = definition.relationship, relationship.deleteRule == .denyDeleteRule else {
                continue
            }
            let others = definition.isToMany ? members(slot).objects : destination(slot).map { [$0] } ?? []
            // A refresh of a deleted object forgets what has left it.
            let inverse = layout.inverses[slot]
            let left = others.first { other in
                !other.isDeleted && !(inverse.map { other.deniesBeing(in: self, $0) } ?? false)
            }
            guard let left else { continue }
            errors.append(
                failure(
                    .validationRelationshipDeniedDelete, slot, boxedValue(slot),
                    "still leads to \(left.objectID.uriRepresentation().absoluteString) and its delete rule is deny. "
                        + "Delete or unlink that first."))
        }
        if let error = CoreDataError.combined(errors) { throw error }
    }

    private func failure(_ code: CocoaError.Code, _ slot: Int, _ value: Any?, _ finding: String) -> CocoaError {
        let key = layout.slots[slot].name
        return CoreDataError.make(
            code, "\(entity.name ?? "").\(key) \(finding)",
            userInfo: [
                NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: key,
                NSValidationValueErrorKey: value ?? NSNull(),
            ])
    }
}

extension ValidationRule {
    /// What a property's value breaks of the rule, in words without a full stop; nil where it satisfies it. No value breaks no limit.
    ///
    /// - Throws: As ``holds(for:)``.
    func breach(by value: Any?, of property: NSPropertyDescription) throws -> String? {
        guard let limit else {
            return try holds(for: value) ? nil : "doesn't satisfy the model's rule \(predicate.formatText)"
        }
        guard let value, limit.refuses(value, of: property) else { return nil }
        return "is '\(value)', which the model doesn't allow (\(limit))"
    }
}

extension AttributeLimit {
    fileprivate func refuses(_ value: Any, of property: NSPropertyDescription) -> Bool {
        switch value {
        case let text as String: return !allows(text: text)
        case let date as Date: return !allows(date: date.timeIntervalSinceReferenceDate)
        case let number as NSDecimalNumber: return !allows(number: .decimal(number.decimalValue))
        case let number as NSNumber:
            let type = (property as? NSAttributeDescription)?.attributeType
            let isReal = type == .doubleAttributeType || type == .floatAttributeType
            return !allows(number: isReal ? .double(number.doubleValue) : .integer(number.int64Value))
        default: return false
        }
    }
}
