// From Core Data's attribute types to the kinds that conversion knows.

package import CoreData

extension AttributeKind {
    /// The kind of an attribute. Types without a form of their own (undefined, composite) hold any object, as transformable
    /// ones do.
    package init(_ attribute: NSAttributeDescription) {
        self =
            switch attribute.attributeType {
            case .integer16AttributeType: .integer16
            case .integer32AttributeType: .integer32
            case .integer64AttributeType: .integer64
            case .booleanAttributeType: .boolean
            case .doubleAttributeType: .double
            case .floatAttributeType: .float
            case .decimalAttributeType: .decimal
            case .stringAttributeType: .string
            case .dateAttributeType: .date
            case .UUIDAttributeType: .uuid
            case .URIAttributeType: .uri
            case .binaryDataAttributeType: .binary
            default: .transformable
            }
    }
}
