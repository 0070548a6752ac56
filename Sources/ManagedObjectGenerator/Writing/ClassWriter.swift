// The class and properties of an entity, as Xcode generates them. Where there is no Objective-C runtime, accessors have
// bodies.

import ModelDocuments

/// Writes the Swift code of one entity.
struct ClassWriter {
    /// Where the code is to be compiled.
    enum Platform {
        case linux
        /// Apple's platforms and Linux, by `#if`.
        case all
    }

    private let entity: EntityOutline
    private let names: EntityNames
    private let model: ModelOutline
    private let platform: Platform

    init(_ entity: EntityOutline, _ names: EntityNames, of model: ModelOutline, for platform: Platform) {
        self.entity = entity
        self.names = names
        self.model = model
        self.platform = platform
    }

    /// The names of the class of another entity of the model.
    private func names(of entity: String?) -> EntityNames? { model.entity(named: entity).flatMap(EntityNames.init) }

    // MARK: Class

    /// The class, without members. Objects are their context's, whatever actor a module's classes belong to by default.
    var classDeclaration: String {
        let parent = names(of: entity.parent)?.className ?? "NSManagedObject"
        let declaration = "nonisolated public class \(names.className): \(parent) {}\n"
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
        let relationships = own.compactMap(ToMany.init)
        var text = ""
        if platform == .all {
            text += "#if canImport(ObjectiveC)\n"
            text += members(.apple, own, relationships)
            text += "#else\n"
        }
        text += members(.linux, own, relationships)
        if platform == .all { text += "#endif\n" }
        if names(of: entity.parent) == nil {
            text += "\nnonisolated extension \(names.className): Identifiable {}\n"
        }
        return text
    }

    private enum Form {
        case apple, linux
    }

    /// A to-many relationship.
    private struct ToMany {
        let name: String
        let destination: String
        let isOrdered: Bool

        init?(_ property: PropertyOutline) {
            guard case .relationship(let destination, isToMany: true, let isOrdered) = property.form else { return nil }
            name = property.name
            self.destination = destination
            self.isOrdered = isOrdered
        }
    }

    /// The keys and their properties' names in code.
    var keys: [String] { entity.properties.map(\.name).sorted() }

    private func members(
        _ form: Form, _ properties: [PropertyOutline], _ relationships: [ToMany]
    ) -> String {
        let hidden = form == .apple ? "@nonobjc " : ""
        var text = """
            nonisolated extension \(names.className) {
                \(hidden)public class func fetchRequest() -> NSFetchRequest<\(names.className)> {
                    NSFetchRequest<\(names.className)>(entityName: "\(names.entityName)")
                }

            """
        for property in properties {
            text += "\n" + declaration(property.name, type(of: property), form)
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
    private func type(of property: PropertyOutline) -> String {
        switch property.form {
        case .attribute(let type, let isScalar, let valueClass):
            Self.attributeType(type, isScalar: isScalar, valueClass: valueClass)
        case .relationship(_, isToMany: true, let isOrdered): isOrdered ? "NSOrderedSet?" : "NSSet?"
        case .relationship(let destination, isToMany: false, _): "\(className(of: destination))?"
        }
    }

    private static func attributeType(_ type: AttributeTypeName?, isScalar: Bool, valueClass: String?) -> String {
        func number(_ scalar: String) -> String { isScalar ? scalar : "NSNumber?" }
        return switch type {
        case .integer16: number("Int16")
        case .integer32: number("Int32")
        case .integer64: number("Int64")
        case .double: number("Double")
        case .float: number("Float")
        case .boolean: number("Bool")
        case .decimal: "NSDecimalNumber?"
        case .string: "String?"
        case .date: isScalar ? "TimeInterval" : "Date?"
        case .binary: "Data?"
        case .uuid: "UUID?"
        case .uri: "URL?"
        case .composite: "[String: Any]?"
        case .transformable, nil: "\(valueClass ?? "NSObject")?"
        }
    }

    private func className(of entity: String) -> String { names(of: entity)?.className ?? "NSManagedObject" }

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

    private func methods(of relationship: ToMany) -> [Method] {
        let name = relationship.name.capitalizedFirst
        let type = className(of: relationship.destination)
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
