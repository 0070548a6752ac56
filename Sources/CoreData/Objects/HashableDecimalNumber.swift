// Decimals that can be in sets. Foundation's on Linux end the process when they are hashed: the hash of an `NSDecimalNumber` asks
// itself.

package import Foundation

/// An `NSDecimalNumber` with a hash. Equal numbers of any class have the same.
package final class HashableDecimalNumber: NSDecimalNumber, @unchecked Sendable {
    // Safe to share: it can't change, as no number can.

    package override init(decimal: Decimal) { super.init(decimal: decimal) }

    package required convenience init(integerLiteral value: Int) { self.init(decimal: Decimal(value)) }
    package required convenience init(floatLiteral value: Double) { self.init(decimal: Decimal(value)) }
    package required convenience init(booleanLiteral value: Bool) { self.init(decimal: value ? 1 : 0) }

    package required convenience init(bytes buffer: UnsafeRawPointer, objCType type: UnsafePointer<Int8>) {
        let number = unsafe NSNumber(bytes: buffer, objCType: type)
        self.init(decimal: number.decimalValue)
    }

    /// An archive has an `NSDecimalNumber`, never one of these.
    package required init?(coder: NSCoder) { nil }

    package override var classForCoder: AnyClass { NSDecimalNumber.self }

    package override var hash: Int { NSNumber(value: doubleValue).hash }
}
