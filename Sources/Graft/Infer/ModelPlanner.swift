// From the entities of a plan to a draft with names, properties and inverses, and a guess for each.

import CoreData

/// Makes the draft of a model.
struct ModelPlanner {
    private let plan: ShapePlan
    private(set) var draft = ModelDraft()
    private(set) var guesses: [ModelInference.Guess] = []
    /// Names that are taken, by entity, in small letters.
    private var taken: [Set<String>]
    /// The entities that bare identifiers refer to: their objects may be there before their values are.
    private var referred: Set<Int> = []

    /// Below how many owners objects with an identity tell nothing of whose they are, where each stands in one place.
    private static let fewOwners = 10

    /// What a bare identifier refers to.
    private struct Reference {
        var target: Int
        var words: [String]
        var evidence: String
    }

    /// - Throws: ``GraftError`` with `outOfRange` for data that no model has a type for.
    init(_ plan: ShapePlan) throws {
        self.plan = plan
        taken = plan.entities.map { _ in [] }
        nameEntities()
        for (number, entity) in plan.entities.enumerated() {
            for member in entity.shape.members {
                if let reference = reference(member, of: number) { referred.insert(reference.target) }
            }
        }
        for number in plan.entities.indices { try addAttributes(of: number) }
        for number in plan.entities.indices { addRelationships(of: number) }
    }

    // MARK: Entities

    private mutating func nameEntities() {
        var names: Set<String> = []
        for entity in plan.entities {
            let shape = entity.shape
            var name = shape.isRoot ? shape.key : EnglishNames.entity(EnglishNames.singular(shape.key))
            if names.contains(name.lowercased()) {
                // The object around tells them apart: HeroAddress.
                let parts = shape.path.split(separator: ".").suffix(2)
                name = parts.map { EnglishNames.entity(EnglishNames.singular(String($0))) }.joined()
            }
            name = EnglishNames.unique(name, among: &names)
            draft.entities.append(ModelDraft.Entity(name: name))
            let count = entity.shape.count == 1 ? "1 object" : "\(entity.shape.count) objects"
            var evidence = "\(count) at \(entity.paths.joined(separator: ", "))"
            if let identity = entity.identity {
                evidence +=
                    "; \(identity) is in each and \(entity.isShared ? "names equal objects" : "in no two the same")"
            } else if let candidate = shape.candidates.first, let reason = plan.refutation(of: candidate, in: shape) {
                evidence += "; \(candidate.key) is no identity: \(reason)"
            }
            if let key = plan.keyOfRecords(below: shape) {
                evidence += "; if its records are those under \(key), give their entity JSONRootKeyPath = \(key)"
            }
            let guess = entity.identity.map { "entity, identified by \($0)" } ?? "entity without identity"
            guesses.append(ModelInference.Guess(entity: name, guess: guess, evidence: evidence))
        }
    }

    private mutating func unique(_ name: String, in number: Int) -> String {
        EnglishNames.unique(name, among: &taken[number])
    }

    // MARK: Attributes

    private mutating func addAttributes(of number: Int) throws {
        let entity = plan.entities[number]
        for member in entity.shape.members {
            if reference(member, of: number) != nil { continue }
            let type: ScalarType
            var reason: String?
            switch plan.content(of: member) {
            case .attribute(let found): type = found
            case .tree(let why): (type, reason) = (try treeType(of: member, number), why)
            case .object, .objects: continue
            }
            let absence = member.absence(in: entity.shape)
            let isIdentity = member.key == entity.identity
            let isOptional =
                !absence.isDisjoint(with: [.missing, .null]) || type.kind == .transformable
                || referred.contains(number) && !isIdentity
            let name = unique(EnglishNames.property(member.key, of: draft.entities[number].name), in: number)
            draft.entities[number].attributes.append(
                ModelDraft.Attribute(
                    name: name, keyPath: SourcePath(keys: [member.key]).description, kind: type.kind,
                    dateFormat: type.dateFormat, isOptional: isOptional,
                    exportsNull: absence.writesNothing(as: .null)))
            if isIdentity { draft.entities[number].identity = name }
            let values = reason ?? member.direct.scalars.evidence
            let evidence = [values, member.direct.scalars.dateObstacle, presenceWords(member, entity.shape)]
            let format = type.dateFormat.map { $0 == .iso8601 ? "" : " as \($0)" } ?? ""
            guesses.append(
                ModelInference.Guess(
                    entity: draft.entities[number].name, property: name,
                    guess: type.kind.modelName + format + (isOptional ? ", optional" : ""),
                    evidence: evidence.compactMap { $0 }.joined(separator: "; "),
                    difference: difference(type.otherForm, absence.subtracting(.emptyArray), member, number)))
        }
    }

    /// The type of values that have none in common: a tree, or a text where numbers have more digits than a Decimal has.
    private func treeType(of member: MemberShape, _ number: Int) throws -> ScalarType {
        guard member.hasLongNumbers else { return ScalarType(kind: .transformable) }
        guard member.direct.objects == 0, member.direct.arrays == 0 else {
            throw GraftError(
                .outOfRange(
                    found: "a number of more digits than a Decimal has in arrays or objects", type: "a tree of values",
                    range: "decimals of up to 38 digits, or 39 below 2^128"),
                at: .init(entity: draft.entities[number].name, property: member.key))
        }
        return ScalarType(kind: .string, otherForm: "numbers and booleans are written as texts")
    }

    /// In how many objects a key is, where it isn't in all.
    private func presenceWords(_ member: MemberShape, _ shape: ObjectShape) -> String? {
        var words: [String] = []
        if member.presence < shape.count {
            words.append("missing in \(shape.count - member.presence) of \(shape.count)")
        }
        if member.direct.nulls > 0 { words.append("null in \(member.direct.nulls)") }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// How an export differs from the data: an object doesn't know in which way it has nothing under a key.
    private func difference(
        _ otherForm: String?, _ absence: Absence, _ member: MemberShape, _ number: Int
    ) -> String? {
        var words = otherForm.map { [$0] } ?? []
        if absence.isSuperset(of: [.missing, .null]) { words.append("a missing key is written as null") }
        if absence.contains(.emptyArray) {
            if absence.contains(.missing) { words.append("a missing key is written as []") }
            if absence.contains(.null) { words.append("null is written as []") }
        }
        let isRepeated = plan.twins(of: member, in: number).contains { $0.repetitions > 0 }
        if isRepeated { words.append("of a key that is repeated in an object, the last value counts") }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }

    // MARK: Relationships

    private mutating func addRelationships(of number: Int) {
        for member in plan.entities[number].shape.members {
            if let reference = reference(member, of: number) {
                addReference(member, reference, of: number)
                continue
            }
            switch plan.content(of: member) {
            case .object(let shape): addNested(member, shape, isToMany: false, of: number)
            case .objects(let shape): addNested(member, shape, isToMany: true, of: number)
            case .attribute, .tree: break
            }
        }
    }

    private mutating func addNested(_ member: MemberShape, _ shape: ObjectShape, isToMany: Bool, of number: Int) {
        // A shape whose content is objects has been given an entity.
        guard let target = plan.number(of: shape) else { return }
        // Each of a few owners may have others by chance. What leads to its own kind is a tree.
        let owners = plan.twins(of: member, in: number).reduce(0) {
            $0 + ($1.direct.arrays > 0 ? $1.direct.arrays - $1.emptyArrays : $1.direct.objects)
        }
        let areFew = plan.entities[target].identity != nil && target != number && owners < Self.fewOwners
        let isSeen = plan.entities[target].isShared || plan.entities[target].shape.isRoot
        let isShared = isSeen || areFew
        var relationship = ModelDraft.Relationship(
            name: EnglishNames.property(member.key, of: draft.entities[number].name), destination: target, inverse: "",
            isToMany: isToMany)
        relationship.deleteRule = isShared ? .nullifyDeleteRule : .cascadeDeleteRule
        let count = isToMany ? member.elements.objects : member.direct.objects
        let places =
            isSeen ? "in several places" : areFew ? "with an identity, below few others" : "each in one place"
        let evidence = "\(count) nested object\(count == 1 ? "" : "s"), \(places)"
        add(relationship, member, of: number, inverseIsToMany: isShared, "\(isShared ? "shared" : "owned")", evidence)
    }

    private mutating func addReference(_ member: MemberShape, _ reference: Reference, of number: Int) {
        let isToMany = member.direct.arrays > 0
        let words = reference.words.joined(separator: "_")
        let name = isToMany ? EnglishNames.plural(EnglishNames.singular(words)) : words
        var relationship = ModelDraft.Relationship(
            name: EnglishNames.property(name, of: draft.entities[number].name), destination: reference.target,
            inverse: "",
            isToMany: isToMany)
        relationship.isByIdentifier = true
        let references = ReferenceValues(plan.twins(of: member, in: number).map(\.references))
        let inverseIsToMany = !isToMany || references.count > references.values.count
        let forms = isToMany ? member.elements.scalars : member.direct.scalars
        let otherForm =
            forms.hasSmallUUID && isUUID(identityForms(of: reference.target)) ? ScalarForms.capitalUUIDs : nil
        add(
            relationship, member, of: number, inverseIsToMany: inverseIsToMany, "by identifier", reference.evidence,
            otherForm: otherForm)
    }

    private mutating func add(
        _ started: ModelDraft.Relationship, _ member: MemberShape, of number: Int, inverseIsToMany: Bool,
        _ manner: String, _ evidence: String, otherForm: String? = nil
    ) {
        var relationship = started
        let shape = plan.entities[number].shape
        let absence = member.absence(in: shape)
        let isToMany = relationship.isToMany
        let (owner, target) = (draft.entities[number].name, draft.entities[relationship.destination].name)
        relationship.keyPath = SourcePath(keys: [member.key]).description
        relationship.isOrdered = isToMany
        relationship.exportsNull = absence.writesNothing(as: isToMany ? [.null, .emptyArray] : .null)
        relationship.name = unique(relationship.name, in: number)
        let inverseName = inverseIsToMany ? EnglishNames.plural(owner.smallFirst) : owner.smallFirst
        relationship.inverse = unique(EnglishNames.free(inverseName, of: target), in: relationship.destination)
        draft.entities[number].relationships.append(relationship)
        draft.entities[relationship.destination].relationships.append(
            ModelDraft.Relationship(
                name: relationship.inverse, destination: number, inverse: relationship.name, isToMany: inverseIsToMany))
        // To-many relationships have no null: it is written as an empty array.
        let written: Absence = isToMany && absence.contains(.null) ? absence.union(.emptyArray) : absence
        guesses.append(
            ModelInference.Guess(
                entity: owner, property: relationship.name,
                guess: "\(isToMany ? "to-many" : "to-one") \(target), \(manner), inverse \(relationship.inverse)",
                evidence: [evidence, presenceWords(member, shape)].compactMap { $0 }.joined(separator: "; "),
                difference: difference(
                    otherForm, isToMany ? written : absence.subtracting(.emptyArray), member, number)))
    }

    // MARK: References

    /// What the bare values under a key refer to: all of them are identities of one entity, and the name fits it or the values
    /// aren't such as happen by chance.
    private func reference(_ member: MemberShape, of number: Int) -> Reference? {
        let twins = plan.twins(of: member, in: number)
        guard member.key != plan.entities[number].identity, !member.references.values.isEmpty,
            twins.allSatisfy({ $0.references.isComplete && $0.repetitions == 0 && isBare($0) })
        else { return nil }
        let values = ReferenceValues(twins.map(\.references)).values
        let words = ReferenceNames.base(of: member.key) ?? EnglishNames.words(of: member.key)
        let forms = member.direct.arrays > 0 ? member.elements.scalars : member.direct.scalars
        let targets = plan.entities.indices.filter { target in
            plan.entities[target].identity != nil && isInSameLetters(forms, target)
                && values.allSatisfy { plan.entities[target].contents[$0] != nil }
        }
        let named = targets.first { target in
            ReferenceNames.name(words, draft.entities[target].name) || words == ["parent"] && target == number
        }
        // Small numbers are in any list of numbers.
        let isTelling =
            forms.texts == forms.count && values.count >= 3 && ReferenceNames.base(of: member.key) != nil
        guard let target = named ?? (isTelling && targets.count == 1 ? targets.first : nil) else { return nil }
        let identity = plan.entities[target].identity ?? ""
        let count = values.count == 1 ? "1 value" : "\(values.count) different values"
        return Reference(
            target: target, words: words, evidence: "\(count), each the \(identity) of a \(draft.entities[target].name)"
        )
    }

    /// What stands under the key that identifies an entity's objects.
    private func identityForms(of target: Int) -> ScalarForms? {
        plan.entities[target].shape.members.first { $0.key == plan.entities[target].identity }?.direct.scalars
    }

    private func isUUID(_ forms: ScalarForms?) -> Bool { forms?.uuids ?? 0 > 0 && forms?.uuids == forms?.count }

    /// Whether UUIDs have the letters of an entity's identities. Where these are UUIDs, and no texts, capitals and small letters are the same.
    private func isInSameLetters(_ forms: ScalarForms, _ target: Int) -> Bool {
        guard forms.uuids > 0, let identity = identityForms(of: target), !isUUID(identity) else { return true }
        return !(forms.hasSmallUUID && identity.hasCapitalUUID) && !(forms.hasCapitalUUID && identity.hasSmallUUID)
    }

    private func isBare(_ member: MemberShape) -> Bool {
        let (direct, elements) = (member.direct, member.elements)
        if direct.arrays == 0 {
            guard direct.objects == 0, let type = direct.scalars.type(named: member.key) else { return false }
            return [.integer64, .string, .uuid].contains(type.kind)
        }
        return direct.arrays + direct.nulls == direct.total && elements.scalars.count == elements.total
            && !member.hasEqualElements
    }
}
