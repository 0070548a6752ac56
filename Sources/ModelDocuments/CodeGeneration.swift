// What the model editor calls "Codegen".

/// Which Swift code is made of an entity. The raw values are the model source's.
package enum CodeGeneration: String, Sendable {
    /// Class and properties are written by hand.
    case manual
    /// The class is written by hand, its properties are made.
    case category
    /// Class and properties are made.
    case `class`
}
