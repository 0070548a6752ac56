// How managed objects are encoded and decoded, and how a coder gets to know: its userInfo is the only way in.

public import CoreData
import Foundation

/// The options of ``ManagedCodable`` and ``EncodableGraph``.
public struct ManagedCodingOptions: Sendable {
    /// Under which keys properties stand.
    public enum Keys: Sendable, CaseIterable {
        /// Under their names. The coder's own key strategy applies.
        case propertyNames
        /// Where the model's mapping has them: key paths, naming rules and transformers, as in an import.
        case mapping
    }

    /// What decoding does where the context or the store has an object with the same identity.
    public enum ExistingObjects: Sendable, CaseIterable {
        /// Nothing: each decoded object is new.
        case insert
        /// It is updated; where there is none, the object is new.
        case updateOrInsert
        /// It is updated; where there is none, that is an error.
        case update
    }

    /// Under which keys properties stand.
    public var keys = Keys.propertyNames

    /// What decoding does with objects that are there already. A nested object without identity is the equal one of those that its
    /// owner has; at the top, it is always new or, for ``ExistingObjects/update``, an error.
    public var existingObjects = ExistingObjects.updateOrInsert

    /// Whether null is written for a property without a value. Otherwise its key is left out, unless the model has a default value,
    /// which a new object would have then.
    public var includesNulls = false

    /// Which relationships are encoded. Decoding reads those that are there.
    public var relationships = DictionaryOptions.Relationships.all

    /// How deep objects may be nested in each other. Coders take stack for each level.
    public var maximumNesting = 200

    /// The default options.
    public init() {}
}

extension CodingUserInfoKey {
    /// The context that decoded objects are made in: an `NSManagedObjectContext`. Code written for Apple's platforms usually
    /// declares this key itself, with the same raw value.
    public static let managedObjectContext = CodingUserInfoKey(checked: "managedObjectContext")

    /// The ``ManagedCodingOptions`` of a coder.
    public static let managedCodingOptions = CodingUserInfoKey(checked: "managedCodingOptions")

    private init(checked name: String) {
        guard let key = CodingUserInfoKey(rawValue: name) else {
            fatalError("CodingUserInfoKey(rawValue:) takes any text.")
        }
        self = key
    }
}

/// A coder with a `userInfo`: what Foundation's decoders and encoders have in common. For a third party's coder that can be set
/// up the same way, an empty conformance gives it ``managedCodingOptions``.
public protocol ManagedCodingConfigurable: AnyObject {
    /// What is handed to the types that the coder codes.
    var userInfo: [CodingUserInfoKey: any Sendable] { get set }
}

/// A decoder that can be told which context its objects are made in.
public protocol ManagedDecodingConfigurable: ManagedCodingConfigurable {}

extension ManagedCodingConfigurable {
    /// How managed objects are coded; `userInfo` holds it.
    public var managedCodingOptions: ManagedCodingOptions {
        get { userInfo[.managedCodingOptions] as? ManagedCodingOptions ?? ManagedCodingOptions() }
        set { userInfo[.managedCodingOptions] = newValue }
    }
}

extension ManagedDecodingConfigurable {
    /// The context that decoded objects are made in; `userInfo` holds it.
    public var managedObjectContext: NSManagedObjectContext? {
        get { userInfo[.managedObjectContext] as? NSManagedObjectContext }
        set { userInfo[.managedObjectContext] = newValue }
    }
}

extension JSONEncoder: ManagedCodingConfigurable {}
extension JSONDecoder: ManagedDecodingConfigurable {}
extension PropertyListEncoder: ManagedCodingConfigurable {}
extension PropertyListDecoder: ManagedDecodingConfigurable {}
