// Whether a class has a `validateValue(_:forKey:)` of its own. Few have one, and for those alone each value of each object that is saved is
// boxed: a third of what creating and saving objects takes.

extension NSManagedObject {
    /// Whether something that the class has written may look at its values before they are saved.
    var hasWrittenValidation: Bool {
        ValidationOverride.isIn(type(of: self)) || writtenAccessors?.hasValidations ?? false
    }
}

private enum ValidationOverride {
    /// Where a class has the method; nil where that can't be told.
    private static let place: Int? = {
        let places = methodPlaces.filter { place in
            let inherited = method(place, of: NSManagedObject.self)
            return inherited == method(place, of: Silent.self) && inherited != method(place, of: Validating.self)
        }
        return places.count == 1 ? places[0] : nil
    }()

    static func isIn(_ cls: NSManagedObject.Type) -> Bool {
        guard let place else { return true }
        return method(place, of: cls) != method(place, of: NSManagedObject.self)
    }

    /// Two classes that differ by the method alone.
    private final class Silent: NSManagedObject {}
    private final class Validating: NSManagedObject {
        override func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
            try unsafe super.validateValue(value, forKey: key)
        }
    }

    // MARK: Classes in memory

    // Safe: without Objective-C a class has its kind and its superclass, a word each; its flags, where its objects begin, how large they are,
    // two numbers of 16 bits, how large the class is with what stands before it, and how much that is, with 32 bits each; its descriptor; then
    // methods and other words (Swift's ABI document "TypeMetadata"). A subclass has those of its superclass in the same places.

    private static let methodPlaces = {
        let word = MemoryLayout<Int>.size
        let size = load(2 * word + 16, of: NSManagedObject.self, as: UInt32.self)
        let before = load(2 * word + 20, of: NSManagedObject.self, as: UInt32.self)
        return stride(from: 3 * word + 24, to: Int(size) - Int(before), by: word)
    }()

    private static func method(_ place: Int, of cls: NSManagedObject.Type) -> UInt {
        load(place, of: cls, as: UInt.self)
    }

    private static func load<Value: BitwiseCopyable>(_ place: Int, of cls: NSManagedObject.Type, as type: Value.Type)
        -> Value
    {
        unsafe unsafeBitCast(cls, to: UnsafeRawPointer.self).load(fromByteOffset: place, as: type)
    }
}
