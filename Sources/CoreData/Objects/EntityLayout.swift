// Where an entity's properties stand in its objects' slots. Built once per entity, when a coordinator takes the model (or
// at the first object made without one).
//
//     Hero: NSManagedObject       slot 0  name        (of the super-entity Character)
//     parent: Character           slot 1  publisher   (of Character)
//                                 slot 2  powers      (own)
//
// A super-entity's slots come first, so that a slot number holds for all sub-entities too. Within an entity the order is
// that of `properties`. Fetched properties have no slot; a composite attribute has one for each of its elements (`location.x`).

import Foundation

/// The slots of one entity.
package final class EntityLayout {
    package enum Kind: Equatable {
        case attribute(NSAttributeType)
        case toOne
        case toMany(ordered: Bool)
    }

    package struct Slot {
        package let name: String
        package let kind: Kind
        package let isTransient: Bool
        package let isOptional: Bool
        package let property: NSPropertyDescription

        package var isRelationship: Bool {
            if case .attribute = kind { false } else { true }
        }
        package var isToMany: Bool {
            if case .toMany = kind { true } else { false }
        }
        package var relationship: NSRelationshipDescription? { property as? NSRelationshipDescription }

        /// Whether a to-many relationship can have too few or too many members.
        var hasCountRule: Bool {
            guard let relationship, relationship.isToMany else { return false }
            return relationship.minCount > 0 || relationship.maxCount > 1
        }
        /// Whether there are values which no store can give back: numbers that are too wide, and NaN where there has to be a number.
        fileprivate var hasLimitedRoom: Bool {
            guard case .attribute(let type) = kind else { return false }
            return type.isNarrow || !isOptional && type.hasNaN
        }
    }

    package unowned let entity: NSEntityDescription
    package let slots: [Slot]
    package let slotByName: [String: Int]
    /// The composite attributes by name, those within others by the paths that lead to them.
    let composites: [String: CompositeLayout]
    /// The words of the first slots' names, for a look-up without hashing; `none` for a slot whose name a later one has.
    private let nameWords: [StringWords]
    /// The values of a new object: the model's defaults, null, and empty relationships.
    package let defaults: SlotValues
    /// The values of an object that nothing is known of.
    package let blank: SlotValues
    /// How the slots lie in memory.
    let forms: SlotForms
    package let toManySlots: [Int]
    package let toOneSlots: [Int]
    let transientAttributes: [Int]
    /// The slots that have values which no store can give back.
    let hasLimitedRoom: [Bool]
    /// The slots that a store keeps.
    package let persistentSlots: SlotSet
    /// The slots that validation has to look at.
    let isChecked: [Bool]
    /// The composite attributes, by name, without those within others.
    let topComposites: [CompositeLayout]

    init(entity: NSEntityDescription) {
        self.entity = entity
        var slots = entity.superentity?.layout.slots ?? []
        for property in entity.ownProperties { slots += Self.slots(for: property) }
        var slotByName: [String: Int] = [:]
        for (index, slot) in slots.enumerated() { slotByName[slot.name] = index }
        composites = CompositeLayout.all(of: entity, slotByName)
        self.slots = slots
        self.slotByName = slotByName
        // To go through more of them takes longer than hashing.
        nameWords = slots.prefix(32).enumerated().map { slotByName[$1.name] == $0 ? StringWords($1.name) : .none }
        forms = SlotForms(slots.map(\.kind))
        defaults = SlotValues(slots.map(Self.defaultValue), forms)
        blank = SlotValues(slots.map { $0.isToMany ? .unread(nil) : .null }, forms)
        toManySlots = slots.indices.filter { slots[$0].isToMany }
        toOneSlots = slots.indices.filter { slots[$0].kind == .toOne }
        transientAttributes = slots.indices.filter { slots[$0].isTransient && !slots[$0].isRelationship }
        hasLimitedRoom = slots.map(\.hasLimitedRoom)
        isChecked = slots.map { slot in
            let hasRule = slot.isToMany ? slot.hasCountRule : !slot.isOptional || slot.hasLimitedRoom
            return hasRule || !slot.property.validationRules.isEmpty
        }
        var persistentSlots = SlotSet()
        for (index, slot) in slots.enumerated() where !slot.isTransient { persistentSlots.insert(index) }
        self.persistentSlots = persistentSlots
        topComposites = composites.values.filter { !$0.name.contains(".") }.sorted { $0.name < $1.name }
    }

    /// Values made slot by slot.
    func values(_ make: (Int, Slot) throws -> ManagedValue) rethrows -> SlotValues {
        SlotValues(try slots.enumerated().map(make), forms)
    }

    /// The slot numbers of the inverse relationships, by slot; separate from `slots` because two entities that refer to
    /// each other can't both be built first.
    package private(set) lazy var inverses: [Int?] = slots.map { slot in
        guard let relationship = slot.relationship, let inverse = relationship.inverseRelationship else { return nil }
        return relationship.destinationEntity?.layout.slotByName[inverse.name]
    }

    /// The same in a store, which has none that is transient.
    private(set) lazy var keptInverses: [Int?] = zip(slots, inverses).map {
        $0.relationship?.keptInverse == nil ? nil : $1
    }

    /// Whether a store has to be told the members of a to-many relationship: not where a to-one inverse says it all.
    private(set) lazy var needsRelationChange: [Bool] = slots.enumerated().map { index, slot in
        guard case .toMany(let ordered) = slot.kind, !slot.isTransient else { return false }
        guard let inverse = slot.relationship?.keptInverse else { return true }
        return ordered || inverse.isToMany
    }

    /// The class of the entity's objects, once it is known not to be the fallback for a class that isn't there yet.
    private(set) var knownClass: NSManagedObject.Type?

    /// What that class has written itself for its keys.
    private(set) var accessors = KnownAccessors.unknown

    /// Works out everything that is lazy, so that several threads can read it. Called before a coordinator is used.
    func prepare() {
        _ = inverses
        _ = keptInverses
        _ = needsRelationChange
        let found = ManagedObjectClasses.objectClass(of: entity)
        let isPlain = ["NSManagedObject", ""].contains(entity.managedObjectClassName ?? "")
        guard isPlain || found != NSManagedObject.self else { return }
        knownClass = found
        if case .unknown = accessors { accessors = KnownAccessors(of: found) }
    }

    /// Whether the entity's objects have no class of their own, which would want to see them.
    package var isWithoutClass: Bool { objectClass == NSManagedObject.self }

    /// The class to make the entity's objects of.
    var objectClass: NSManagedObject.Type { knownClass ?? ManagedObjectClasses.objectClass(of: entity) }

    package func slot(named name: String) -> Int? {
        let words = StringWords(name)
        // Names in code and in models are mostly short, and those of equal words; hashing takes ten times as long.
        for (slot, known) in nameWords.enumerated() where known == words { return slot }
        return slotByName[name]
    }

    private static func slots(for property: NSPropertyDescription) -> [Slot] {
        property.storedParts.compactMap { name, part in
            let kind: Kind
            switch part {
            case let attribute as NSAttributeDescription: kind = .attribute(attribute.attributeType)
            case let relationship as NSRelationshipDescription:
                kind = relationship.isToMany ? .toMany(ordered: relationship.isOrdered) : .toOne
            default: return nil
            }
            // Without a composite value, none of its elements has one.
            return Slot(
                name: name, kind: kind, isTransient: property.isTransient,
                isOptional: part.isOptional || property.isOptional, property: part)
        }
    }

    private static func defaultValue(_ slot: Slot) -> ManagedValue {
        switch slot.kind {
        case .toOne: return .null
        case .toMany: return .objects(ToManyMembers())
        case .attribute:
            guard let attribute = slot.property as? NSAttributeDescription, let value = attribute.defaultValue else {
                return .null
            }
            return ManagedValue(boxed: value, for: attribute) ?? .null
        }
    }
}

extension NSEntityDescription {
    /// The entity's slots; built at first use, and anew after a change of the (still mutable) model.
    package var layout: EntityLayout {
        if let layoutStorage { return layoutStorage }
        let layout = EntityLayout(entity: self)
        layoutStorage = layout
        noteStructure()
        return layout
    }
}
