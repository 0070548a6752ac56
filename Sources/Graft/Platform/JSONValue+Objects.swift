// Between JSON trees and Foundation's: what a transformable attribute holds, and what value transformers see.

import CoreData
import Foundation

#if canImport(Darwin)
    import CoreFoundation
#endif

extension JSONValue {
    /// The tree of an object that consists of arrays, dictionaries with texts as keys, texts, numbers and nulls; nil for
    /// any other object.
    ///
    /// - Complexity: O(*n*). Foundation on Linux converts a Swift collection with all that is nested in it as soon as it is cast
    ///   to a class, so nothing is cast to one before it is known to be none.
    init?(object: Any) {
        guard let tree = Self.tree(of: object) else { return nil }
        self = tree
    }

    private static func tree(of object: Any) -> JSONValue? {
        switch object {
        case let text as String: .string(text)
        case let dictionary as [String: Any]: tree(of: dictionary)
        case let array as [Any]: tree(of: array)
        case let number as JSONValue.Number: .number(number)
        case is NSNull: .null
        case let number as NSNumber: Self.number(number)
        case let value as Bool: .bool(value)
        case let value as any BinaryInteger: .number(JSONValue.Number(value))
        case let value as Double: JSONValue.Number(fractional: value).map(JSONValue.number)
        case let value as Float: JSONValue.Number(fractional: Double(value)).map(JSONValue.number)
        case let value as Decimal: JSONValue.Number(value).map(JSONValue.number)
        default: nil
        }
    }

    /// An object with its members by key: a dictionary has no order of its own.
    private static func tree(of dictionary: [String: Any]) -> JSONValue? {
        var tree: [JSONValue.Object.Member] = []
        for (key, value) in dictionary.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard let value = JSONValue(object: value) else { return nil }
            tree.append(.init(key: key, value: value))
        }
        return .object(JSONValue.Object(members: tree))
    }

    private static func tree(of array: [Any]) -> JSONValue? {
        var elements: [JSONValue] = []
        for element in array {
            guard let value = JSONValue(object: element) else { return nil }
            elements.append(value)
        }
        return .array(elements)
    }

    private static func number(_ number: NSNumber) -> JSONValue? {
        if number.isBoolean { return .bool(number.boolValue) }
        if let decimal = number as? NSDecimalNumber {
            return JSONValue.Number(decimal.decimalValue).map(JSONValue.number)
        }
        switch unsafe UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            return JSONValue.Number(fractional: number.doubleValue).map(JSONValue.number)
        case UInt8(ascii: "Q"): return .number(JSONValue.Number(number.uint64Value))
        default: return .number(JSONValue.Number(number.int64Value))
        }
    }

    /// The tree, mutable in the places where an older tree is: whoever reads it may count on it.
    func shaped(like old: Any?) -> Any {
        guard let (parts, isMutable) = old.map(Self.parts) else { return object }
        switch (self, parts) {
        case (.array(let elements), let parts as [Any]):
            let made = elements.enumerated().map { $1.shaped(like: $0 < parts.count ? parts[$0] : parts.last) }
            return isMutable ? Self.mutable(made) : made
        case (.object(let object), let parts as [String: Any]):
            let made = Dictionary(
                object.members.map { ($0.key, $0.value.shaped(like: parts[$0.key])) }, uniquingKeysWith: { $1 })
            return isMutable ? Self.mutable(made) : made
        case (.string(let text), _): return isMutable && parts is String ? Self.mutable(text) : text
        default: return object
        }
    }

    /// What can be changed in place.
    private static func mutable(_ content: Any) -> Any {
        #if canImport(Darwin) || GRAFT_PORTABLE
            return switch content {
            case let text as String: NSMutableString(string: text)
            case let array as [Any]: NSMutableArray(array: array)
            case let dictionary as [String: Any]: NSMutableDictionary(dictionary: dictionary)
            default: content
            }
        #else
            return MutableShape(content)
        #endif
    }

    /// What is in a tree, and whether it can be changed in place.
    private static func parts(of old: Any) -> (Any, isMutable: Bool) {
        #if canImport(Darwin) || GRAFT_PORTABLE
            // On Apple's platforms those that can't be changed are of subclasses, too.
            let kind: AnyClass? = (old as? NSObject)?.classForCoder
            let mutable: [AnyClass] = [NSMutableArray.self, NSMutableDictionary.self, NSMutableString.self]
            return (old, mutable.contains { $0 == kind })
        #else
            guard let shape = old as? MutableShape else { return (old, false) }
            return (shape.content, true)
        #endif
    }

    /// The tree in Foundation's classes.
    package var object: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): NSNumber(value: value)
        case .number(let number): number.object
        case .string(let text): text
        case .array(let elements): elements.map(\.object)
        case .object(let object):
            Dictionary(object.members.map { ($0.key, $0.value.object) }, uniquingKeysWith: { $1 })
        }
    }
}

extension JSONValue {
    /// The tree in Foundation's classes, but for numbers that these would write otherwise: they stay as they are until their
    /// attributes' types are known.
    var objectWithTexts: Any {
        switch self {
        case .number(let number):
            let object = number.object
            return JSONValue(object: object).map { $0.isWritten(as: number.text) } ?? false ? object : number
        case .array(let elements): return elements.map(\.objectWithTexts)
        case .object(let object):
            return Dictionary(object.members.map { ($0.key, $0.value.objectWithTexts) }, uniquingKeysWith: { $1 })
        case .null, .bool, .string: return object
        }
    }

    private func isWritten(as text: String) -> Bool {
        if case .number(let number) = self { number.text == text } else { false }
    }
}

extension JSONValue.Number {
    /// A double, which reads as one again: `0.0` and not `0`.
    fileprivate init?(fractional value: Double) {
        guard let number = JSONValue.Number(value) else { return nil }
        self = number.isFractional ? number : JSONValue.Number(checkedText: number.text + ".0")
    }

    /// Whether it is written as a number that may have a fraction.
    private var isFractional: Bool {
        text.utf8.contains { [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains($0) }
    }

    /// The number in the class that holds it exactly, as far as there is one; what is written with a fraction is a double.
    var object: NSNumber { exactObject ?? NSNumber(value: double ?? 0) }

    fileprivate var exactObject: NSNumber? {
        if !isFractional, let value = int64 { return NSNumber(value: value) }
        if let value = double, JSONValue.Number(value) == self { return NSNumber(value: value) }
        return decimal.map { NSDecimalNumber(decimal: $0) }
    }
}

extension JSONValue {
    /// What a tree of objects would have something else in place of: a number that no number of Foundation's holds, or two keys that a
    /// dictionary takes for one, `é` as one scalar and as two. Of a key that is simply repeated, the last value counts.
    struct UnheldPart {
        var problem: GraftError.Problem
        /// Where it is in the tree.
        var path: [GraftError.Place.PathComponent] = []

        fileprivate func below(_ step: GraftError.Place.PathComponent) -> Self {
            UnheldPart(problem: problem, path: [step] + path)
        }
    }

    /// The first part that a tree of objects can't have.
    var unheldPart: UnheldPart? { unheldPart(holdsNumbers: false) }

    /// The first of two keys that a dictionary takes for one.
    var collision: UnheldPart? { unheldPart(holdsNumbers: true) }

    private func unheldPart(holdsNumbers: Bool) -> UnheldPart? {
        switch self {
        case .null, .bool, .string: return nil
        case .number(let number):
            if holdsNumbers || number.exactObject != nil { return nil }
            return UnheldPart(
                problem: .outOfRange(
                    found: "the number \(number.text)", type: "a tree of values",
                    range: "integers of 64 bits, doubles as they are written, and decimals of 38 digits"))
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                if let found = element.unheldPart(holdsNumbers: holdsNumbers) { return found.below(.index(index)) }
            }
        case .object(let object):
            if let key = object.collidingKey {
                let words = "two keys that only their normal forms tell apart are one in a dictionary"
                return UnheldPart(problem: .other(finding: words, remedy: "Rename one of them."), path: [.key(key)])
            }
            for member in object.members {
                if let found = member.value.unheldPart(holdsNumbers: holdsNumbers) {
                    return found.below(.key(member.key))
                }
            }
        }
        return nil
    }

    /// Refuses a tree that objects can't have.
    ///
    /// - Parameter place: Where the tree is.
    func requireHeld(at place: GraftError.Place = .init()) throws(GraftError) {
        if let part = unheldPart { throw GraftError(part.problem, at: place) }
    }
}

extension JSONValue.Object {
    /// The first key that is another one's in another normal form.
    fileprivate var collidingKey: String? {
        guard members.count > 1, members.contains(where: { !$0.key.utf8.allSatisfy { $0 < 0x80 } }) else { return nil }
        var known: [String: String] = [:]
        return members.first { member in
            known.updateValue(member.key, forKey: member.key).map { !$0.hasSameBytes(as: member.key) } ?? false
        }?.key
    }
}

extension NSNumber {
    /// Whether the number was made from a boolean.
    var isBoolean: Bool {
        #if canImport(Darwin)
            CFGetTypeID(self) == CFBooleanGetTypeID()
        #else
            // Foundation keeps booleans as single characters, and nothing else.
            unsafe objCType.pointee == CChar(bitPattern: UInt8(ascii: "c"))
        #endif
    }
}
