// The locks that POSIX keeps on files, by process: closing any descriptor of a file takes those of the process away.

package import Foundation

package enum FileLocks {
    /// Whether there is a Python, which asks for them.
    package static let canBeAsked =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
        || ProcessInfo.processInfo.environment["PATH"].map { path in
            path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
        } == true

    /// Whether somebody has the shared lock of a database's readers: another process tries to lock the same bytes alone.
    ///
    /// `/proc/locks` isn't to be asked: it leaves lines out while other locks come and go.
    package static func isRead(_ url: URL) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program, url.path]
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, [0, 3].contains(process.terminationStatus) else {
            throw CocoaError(.executableLoad)
        }
        return process.terminationStatus == 3
    }

    /// The bytes are of SQLite's file format: 510 after the pending byte and the reserved one.
    private static let program = """
        import fcntl, sys
        try:
            fcntl.lockf(open(sys.argv[1], "r+b"), fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
        except BlockingIOError:
            sys.exit(3)
        """
}
