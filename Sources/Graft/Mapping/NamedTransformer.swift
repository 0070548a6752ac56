// Value transformers that annotations name, looked up once, when the mapping is compiled.

import CoreData
import Foundation

/// A registered value transformer.
struct NamedTransformer: @unchecked Sendable {
    // Safe: a registered transformer may be called from any thread, as Foundation's contract has it.
    let name: String
    private let transformer: ValueTransformer

    /// Finds a transformer; nil where none is registered under the name.
    init?(named name: String) {
        guard let transformer = ValueTransformer(forName: NSValueTransformerName(name)) else { return nil }
        self.name = name
        self.transformer = transformer
    }

    /// Whether values can also be turned back into JSON.
    var isReversible: Bool { type(of: transformer).allowsReverseTransformation() }

    /// The attribute's value for a JSON value; nil where the transformer refuses it. `NSNull` is no value.
    func value(for json: JSONValue) -> Any? { transformer.transformedValue(json.object) }

    /// What is wrong with a value that the transformer refuses.
    func refusal(of words: String) -> GraftError.Problem {
        .wrongType(found: words, expected: "what the transformer '\(name)' takes")
    }

    /// What the transformer makes of an object.
    func transformedObject(_ object: Any) -> Any? { transformer.transformedValue(object) }

    /// The JSON value for an attribute's value; nil for none.
    func json(for value: Any) -> Any? { transformer.reverseTransformedValue(value) }
}
