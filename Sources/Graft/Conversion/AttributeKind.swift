// The types of attributes, as far as conversion has to tell them apart. Whoever knows Core Data maps its types to these.

/// What type of value an attribute holds.
package enum AttributeKind: String, Hashable, Sendable, CaseIterable, Codable {
    case integer16, integer32, integer64
    case boolean
    case double, float
    case decimal
    case string
    case date
    case uuid
    case uri
    case binary
    case transformable
}

extension AttributeKind {
    /// Whether what was expected somewhere is a value of an attribute, which a transformer could make. An object of another entity
    /// or class, or a list, is nothing that it could.
    static func isNamed(in expected: String) -> Bool {
        allCases.contains { expected == $0.description } || expected.hasPrefix("\(AttributeKind.date) in the form")
    }
}

extension AttributeKind: CustomStringConvertible {
    /// The type's name in Xcode's model editor.
    var modelName: String {
        switch self {
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .boolean: "Boolean"
        case .double: "Double"
        case .float: "Float"
        case .decimal: "Decimal"
        case .string: "String"
        case .date: "Date"
        case .uuid: "UUID"
        case .uri: "URI"
        case .binary: "Binary"
        case .transformable: "Transformable"
        }
    }

    /// The type as errors name it.
    package var description: String {
        switch self {
        case .integer16, .integer32, .integer64: "an \(modelName)"
        case .binary: "Binary Data in Base64"
        default: "a \(modelName)"
        }
    }

    /// What the type can hold, for errors about values that it can't.
    var range: String {
        switch self {
        case .integer16: "\(Int16.min) to \(Int16.max)"
        case .integer32: "\(Int32.min) to \(Int32.max)"
        case .integer64: "\(Int64.min) to \(Int64.max)"
        case .double: "up to \(Double.greatestFiniteMagnitude)"
        case .float: "up to \(Float.greatestFiniteMagnitude)"
        case .decimal: "38 digits, or 39 up to 2^128, and exponents from -128 to 127"
        case .date: "years up to 292 billion before and after 2001"
        default: "any"
        }
    }

    /// The dates that numbers are where no format says what they mean, for errors.
    static let plainYears = "years 1 to 9999, unless a format says what numbers are"

    /// The integers that an integer type can hold.
    var integers: ClosedRange<Int64> {
        switch self {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        default: .min ... .max
        }
    }
}
