// Objects of transformable attributes that aren't trees: the bytes that a store keeps for them.

import CoreData
import Foundation

extension GraphValue {
    /// The value of a transformable attribute for an object that is no tree.
    ///
    /// - Throws: ``GraftError`` with `notRepresentable` where the object can't be archived.
    init(archiving object: Any, _ transformerName: String?) throws {
        do {
            #if canImport(Darwin) || GRAFT_PORTABLE
                // Read back in `assign(_:_:_:)` without the transformer.
                let bytes = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
            #else
                let bytes = try TransformableValue(object: object, transformerName: transformerName).storedBytes()
            #endif
            self = .encoded(bytes)
        } catch {
            throw GraftError(
                .notRepresentable(value: "the \(type(of: object)) \(object)", format: "a store"), underlying: error)
        }
    }
}

extension GraphValue {
    /// The value as an object of a store would have it: a tree where the bytes of a transformable attribute are one.
    ///
    /// - Parameter transformerName: The transformer that the attribute is stored with.
    func tree(_ transformerName: String?) -> GraphValue {
        guard case .encoded(let bytes) = self else { return self }
        #if canImport(Darwin)
            let object = try? Self.unarchived(bytes)
        #else
            let object = TransformableValue(stored: bytes, transformerName: transformerName).object
        #endif
        return object.flatMap { JSONValue(object: $0) }.map(GraphValue.json) ?? self
    }

    /// The object of a keyed archive.
    static func unarchived(_ bytes: Data) throws -> Any? {
        #if canImport(Darwin)
            try NSKeyedUnarchiver.unarchiveTopLevelObjectWithData(bytes)
        #else
            // Foundation on Linux ends the process over bytes that are no archive.
            TransformableValue(stored: bytes, transformerName: nil).object
        #endif
    }
}
