// What becomes of the objects at the other end when an object is deleted.

/// A relationship's delete rule. The raw values are those of Core Data's `NSDeleteRule`.
public enum NSDeleteRule: UInt, Sendable, CaseIterable {
    /// The other end isn't touched, even where it then refers to an object that is gone.
    case noActionDeleteRule = 0
    /// The other end's inverse relationship loses the object.
    case nullifyDeleteRule = 1
    /// The objects at the other end are deleted too.
    case cascadeDeleteRule = 2
    /// The object can't be deleted while there is anything at the other end.
    case denyDeleteRule = 3
}

extension NSDeleteRule {
    /// The name that the model editor writes.
    package var modelName: String {
        switch self {
        case .noActionDeleteRule: "No Action"
        case .nullifyDeleteRule: "Nullify"
        case .cascadeDeleteRule: "Cascade"
        case .denyDeleteRule: "Deny"
        }
    }
}
