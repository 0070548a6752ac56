// Core Data's attribute types and the kinds that conversion knows.

package import CoreData

extension AttributeKind {
    private static let kinds: [NSAttributeType: AttributeKind] = [
        .integer16AttributeType: .integer16, .integer32AttributeType: .integer32, .integer64AttributeType: .integer64,
        .booleanAttributeType: .boolean, .doubleAttributeType: .double, .floatAttributeType: .float,
        .decimalAttributeType: .decimal, .stringAttributeType: .string, .dateAttributeType: .date,
        .UUIDAttributeType: .uuid, .URIAttributeType: .uri, .binaryDataAttributeType: .binary,
        .transformableAttributeType: .transformable,
    ]

    /// The kind of an attribute. Types without a form of their own (undefined, composite) hold any object, as transformable
    /// ones do.
    package init(_ attribute: NSAttributeDescription) {
        self = Self.kinds[attribute.attributeType] ?? .transformable
    }

    var attributeType: NSAttributeType {
        Self.kinds.first { $0.value == self }?.key ?? .transformableAttributeType
    }
}
