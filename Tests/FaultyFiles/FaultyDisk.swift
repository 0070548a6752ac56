// A folder for stores whose disk fails when a test says so.

private import CFaultyFiles
package import Foundation

/// A folder on a disk of which the n-th operation fails.
@safe package final class FaultyDisk {
    /// What may fail.
    package struct Operations: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        private init(_ kind: some BinaryInteger) { rawValue = Int(kind) }

        package static let open = Operations(FAULTY_OPEN)
        package static let read = Operations(FAULTY_READ)
        package static let write = Operations(FAULTY_WRITE)
        package static let sync = Operations(FAULTY_SYNC)
        package static let truncate = Operations(FAULTY_TRUNCATE)
        package static let lock = Operations(FAULTY_LOCK)
        package static let delete = Operations(FAULTY_DELETE)
        package static let look = Operations(FAULTY_LOOK)
        package static let any = Operations(FAULTY_ANY)
    }

    package enum Fault: CaseIterable, Sendable {
        /// One operation fails.
        case once
        /// All operations fail from then on: the disk is full, or gone.
        case fromThenOn
        /// The power goes.
        case crash

        /// Where a short trial begins.
        var firstNumber: Int {
            switch self {
            case .once: 1
            case .fromThenOn: 2
            case .crash: 3
            }
        }

        fileprivate var mode: FaultyMode {
            switch self {
            case .once: .once
            case .fromThenOn: .fromThenOn
            case .crash: .crash
            }
        }
    }

    package let folder: URL
    /// Safe: made in the initializer, ended in the deinitializer, and nobody else sees it.
    private let device: OpaquePointer

    /// Makes an empty folder.
    package init() throws {
        folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "graft-faults-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        unsafe device = faulty_device_make(folder.path)
    }

    deinit {
        unsafe faulty_device_free(device)
        // What stays is in a folder for temporary files.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Lets an operation fail, counted from 1 and from now.
    package func arm(_ operations: Operations, at number: Int, _ fault: Fault) {
        unsafe faulty_device_arm(device, Int32(operations.rawValue), number, fault.mode)
    }

    /// Lets everything work again, unless the power is gone, and says how many operations have failed.
    package func disarm() -> Int { unsafe faulty_device_disarm(device) }

    /// Brings the power back. What was written and not synchronized is lost, there, or torn, as the seed has it.
    package func restart(seed: UInt64) { unsafe faulty_device_restart(device, seed) }

    /// The files of the folder that this process has open.
    package var openFiles: [String] {
        get throws {
            let table = "/proc/self/fd"
            return try FileManager.default.contentsOfDirectory(atPath: table).compactMap { number in
                // A descriptor of another thread may be closed by now.
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(table)/\(number)")
                return target.flatMap { $0.hasPrefix(folder.path) ? $0 : nil }
            }.sorted()
        }
    }
}
