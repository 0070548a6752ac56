// Objects of transformable attributes that aren't trees: the bytes that a store keeps for them.

import CoreData
import Foundation

extension GraphValue {
    /// The value of a transformable attribute for an object that is no tree.
    ///
    /// - Throws: ``GraftError`` with `notRepresentable` where the object can't be archived.
    init(archiving object: Any, _ transformerName: String?) throws {
        do {
            #if canImport(Darwin)
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
