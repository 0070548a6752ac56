// How the slots of an entity's objects lie in memory. A value of any kind takes 24 bytes; packed by its attribute's type it
// takes 1 to 16, which more than halves what an object needs.

import Foundation

/// The places of an entity's slots in a ``SlotStorage``, in bytes from its beginning.
///
///     first           what is made of words: relationships, texts, large numbers, dates
///     then            smaller numbers, the largest first
///     last            a bit for each slot: whether a packed one has a value
@safe final class SlotForms: @unchecked Sendable {
    // Safe to share: all is set once, by `init`.

    enum Form: Sendable {
        case boolean, integer16, integer32, integer64, double, date, string, data, uuid
        /// A to-one relationship: the destination or its ID.
        case destination
        /// To-many relationships, and attributes whose values have no size of their own.
        case any

        init(_ kind: EntityLayout.Kind) {
            self =
                switch kind {
                case .attribute(.booleanAttributeType): .boolean
                case .attribute(.integer16AttributeType): .integer16
                case .attribute(.integer32AttributeType): .integer32
                case .attribute(.integer64AttributeType): .integer64
                case .attribute(.doubleAttributeType), .attribute(.floatAttributeType): .double
                case .attribute(.dateAttributeType): .date
                case .attribute(.stringAttributeType): .string
                case .attribute(.binaryDataAttributeType): .data
                case .attribute(.UUIDAttributeType): .uuid
                case .toOne: .destination
                case .attribute, .toMany: .any
                }
        }

        /// Whether copying and dropping the value counts references.
        var isManaged: Bool {
            switch self {
            case .boolean, .integer16, .integer32, .integer64, .double, .date, .uuid: false
            case .string, .data, .destination, .any: true
            }
        }

        fileprivate var layout: (size: Int, alignment: Int) {
            func layout<T>(_ type: T.Type) -> (Int, Int) { (MemoryLayout<T>.stride, MemoryLayout<T>.alignment) }
            return switch self {
            case .boolean: layout(Bool.self)
            case .integer16: layout(Int16.self)
            case .integer32: layout(Int32.self)
            case .integer64: layout(Int64.self)
            case .double, .date: layout(Double.self)
            case .string: layout(String.self)
            case .data: layout(Data.self)
            case .uuid: layout(UUID.self)
            case .destination: layout(NSObject.self)
            case .any: layout(ManagedValue.self)
            }
        }
    }

    struct Place: Sendable {
        let slot: Int32
        let form: Form
        let offset: Int32
    }

    let count: Int
    /// By slot. A list of its own, because an array would be retained for each look at it.
    private let places: UnsafeMutablePointer<Place>
    /// Those whose values are counted.
    let managed: [Place]
    /// Where the bits begin.
    let bits: Int
    /// The size of everything, in words of 8 bytes, to which all is aligned at most.
    let wordCount: Int

    init(_ kinds: [EntityLayout.Kind]) {
        let forms = kinds.map(Form.init)
        var places = forms.enumerated().map { Place(slot: Int32($0), form: $1, offset: 0) }
        var end = 0
        let order = forms.indices.sorted { one, other in
            let (first, second) = (forms[one].layout.alignment, forms[other].layout.alignment)
            return first == second ? one < other : first > second
        }
        for slot in order {
            places[slot] = Place(slot: Int32(slot), form: forms[slot], offset: Int32(end))
            end += forms[slot].layout.size
        }
        bits = end
        wordCount = (end + (kinds.count + 7) / 8 + 7) / 8
        managed = places.filter(\.form.isManaged)
        count = places.count
        unsafe self.places = UnsafeMutablePointer.allocate(capacity: places.count)
        for (slot, place) in places.enumerated() { unsafe (self.places + slot).initialize(to: place) }
    }

    deinit { unsafe places.deallocate() }

    @inline(__always)
    subscript(slot: Int) -> Place {
        precondition(slot >= 0 && slot < count)
        // Safe: all places up to the count have been initialised.
        return unsafe places[slot]
    }
}
