// Mapping models as Xcode edits them (.xcmappingmodel): an XML store of Core Data's whose objects are Xcode's own. What Xcode's
// compiler (mapc) makes of them is made here, for a source model and a destination model; the file itself has neither their
// version hashes nor anything but the paths that they had.
//
//     <object type="XDDEVENTITYMAPPING" id="z103">
//         <attribute name="sourcename" type="string">Car</attribute>
//         <relationship name="attributemappings" type="0/0" destination="…" idrefs="z114 z113"></relationship>
//     </object>
//
// Observed, by comparing such a file with the compiled one: mappings come in the order of their numbers, properties by name;
// a property without an expression takes the source's of the same name; a relationship goes by the entity mapping of its
// destination, or, where that has sub-entities, by all of them.

import Foundation
import ModelDocuments

/// A mapping model's source.
struct MappingModelSource {
    /// An object of the XML store.
    private struct Object {
        let type: String
        var attributes: [String: String] = [:]
        var references: [String: [String]] = [:]
    }

    /// The models' paths, as the project had them.
    let sourcePath: String?
    let destinationPath: String?

    private let objects: [String: Object]
    private let entityMappings: [Object]

    /// The file in an `.xcmappingmodel`.
    static let fileName = "xcmapping.xml"

    /// - Throws: ``ModelError`` for what is no mapping model.
    init(_ data: Data) throws(ModelError) {
        let root = try Self.root(of: data)
        guard root.name == "database" else { throw ModelError(.badMappingModel(reason: "it is no XML store")) }
        var objects: [String: Object] = [:]
        for element in root.children(named: "object") {
            guard let id = element["id"], let type = element["type"] else { continue }
            var object = Object(type: type.uppercased())
            for attribute in element.children(named: "attribute") {
                if let name = attribute["name"] { object.attributes[name.lowercased()] = attribute.text }
            }
            for relationship in element.children(named: "relationship") {
                guard let name = relationship["name"], let ids = relationship["idrefs"] else { continue }
                object.references[name.lowercased()] = ids.split(separator: " ").map(String.init)
            }
            objects[id] = object
        }
        guard let model = objects.values.first(where: { $0.type == "XDDEVMAPPINGMODEL" }) else {
            throw ModelError(.badMappingModel(reason: "there is no mapping model in it"))
        }
        self.objects = objects
        sourcePath = model.attributes["sourcemodelpath"]
        destinationPath = model.attributes["destinationmodelpath"]
        entityMappings = (model.references["entitymappings"] ?? []).compactMap { objects[$0] }
            .sorted { Self.number(of: $0) < Self.number(of: $1) }
    }

    /// Foundation's parser ends the process on document types; the one that all of these files have says nothing.
    private static func root(of data: Data) throws(ModelError) -> XMLElementNode {
        let declaration = Data("<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">".utf8)
        var data = data
        if let range = data.prefix(1024).range(of: declaration) { data.removeSubrange(range) }
        do {
            return try XMLElementNode.root(of: data, keepsText: true)
        } catch {
            throw ModelError(.badXML(line: error.line, column: error.column, reason: error.reason))
        }
    }

    private static func number(of mapping: Object) -> Int {
        mapping.attributes["mappingnumber"].flatMap { Int($0) } ?? 0
    }

    /// What is known of the objects' attributes; another one would be passed over in silence.
    private static let knownAttributes: [String: Set<String>] = [
        "XDDEVENTITYMAPPING": [
            "name", "mappingnumber", "mappingtypename", "sourcename", "destinationname", "migrationpolicyclassname",
            "autogenerateexpression", "sourceexpressiondata", "sourcefilterpredicatestring", "userinfodata",
        ],
        "XDDEVATTRIBUTEMAPPING": ["name", "autogenerateexpression", "valueexpressiondata", "userinfodata"],
        "XDDEVRELATIONSHIPMAPPING": [
            "name", "autogenerateexpression", "valueexpressiondata", "userinfodata", "sourcekeypath",
            "sourcemappingname",
        ],
    ]

    private static func checkAttributes(of object: Object) throws(ModelError) {
        guard let known = knownAttributes[object.type] else { return }
        guard let unknown = object.attributes.keys.filter({ !known.contains($0) }).min() else { return }
        throw ModelError(
            .badMappingModel(reason: "a mapping has the attribute '\(unknown)', which isn't known; compile it in Xcode")
        )
    }

    // MARK: Fitting

    /// Whether the mapping is one between two models, as far as names tell: it names nothing that they don't have, and maps each
    /// entity of theirs.
    func fits(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> Bool {
        let sources = Set(entityMappings.compactMap { $0.attributes["sourcename"] })
        let destinations = Set(entityMappings.compactMap { $0.attributes["destinationname"] })
        guard sources.isSubset(of: source.entitiesByName.keys),
            destinations.isSuperset(of: destination.entities.filter { !$0.isAbstract }.compactMap(\.name)),
            destinations.isSubset(of: destination.entitiesByName.keys)
        else { return false }
        return entityMappings.allSatisfy { mapping in
            guard let name = mapping.attributes["destinationname"], let entity = destination.entitiesByName[name] else {
                return true
            }
            return properties(of: mapping).allSatisfy { entity.propertiesByName[$0] != nil }
        }
    }

    private func properties(of mapping: Object) -> [String] {
        ["attributemappings", "relationshipmappings"].flatMap { mapping.references[$0] ?? [] }
            .compactMap { objects[$0]?.attributes["name"] }
    }

    // MARK: Compiling

    /// The mappings between two models; nil for those that aren't at hand.
    ///
    /// - Throws: ``ModelError`` where something in it isn't known.
    func mappings(
        from source: NSManagedObjectModel?, to destination: NSManagedObjectModel?
    ) throws(ModelError) -> [NSEntityMapping] {
        for object in objects.values { try Self.checkAttributes(of: object) }
        var mappings: [NSEntityMapping] = []
        for object in entityMappings { mappings.append(try mapping(object, source, destination)) }
        return mappings
    }

    private func mapping(
        _ object: Object, _ source: NSManagedObjectModel?, _ destination: NSManagedObjectModel?
    ) throws(ModelError) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        let sourceName = object.attributes["sourcename"], destinationName = object.attributes["destinationname"]
        let from = sourceName.flatMap { source?.entitiesByName[$0] }
        let to = destinationName.flatMap { destination?.entitiesByName[$0] }
        mapping.name = Self.name(of: object)
        mapping.sourceEntityName = sourceName
        mapping.sourceEntityVersionHash = from?.versionHash
        mapping.destinationEntityName = destinationName
        mapping.destinationEntityVersionHash = to?.versionHash
        mapping.entityMigrationPolicyClassName = object.attributes["migrationpolicyclassname"]
        mapping.mappingType = Self.type(of: mapping)
        if let name = sourceName {
            mapping.sourceExpression =
                try Self.expression(object.attributes["sourceexpressiondata"])
                ?? .sources(of: name, predicate: object.attributes["sourcefilterpredicatestring"])
        }
        mapping.userInfo = try Self.userInfo(of: object)
        mapping.attributeMappings = try propertyMappings(object, "attributemappings") { name, _ in
            guard sourceName != nil, from == nil || from?.attributesByName[name] != nil else { return nil }
            return NSExpression(forSourceKey: name)
        }
        mapping.relationshipMappings = try propertyMappings(object, "relationshipmappings") { name, object in
            guard sourceName != nil else { return nil }
            return relationship(object.attributes["sourcekeypath"] ?? name, of: from, object)
        }
        return mapping
    }

    private static func name(of object: Object) -> String {
        if let name = object.attributes["name"], !name.isEmpty { return name }
        let names = ["sourcename", "destinationname"].compactMap { object.attributes[$0] }
        return names.joined(separator: "To")
    }

    private static func type(of mapping: NSEntityMapping) -> NSEntityMappingType {
        if mapping.sourceEntityName == nil { return .addEntityMappingType }
        if mapping.destinationEntityName == nil { return .removeEntityMappingType }
        // Also where the entity has changed.
        return mapping.entityMigrationPolicyClassName == nil ? .copyEntityMappingType : .customEntityMappingType
    }

    private func propertyMappings(
        _ object: Object, _ list: String, expression: (String, Object) -> NSExpression?
    ) throws(ModelError) -> [NSPropertyMapping] {
        var mappings: [NSPropertyMapping] = []
        for property in (object.references[list] ?? []).compactMap({ objects[$0] }) {
            guard let name = property.attributes["name"] else { continue }
            let mapping = NSPropertyMapping()
            mapping.name = name
            mapping.valueExpression =
                try Self.expression(property.attributes["valueexpressiondata"]) ?? expression(name, property)
            mapping.userInfo = try Self.userInfo(of: property)
            mappings.append(mapping)
        }
        return mappings.sorted { SQLNaming.precedes($0.name ?? "", $1.name ?? "") }
    }

    /// - Parameter entity: The source entity; nil where its model isn't at hand.
    private func relationship(_ key: String, of entity: NSEntityDescription?, _ object: Object) -> NSExpression? {
        if let name = object.attributes["sourcemappingname"] {
            return .destinations(ofMapping: name, sourceKey: key)
        }
        guard let entity else { return .destinations(ofRelationship: key) }
        guard let relationship = entity.relationshipsByName[key] else { return nil }
        let destination = relationship.destinationEntity
        let mappings = entityMappings.filter {
            $0.attributes["sourcename"] == destination?.name && $0.attributes["destinationname"] != nil
        }
        guard mappings.count == 1, destination?.subentities.isEmpty == true else {
            return .destinations(ofRelationship: key)
        }
        return .destinations(ofMapping: Self.name(of: mappings[0]), sourceKey: key)
    }

    // MARK: Archives in the XML

    private static func archive(_ text: String?) throws(ModelError) -> KeyedArchive? {
        guard let text else { return nil }
        // Lines end as `\n` in two characters.
        let base64 = text.replacing("\\n", with: "")
        guard let data = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) else {
            throw ModelError(.badMappingModel(reason: "an expression or a user info isn't in Base64"))
        }
        do {
            return try KeyedArchive(data)
        } catch {
            throw ModelError(.badMappingModel(reason: error.reason))
        }
    }

    private static func expression(_ text: String?) throws(ModelError) -> NSExpression? {
        guard let archive = try archive(text) else { return nil }
        do {
            return try MappingModelArchive.expression(.uid(archive.root), in: archive)
        } catch {
            throw ModelError(.badMappingModel(reason: error.reason))
        }
    }

    private static func userInfo(of object: Object) throws(ModelError) -> [AnyHashable: Any]? {
        guard let archive = try archive(object.attributes["userinfodata"]) else { return nil }
        do {
            let info = try ArchivedValues.dictionary(.uid(archive.root), in: archive)
            return info.isEmpty ? nil : info
        } catch {
            throw ModelError(.badMappingModel(reason: error.reason))
        }
    }
}
