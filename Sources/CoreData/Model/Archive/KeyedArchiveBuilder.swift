// A keyed archive that is being written. Objects that refer to each other are numbered before they are filled in.

import Foundation

/// Collects the objects of a keyed archive in the order in which they are first referred to.
struct KeyedArchiveBuilder {
    typealias Field = PropertyListValue.Entry

    static let null = PropertyListValue.uid(0)

    private var objects: [PropertyListValue] = [.string("$null")]
    private var plain: [PlainValue: Int] = [:]
    private var classes: [String: Int] = [:]

    private enum PlainValue: Hashable {
        /// Its bytes: `==` of `String` takes texts in two normal forms as one.
        case text([UInt8])
        case number(Int64)
        case real(UInt64)
        case boolean(Bool)
    }

    /// A number for an object that is filled in later.
    mutating func reserve() -> Int {
        objects.append(.dictionary([]))
        return objects.count - 1
    }

    /// Fills in an object.
    ///
    /// - Parameter classes: The class and its superclasses.
    mutating func fill(_ uid: Int, classes: [String], _ fields: [Field]) {
        let sorted = fields.sorted { $0.key < $1.key }
        objects[uid] = .dictionary([Field("$class", .uid(classReference(classes)))] + sorted)
    }

    mutating func add(classes: [String], _ fields: [Field]) -> PropertyListValue {
        let uid = reserve()
        fill(uid, classes: classes, fields)
        return .uid(uid)
    }

    // MARK: Values

    mutating func text(_ text: String?) -> PropertyListValue {
        guard let text else { return Self.null }
        return shared(.text(Array(text.utf8)), .string(text))
    }

    mutating func boolean(_ value: Bool) -> PropertyListValue { shared(.boolean(value), .boolean(value)) }
    mutating func integer(_ value: Int64) -> PropertyListValue { shared(.number(value), .integer(value)) }
    mutating func real(_ value: Double) -> PropertyListValue { shared(.real(value.bitPattern), .real(value)) }

    /// Any plain value, not shared.
    mutating func plainValue(_ value: PropertyListValue) -> PropertyListValue {
        objects.append(value)
        return .uid(objects.count - 1)
    }

    mutating func array(_ members: [PropertyListValue], isMutable: Bool = false) -> PropertyListValue {
        add(
            classes: (isMutable ? ["NSMutableArray"] : []) + ["NSArray", "NSObject"],
            [Field("NS.objects", .array(members))])
    }

    mutating func set(_ members: [PropertyListValue]) -> PropertyListValue {
        add(classes: ["NSSet", "NSObject"], [Field("NS.objects", .array(members))])
    }

    mutating func dictionary(
        _ entries: [(key: PropertyListValue, value: PropertyListValue)], isMutable: Bool = false
    ) -> PropertyListValue {
        add(
            classes: (isMutable ? ["NSMutableDictionary"] : []) + ["NSDictionary", "NSObject"],
            [Field("NS.keys", .array(entries.map(\.key))), Field("NS.objects", .array(entries.map(\.value)))])
    }

    private mutating func shared(_ key: PlainValue, _ value: PropertyListValue) -> PropertyListValue {
        if let uid = plain[key] { return .uid(uid) }
        objects.append(value)
        plain[key] = objects.count - 1
        return .uid(objects.count - 1)
    }

    private mutating func classReference(_ names: [String]) -> Int {
        let name = names.first ?? "NSObject"
        if let uid = classes[name] { return uid }
        objects.append(
            .dictionary([
                Field("$classes", .array(names.map(PropertyListValue.string))), Field("$classname", .string(name)),
            ]))
        classes[name] = objects.count - 1
        return objects.count - 1
    }

    // MARK: The archive

    func archive(root: Int) -> Data {
        BinaryPropertyListWriter.data(
            of: .dictionary([
                Field("$version", .integer(100_000)), Field("$archiver", .string("NSKeyedArchiver")),
                Field("$top", .dictionary([Field("root", .uid(root))])), Field("$objects", .array(objects)),
            ]))
    }
}
