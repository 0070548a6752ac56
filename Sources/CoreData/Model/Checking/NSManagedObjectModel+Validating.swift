// The checks that a model has to pass before a store is made for it. Readers and the coordinator call them; every
// problem is reported, in the order of the model.

import Foundation

extension NSManagedObjectModel {
    /// Checks the model as a whole.
    ///
    /// - Throws: ``ModelError`` with all problems.
    package func validated() throws {
        let problems = problems()
        if !problems.isEmpty { throw ModelError(problems: problems) }
    }

    func problems() -> [ModelError.Problem] {
        var check = ModelCheck(model: self)
        check.run()
        return check.problems
    }
}

/// One walk through a model.
struct ModelCheck {
    let model: NSManagedObjectModel
    private(set) var problems: [ModelError.Problem] = []

    init(model: NSManagedObjectModel) { self.model = model }

    mutating func run() {
        var names: Set<String> = []
        for entity in model.entities {
            if let name = entity.name, !name.isEmpty {
                if !names.insert(name).inserted { report(.duplicateEntity, entity) }
                if !Self.isName(name) { report(.badName(name), entity) }
            } else {
                report(.noName(what: "an entity"), entity)
            }
            checkInheritance(of: entity)
            checkProperties(of: entity)
            checkCombinations(of: entity)
        }
        checkConfigurations()
    }

    mutating func report(
        _ finding: ModelError.Finding, _ entity: NSEntityDescription, _ property: NSPropertyDescription? = nil
    ) {
        problems.append(
            ModelError.Problem(finding, entity: entity.name ?? "", property: property.map(\.name)))
    }

    func isMember(_ entity: NSEntityDescription) -> Bool { entity.model === model }

    /// Names stand in SQL, in URIs and in generated code, so they are identifiers.
    static func isName(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || first.properties.isAlphabetic else { return false }
        return name.unicodeScalars.allSatisfy { scalar in
            scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || scalar.properties.generalCategory == .nonspacingMark
        }
    }

    // MARK: Entities

    private mutating func checkInheritance(of entity: NSEntityDescription) {
        for subentity in entity.subentities where !isMember(subentity) {
            report(.unlistedSubentity(subentity.name ?? ""), entity)
        }
        if let parent = entity.superentity, !isMember(parent) {
            let closest = ClosestName.to(parent.name ?? "", among: model.entitiesByName.keys)
            report(.unknownParent(parent.name ?? "", closest: closest), entity)
        }
        let lineage = entity.lineage
        if let next = lineage.last?.superentity, next === entity {
            report(.inheritanceCycle((lineage + [entity]).map { $0.name ?? "" }), entity)
        }
    }

    private mutating func checkProperties(of entity: NSEntityDescription) {
        var names: Set<String> = []
        let ancestors = entity.lineage.dropFirst()
        for property in entity.ownProperties {
            if property.name.isEmpty {
                report(.noName(what: "a property"), entity)
            } else if !Self.isName(property.name) {
                report(.badName(property.name), entity, property)
            }
            if !names.insert(property.name).inserted {
                report(.duplicateProperty(declaredIn: entity.name ?? ""), entity, property)
            }
            for ancestor in ancestors where ancestor.ownProperties.contains(where: { $0.name == property.name }) {
                report(.duplicateProperty(declaredIn: ancestor.name ?? ""), entity, property)
            }
            switch property {
            case let attribute as NSAttributeDescription: check(attribute, of: entity)
            case let relationship as NSRelationshipDescription: check(relationship, of: entity)
            default: break
            }
        }
    }

    private mutating func checkConfigurations() {
        for name in model.configurations {
            for entity in model.entities(forConfigurationName: name) ?? [] where !isMember(entity) {
                let closest = ClosestName.to(entity.name ?? "", among: model.entitiesByName.keys)
                problems.append(
                    ModelError.Problem(
                        .unknownConfigurationMember(configuration: name, name: entity.name ?? "", closest: closest)))
            }
        }
    }
}
