// Decoding into a context as one step: everything, or nothing.

public import CoreData
import Foundation

extension NSManagedObjectContext {
    /// Decodes a value whose parts are managed objects, all of them or none.
    ///
    ///     let items = try context.decode([TodoItem].self, from: data, with: JSONDecoder())
    ///
    /// The decoder needn't know the context. Nothing is saved.
    ///
    /// - Parameters:
    ///   - type: What the bytes hold.
    ///   - data: The bytes.
    ///   - decoder: Reads them; its `userInfo` is as before afterwards.
    ///   - options: How managed objects are decoded; nil is what the decoder's `userInfo` says.
    /// - Throws: What the decoder throws. Then the context is as it was before, other unsaved changes included.
    /// - Complexity: Beside decoding, O(*n*) in the objects that have unsaved changes.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, with decoder: JSONDecoder, options: ManagedCodingOptions? = nil
    ) throws -> Value {
        let old = decoder.userInfo
        defer { decoder.userInfo = old }
        decoder.managedObjectContext = self
        if let options { decoder.managedCodingOptions = options }
        return try decodeAtomically { try decoder.decode(type, from: data) }
    }

    /// Decodes a value whose parts are managed objects, all of them or none, with any decoder.
    ///
    ///     try context.decodeAtomically { try YAMLDecoder().decode([Hero].self, from: text, userInfo: info) }
    ///
    /// - Parameter body: Decodes, with a decoder that has this context in its `userInfo`.
    /// - Throws: What the closure throws. Then the context is as it was before.
    public func decodeAtomically<Value>(_ body: () throws -> Value) throws -> Value {
        let session = DecodingSession.of(self)
        let log = ObjectEditor(self, try CompiledModel.of(requiredModel()).schema, takesStock: false)
        let outer = session.log
        session.log = log
        defer { session.log = outer }
        if outer == nil { session.forgetUntold() }
        let givenUpCount = session.givenUpCount
        do {
            let value = try log.atomically {
                let value = try body()
                if outer == nil { try session.deleteGivenUp(log) }
                return value
            }
            log.end(outer)
            return value
        } catch {
            session.givenUpCount = givenUpCount
            if outer == nil { session.forgetGivenUp() }
            throw error
        }
    }
}
