// The part of a model's source that code is made from: entities with their classes and the types of their properties. The
// runtime reads the whole of it (Sources/CoreData/Model/Reading) and asks here what these parts mean; the plugin's tool reads
// nothing else, so that it needn't be built with the runtime.

/// The name that the model editor gives a type of attributes.
package enum AttributeTypeName: String, CaseIterable, Sendable {
    case integer16 = "Integer 16"
    case integer32 = "Integer 32"
    case integer64 = "Integer 64"
    case decimal = "Decimal"
    case double = "Double"
    case float = "Float"
    case string = "String"
    case boolean = "Boolean"
    case date = "Date"
    case binary = "Binary"
    case uuid = "UUID"
    case uri = "URI"
    case transformable = "Transformable"
    case composite = "Composite"
}

/// A property, as far as its Swift type goes.
package struct PropertyOutline: Equatable, Sendable {
    package enum Form: Equatable, Sendable {
        /// The type is nil where it is undefined; the class is that of values whose type doesn't settle it.
        case attribute(AttributeTypeName?, isScalar: Bool, valueClass: String?)
        case relationship(to: String, isToMany: Bool, isOrdered: Bool)
    }

    package var name: String
    package var form: Form

    package init(name: String, form: Form) {
        self.name = name
        self.form = form
    }

    /// Nil for what is neither attribute nor relationship.
    init?(_ element: XMLElementNode) {
        switch element.name {
        case "attribute":
            let type = element["attributeType"].flatMap(AttributeTypeName.init)
            form = .attribute(
                type, isScalar: element.says("usesScalarValueType"),
                valueClass: type == nil || type == .transformable ? element["customClassName"] : nil)
        case "relationship":
            form = .relationship(
                to: element["destinationEntity"] ?? "", isToMany: Self.isToMany(element),
                isOrdered: element.says("ordered"))
        default: return nil
        }
        name = element["name"] ?? ""
    }

    /// Whether a `<relationship>` leads to any number of objects but one.
    ///
    /// The editor always writes a to-one's maximum; writers of model files that leave it out mean 1 too.
    package static func isToMany(_ element: XMLElementNode) -> Bool {
        guard let maximum = element["maxCount"] else { return element.says("toMany") }
        return Int(maximum) != 1
    }
}

/// An entity, as far as its class goes.
package struct EntityOutline: Equatable, Sendable {
    package var name: String
    /// Without module where the source leaves that to the build; `NSManagedObject` where it names none.
    package var className: String
    /// Whether the class belongs to the module that the model is built in: the source's `.Hero`.
    package var isClassOfBuiltModule: Bool
    package var codeGeneration: CodeGeneration
    /// The entity that it inherits from.
    package var parent: String?
    /// Attributes and relationships of its own.
    package var properties: [PropertyOutline]

    package init(
        name: String, className: String, isClassOfBuiltModule: Bool = false, codeGeneration: CodeGeneration = .manual,
        parent: String? = nil, properties: [PropertyOutline] = []
    ) {
        self.name = name
        self.className = className
        self.isClassOfBuiltModule = isClassOfBuiltModule
        self.codeGeneration = codeGeneration
        self.parent = parent
        self.properties = properties
    }

    /// - Parameter element: An `<entity>`.
    package init(_ element: XMLElementNode) {
        let written = element["representedClassName"] ?? ""
        name = element["name"] ?? ""
        isClassOfBuiltModule = written.hasPrefix(".")
        className = Self.className(written)
        codeGeneration = element["codeGenerationType"].flatMap(CodeGeneration.init) ?? .manual
        parent = element["parentEntity"]
        properties = element.children.compactMap(PropertyOutline.init)
    }

    /// A class name whose module is left to the build (`.Hero`) loses the dot.
    package static func className(_ written: String?) -> String {
        guard let written, !written.isEmpty else { return "NSManagedObject" }
        return written.hasPrefix(".") ? String(written.dropFirst()) : written
    }
}

/// The entities of one version of a model.
package struct ModelOutline: Equatable, Sendable {
    package let entities: [EntityOutline]
    private let places: [String: Int]

    package init(_ entities: [EntityOutline]) {
        self.entities = entities
        places = Dictionary(entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// - Parameter root: A `<model>`.
    package init(_ root: XMLElementNode) { self.init(root.children(named: "entity").map(EntityOutline.init)) }

    /// The entity of a name.
    package func entity(named name: String?) -> EntityOutline? { name.flatMap { places[$0] }.map { entities[$0] } }
}
