// `description.setOption(FileProtectionType.complete as NSObject, forKey: NSPersistentStoreFileProtectionKey)`, as applications for
// Apple's platforms say it. Foundation on Linux has the type, and not its form as an object.

import Foundation

extension FileProtectionType: @retroactive _ObjectiveCBridgeable {
    /// The text of the type.
    public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

    /// The type of a text.
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout FileProtectionType?) {
        result = _unconditionallyBridgeFromObjectiveC(source)
    }

    /// The type of a text; there is one of each.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSString, result: inout FileProtectionType?
    ) -> Bool {
        result = _unconditionallyBridgeFromObjectiveC(source)
        return true
    }

    /// The type of a text.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> FileProtectionType {
        FileProtectionType(rawValue: source.map { "\($0)" } ?? "")
    }
}
