// Temporary IDs are counted; a UUID is made from the count only where the URI is asked for.

import Foundation
import Synchronization

enum TemporaryObjectIDs {
    private static let next = Atomic<Int64>(1)
    /// Distinguishes the temporary URIs of two processes.
    private static let process = UUID()

    static func make(for entity: NSEntityDescription) -> NSManagedObjectID {
        NSManagedObjectID(entity: entity, space: .temporary, number: nextNumber())
    }

    static func nextNumber() -> Int64 { next.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// The process's UUID with the count in its last eight bytes.
    static func uuid(for number: Int64) -> UUID {
        var bytes = process.uuid
        let tail = UInt64(bitPattern: number)
        bytes.8 = UInt8(truncatingIfNeeded: tail >> 56)
        bytes.9 = UInt8(truncatingIfNeeded: tail >> 48)
        bytes.10 = UInt8(truncatingIfNeeded: tail >> 40)
        bytes.11 = UInt8(truncatingIfNeeded: tail >> 32)
        bytes.12 = UInt8(truncatingIfNeeded: tail >> 24)
        bytes.13 = UInt8(truncatingIfNeeded: tail >> 16)
        bytes.14 = UInt8(truncatingIfNeeded: tail >> 8)
        bytes.15 = UInt8(truncatingIfNeeded: tail)
        return UUID(uuid: bytes)
    }
}
