// The XML of an .xcdatamodel, read into a model. Two walks: the first makes entities and their properties, the second
// connects what they name. Unknown elements and attributes are ignored, as Xcode's later versions add some.

import Foundation
import ModelDocuments

/// Reads one document into one (empty) model.
struct XMLModelReader {
    let model: NSManagedObjectModel
    var problems: [ModelError.Problem] = []
    var composites: [String: XMLElementNode] = [:]
    /// Of all composite attributes so far.
    var elementCount = 0
    private var sources: [(element: XMLElementNode, entity: NSEntityDescription)] = []
    private var entities: [String: NSEntityDescription] = [:]

    init(model: NSManagedObjectModel) { self.model = model }

    /// - Throws: ``ModelError`` with all problems of the document and of the model that it describes.
    mutating func read(_ root: XMLElementNode) throws {
        model.versionIdentifiers = [root["userDefinedModelVersionIdentifier"] ?? ""]
        for element in root.children(named: "composite") {
            if let name = element["name"] { composites[name] = element }
        }
        for element in root.children(named: "entity") { readEntity(element) }
        model.entities = sources.map(\.entity)
        model.isFlattened = true
        connectParents()
        for (element, entity) in sources { connect(entity, element) }
        for element in root.children(named: "configuration") { readConfiguration(element) }
        for element in root.children(named: "fetchRequest") { readTemplate(element) }
        problems += model.problems().filter { !hasCause($0) }
        if !problems.isEmpty { throw ModelError(problems: inOrderOfModel(problems)) }
    }

    /// Entity by entity and property by property; those of the model as a whole come last.
    private func inOrderOfModel(_ problems: [ModelError.Problem]) -> [ModelError.Problem] {
        func rank(_ problem: ModelError.Problem) -> (Int, Int) {
            guard let name = problem.entity, let entity = sources.firstIndex(where: { ($0.entity.name ?? "") == name })
            else { return (.max, 0) }
            let properties = sources[entity].entity.ownProperties
            return (entity, properties.firstIndex { $0.name == problem.property } ?? -1)
        }
        let ranked = problems.enumerated().map { (rank: rank($0.element), position: $0.offset, problem: $0.element) }
        return ranked.sorted { ($0.rank.0, $0.rank.1, $0.position) < ($1.rank.0, $1.rank.1, $1.position) }.map(
            \.problem)
    }

    mutating func report(_ finding: ModelError.Finding, _ entity: NSEntityDescription?, _ property: String? = nil) {
        problems.append(ModelError.Problem(finding, entity: entity?.name, property: property))
    }

    /// Whether a problem of the model only follows from one of the document that has been reported.
    private func hasCause(_ problem: ModelError.Problem) -> Bool {
        problems.contains { known in
            guard known.entity == problem.entity, known.property == problem.property else { return false }
            return switch (problem.finding, known.finding) {
            case (.noDestination, .unknownDestination), (.noType, .unknownType), (.noType, .unknownComposite): true
            case (.inverseElsewhere, .unknownInverse): true
            default: false
            }
        }
    }

    // MARK: Entities

    private mutating func readEntity(_ element: XMLElementNode) {
        let entity = NSEntityDescription()
        entity.name = element["name"]
        let outline = EntityOutline(element)
        entity.managedObjectClassName = outline.className
        entity.isClassOfBuiltModule = outline.isClassOfBuiltModule
        entity.codeGeneration = outline.codeGeneration
        entity.isAbstract = element.says("isAbstract")
        if let identifier = element["elementID"] { entity.renamingIdentifier = identifier }
        entity.versionHashModifier = element["versionHashModifier"]
        entity.userInfo = Self.userInfo(of: element)
        entity.ownProperties = element.children.compactMap { readProperty($0, of: entity) }
        entity.uniquenessConstraints = Self.nameLists(
            in: element, "uniquenessConstraints", "uniquenessConstraint", "constraint")
        sources.append((element, entity))
        if let name = entity.name, entities[name] == nil { entities[name] = entity }
    }

    static func userInfo(of element: XMLElementNode) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        for entry in element.children(named: "userInfo").flatMap({ $0.children(named: "entry") }) {
            if let key = entry["key"] { info[key] = entry["value"] ?? "" }
        }
        return info
    }

    private static func nameLists(
        in element: XMLElementNode, _ outer: String, _ middle: String, _ inner: String
    ) -> [[String]] {
        element.children(named: outer).flatMap { $0.children(named: middle) }.map { list in
            list.children(named: inner).compactMap { $0["value"] }
        }
    }

    private mutating func readProperty(
        _ element: XMLElementNode, of entity: NSEntityDescription
    ) -> NSPropertyDescription? {
        let property: NSPropertyDescription
        switch element.name {
        case "attribute": property = readAttribute(element, of: entity, compositeDepth: 0)
        case "relationship": property = readRelationship(element, of: entity)
        case "fetchedProperty": property = readFetchedProperty(element, of: entity)
        default: return nil
        }
        Self.setCommon(of: property, from: element)
        return property
    }

    static func setCommon(of property: NSPropertyDescription, from element: XMLElementNode) {
        property.name = element["name"] ?? ""
        property.isOptional = element.says("optional")
        property.isTransient = element.says("transient")
        property.isIndexedBySpotlight = element.says("spotlightIndexingEnabled")
        property.isStoredInExternalRecord = element.says("storedInTruthFile")
        if let identifier = element["elementID"] { property.renamingIdentifier = identifier }
        property.versionHashModifier = element["versionHashModifier"]
        property.userInfo = userInfo(of: element)
    }

    // MARK: Connections

    private mutating func connectParents() {
        var children: [String: [NSEntityDescription]] = [:]
        for (element, entity) in sources {
            guard let name = element["parentEntity"] else { continue }
            if entities[name] == nil {
                report(.unknownParent(name, closest: ClosestName.to(name, among: entities.keys)), entity)
            }
            children[name, default: []].append(entity)
        }
        for (name, children) in children { entities[name]?.subentities = children }
    }

    private mutating func connect(_ entity: NSEntityDescription, _ element: XMLElementNode) {
        let relationships = entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }
        for (source, relationship) in zip(element.children(named: "relationship"), relationships) {
            connect(relationship, source, of: entity)
        }
        entity.indexes = element.children(named: "fetchIndex").map { readIndex($0, of: entity) }
        // The older forms; the compiler of models makes indexes of them, too.
        for attribute in element.children(named: "attribute") where attribute.says("indexed") {
            entity.addIndex(of: [attribute["name"] ?? ""])
        }
        for names in Self.nameLists(in: element, "compoundIndexes", "compoundIndex", "index") {
            entity.addIndex(of: names)
        }
    }

    private mutating func connect(
        _ relationship: NSRelationshipDescription, _ element: XMLElementNode, of entity: NSEntityDescription
    ) {
        if let name = element["destinationEntity"] {
            relationship.destinationEntity = entities[name]
            if entities[name] == nil {
                let closest = ClosestName.to(name, among: entities.keys)
                report(.unknownDestination(name, closest: closest), entity, relationship.name)
            }
        }
        guard let name = element["inverseName"] else { return }
        let ownerName = element["inverseEntity"] ?? element["destinationEntity"] ?? ""
        let candidates = (entities[ownerName]?.properties ?? []).compactMap { $0 as? NSRelationshipDescription }
        relationship.inverseRelationship = candidates.first { $0.name == name }
        if relationship.inverseRelationship == nil {
            let closest = ClosestName.to(name, among: candidates.map(\.name))
            report(.unknownInverse(name, entity: ownerName, closest: closest), entity, relationship.name)
        }
    }

    private mutating func readConfiguration(_ element: XMLElementNode) {
        guard let configuration = element["name"] else { return }
        var members: [NSEntityDescription] = []
        for name in element.children(named: "memberEntity").compactMap({ $0["name"] }) {
            if let entity = entities[name] {
                members.append(entity)
            } else {
                let closest = ClosestName.to(name, among: entities.keys)
                report(.unknownConfigurationMember(configuration: configuration, name: name, closest: closest), nil)
            }
        }
        model.setEntities(members, forConfigurationName: configuration)
    }

    private mutating func readTemplate(_ element: XMLElementNode) {
        guard let name = element["name"], let entityName = element["entity"] else { return }
        guard let entity = entities[entityName] else {
            let closest = ClosestName.to(entityName, among: entities.keys)
            report(.unknownTemplateEntity(template: name, name: entityName, closest: closest), nil)
            return
        }
        do throws(ModelTextError) {
            let template = try ModelTexts.request(element)
            template.entity = entity
            model.setFetchRequestTemplate(template, forName: name)
        } catch {
            report(.badPredicate(text: error.text, reason: error.reason), nil, name)
        }
    }
}
