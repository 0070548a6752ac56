// The class and properties of an entity, as Xcode generates them. Where there is no Objective-C runtime, accessors have
// bodies.

import CoreData

/// Writes the Swift code of one entity.
struct ClassWriter {
    /// Where the code is to be compiled.
    enum Platform {
        case linux
        /// Apple's platforms and Linux, by `#if`.
        case all
    }

    private let entity: NSEntityDescription
    private let names: EntityNames
    private let platform: Platform

    init(_ entity: NSEntityDescription, _ names: EntityNames, _ platform: Platform) {
        self.entity = entity
        self.names = names
        self.platform = platform
    }

    // MARK: Class

    /// The class, without members.
    var classDeclaration: String {
        let parent = entity.superentity.flatMap(EntityNames.init)?.className ?? "NSManagedObject"
        let declaration = "public class \(names.className): \(parent) {}\n"
        switch platform {
        case .linux: return declaration
        case .all:
            return "#if canImport(ObjectiveC)\n@objc(\(names.className))\n\(declaration)#else\n\(declaration)#endif\n"
        }
    }

    // MARK: Properties

    /// An extension with `fetchRequest()`, the properties, and the methods of to-many relationships.
    var properties: String {
        let own = entity.properties.sorted { $0.name < $1.name }
        let relationships = own.compactMap { $0 as? NSRelationshipDescription }.filter(\.isToMany)
        var text = ""
        if platform == .all {
            text += "#if canImport(ObjectiveC)\n"
            text += members(.apple, own, relationships)
            text += "#else\n"
        }
        text += members(.linux, own, relationships)
        if platform == .all { text += "#endif\n" }
        if entity.superentity.flatMap(EntityNames.init) == nil {
            text += "\nextension \(names.className): Identifiable {}\n"
        }
        return text
    }

    private enum Form {
        case apple, linux
    }

    private func members(
        _ form: Form, _ properties: [NSPropertyDescription], _ relationships: [NSRelationshipDescription]
    ) -> String {
        let hidden = form == .apple ? "@nonobjc " : ""
        var text = """
            extension \(names.className) {
                \(hidden)public class func fetchRequest() -> NSFetchRequest<\(names.className)> {
                    NSFetchRequest<\(names.className)>(entityName: "\(names.entityName)")
                }

            """
        for property in properties {
            guard let type = Self.type(of: property) else { continue }
            text += "\n" + declaration(property.name, type, form)
        }
        for relationship in relationships {
            text += "\n" + methods(of: relationship).map { method($0, form) }.joined(separator: "\n")
        }
        return text + "}\n"
    }

    private func declaration(_ name: String, _ type: String, _ form: Form) -> String {
        switch form {
        case .apple: "    @NSManaged public var \(name.escapedIdentifier): \(type)\n"
        case .linux:
            """
                public var \(name.escapedIdentifier): \(type) {
                    get { modelledValue(forKey: "\(name)") }
                    set { setModelledValue(newValue, forKey: "\(name)") }
                }

            """
        }
    }

    /// The type that Xcode gives a property.
    private static func type(of property: NSPropertyDescription) -> String? {
        switch property {
        case let attribute as NSAttributeDescription: attributeType(attribute)
        case let relationship as NSRelationshipDescription:
            if relationship.isToMany {
                relationship.isOrdered ? "NSOrderedSet?" : "NSSet?"
            } else {
                "\(destination(of: relationship))?"
            }
        default: nil
        }
    }

    private static func attributeType(_ attribute: NSAttributeDescription) -> String {
        func number(_ scalar: String) -> String { attribute.usesScalarValueType ? scalar : "NSNumber?" }
        return switch attribute.attributeType {
        case .integer16AttributeType: number("Int16")
        case .integer32AttributeType: number("Int32")
        case .integer64AttributeType: number("Int64")
        case .doubleAttributeType: number("Double")
        case .floatAttributeType: number("Float")
        case .booleanAttributeType: number("Bool")
        case .decimalAttributeType: "NSDecimalNumber?"
        case .stringAttributeType: "String?"
        case .dateAttributeType: "Date?"
        case .binaryDataAttributeType: "Data?"
        case .UUIDAttributeType: "UUID?"
        case .URIAttributeType: "URL?"
        case .objectIDAttributeType: "NSManagedObjectID?"
        case .compositeAttributeType: "[String: Any]?"
        default: "\(attribute.attributeValueClassName ?? "NSObject")?"
        }
    }

    private static func destination(of relationship: NSRelationshipDescription) -> String {
        relationship.destinationEntity.flatMap(EntityNames.init)?.className ?? "NSManagedObject"
    }

    // MARK: Methods of to-many relationships

    private struct Method {
        /// The Objective-C selector.
        var selector: String
        var signature: String
        var body: String
    }

    private func method(_ method: Method, _ form: Form) -> String {
        switch form {
        case .apple: "    @objc(\(method.selector))\n    @NSManaged public func \(method.signature)\n"
        case .linux: "    public func \(method.signature) { \(method.body) }\n"
        }
    }

    private func methods(of relationship: NSRelationshipDescription) -> [Method] {
        let name = relationship.name.capitalizedFirst
        let type = Self.destination(of: relationship)
        let set = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
        let list = relationship.isOrdered ? "array" : "allObjects"
        let key = "forKey: \"\(relationship.name)\""
        let objects = "values.\(list).compactMap { $0 as? NSManagedObject }"
        let unordered = [
            Method(
                selector: "add\(name)Object:", signature: "addTo\(name)(_ value: \(type))",
                body: "addModelled([value], \(key))"),
            Method(
                selector: "remove\(name)Object:", signature: "removeFrom\(name)(_ value: \(type))",
                body: "removeModelled([value], \(key))"),
            Method(
                selector: "add\(name):", signature: "addTo\(name)(_ values: \(set))",
                body: "addModelled(\(objects), \(key))"),
            Method(
                selector: "remove\(name):", signature: "removeFrom\(name)(_ values: \(set))",
                body: "removeModelled(\(objects), \(key))"),
        ]
        return relationship.isOrdered ? orderedMethods(name, type, key) + unordered : unordered
    }

    private func orderedMethods(_ name: String, _ type: String, _ key: String) -> [Method] {
        [
            Method(
                selector: "insertObject:in\(name)AtIndex:",
                signature: "insertInto\(name)(_ value: \(type), at idx: Int)",
                body: "insertModelled([value], at: IndexSet(integer: idx), \(key))"),
            Method(
                selector: "removeObjectFrom\(name)AtIndex:", signature: "removeFrom\(name)(at idx: Int)",
                body: "removeModelled(at: IndexSet(integer: idx), \(key))"),
            Method(
                selector: "insert\(name):atIndexes:",
                signature: "insertInto\(name)(_ values: [\(type)], at indexes: NSIndexSet)",
                body: "insertModelled(values, at: IndexSet(indexes), \(key))"),
            Method(
                selector: "remove\(name)AtIndexes:", signature: "removeFrom\(name)(at indexes: NSIndexSet)",
                body: "removeModelled(at: IndexSet(indexes), \(key))"),
            Method(
                selector: "replaceObjectIn\(name)AtIndex:withObject:",
                signature: "replace\(name)(at idx: Int, with value: \(type))",
                body: "replaceModelled(at: IndexSet(integer: idx), with: [value], \(key))"),
            Method(
                selector: "replace\(name)AtIndexes:with\(name):",
                signature: "replace\(name)(at indexes: NSIndexSet, with values: [\(type)])",
                body: "replaceModelled(at: IndexSet(indexes), with: values, \(key))"),
        ]
    }
}
