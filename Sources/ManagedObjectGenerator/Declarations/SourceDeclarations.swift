// What one Swift file declares, as far as managed objects need it.

/// The declarations of one file.
package struct SourceDeclarations: Equatable, Sendable {
    package struct Alias: Equatable, Sendable {
        package var path: [String]
        package var type: WrittenType

        package init(path: [String], type: WrittenType) {
            self.path = path
            self.type = type
        }
    }

    /// Why other files can't name a type, or can't add to it.
    package enum Hiding: Sendable {
        case `private`, generic
        /// Bound to an actor.
        case actor
    }

    /// A name in a file.
    package struct Use: Equatable, Sendable {
        package var name: String
        package var place: SourcePlace
    }

    /// The paths of the types, with their kinds.
    package var nominals: [[NominalType.Step]] = []
    package var aliases: [Alias] = []
    package var members: [ManagedMember] = []
    /// What classes have written themselves.
    package var written: [WrittenMember] = []
    /// What a class says it inherits and conforms to, by its dotted path.
    package var inherited: [String: [WrittenType]] = [:]
    /// The types that other files can't name or extend, by their dotted paths.
    package var hidden: [String: Hiding] = [:]
    /// Where @NSManaged stands in the body of a function or closure.
    package var localMembers: [SourcePlace] = []
    package var imports: Set<String> = []
    /// The first thing of Core Data's that the file names.
    package var coreDataUse: Use?
    /// Whether the file names `NSCompoundPredicate`.
    package var namesCompounds = false

    package init() {}

    /// Reads a file's text. Takes any text: what is no Swift declares nothing.
    ///
    /// - Parameters:
    ///   - text: Its text.
    ///   - file: Its path, for messages.
    package init(scanning text: String, file: String) {
        var scanner = DeclarationScanner(text, file: file)
        self = scanner.scan()
    }
}
