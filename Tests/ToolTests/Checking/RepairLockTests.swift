// The copy that `graft check --repair` makes first is made within the repair's transaction. Looking at the store's first bytes opens
// and closes the file, and with any descriptor of it POSIX takes the process's locks on it away: from then on others may write.

import Foundation
import GRDB
import TestSupport
import Testing

@Suite struct RepairLockTests {
    @Test func `nobody else can write between the copy before a repair and the end of the repair`() throws {
        let folder = try TemporaryFolder()
        let model = try folder.model(
            """
            <entity name="Goal"><attribute name="name" optional="YES" attributeType="String"/></entity>
            <entity name="Item"><attribute name="id" optional="YES" attributeType="Integer 64"/>
              <relationship name="goal" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Goal"/>
              <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            """)
        let store = folder.path("Items.sqlite"), backup = folder.path("Before.sqlite")
        let records = (1...3000).map { #"{"id": \#($0)}"# }.joined(separator: ",")
        let data = try folder.file("items.json", "[\(records)]")
        try graft("import", data, "--entity", "Item", "--store", store, "--model", model).succeeded()
        // In rollback mode, all locks are on the file itself.
        try StoreSQL.run("PRAGMA journal_mode = DELETE; UPDATE ZITEM SET ZGOAL = 99", at: URL(filePath: store))

        let process = Process(), output = Pipe()
        process.executableURL = Project.executable
        process.arguments = ["check", store, "--repair", "--backup", backup]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let deadline = Date(timeIntervalSinceNow: 60)
        while !FileManager.default.fileExists(atPath: backup), process.isRunning, Date() < deadline {
            Thread.sleep(forTimeInterval: 0.05)
        }
        // It lists what it finds within its transaction; more than a pipe takes, so that it waits for a reader.
        Thread.sleep(forTimeInterval: 1)
        #expect(process.isRunning)
        let other = try DatabaseQueue(path: store)
        #expect(throws: DatabaseError.self) {
            try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE; ROLLBACK") }
        }
        try other.close()

        _ = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try StoreFile(path: store).count("ZITEM", where: "ZGOAL IS NOT NULL") == 0)
    }
}
