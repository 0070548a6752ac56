// What clients have beside Core Data, and this compiler hasn't: literals of sets, what SwiftPM makes for resources, and accessors for
// properties that are `@NSManaged` on Apple's platforms.

import CoreData
import Foundation

extension Bundle {
    static let module = Bundle.main
}

/// As Core Data's module has it on Linux.
public protocol SetLiteral {}

extension NSSet: SetLiteral {}

extension SetLiteral {
    /// Only declared.
    public init(arrayLiteral elements: Any...) { fatalError("only declared") }
}

extension NSSet: @retroactive ExpressibleByArrayLiteral {}

extension NSManagedObject {
    func modelledValue<Value>(forKey key: String) -> Value { fatalError("only declared") }
    func addModelled(_ objects: Any, forKey key: String) { fatalError("only declared") }
    func removeModelled(_ objects: Any, forKey key: String) { fatalError("only declared") }
    func setModelledValue<Value>(_ value: Value, forKey key: String) { fatalError("only declared") }
}
