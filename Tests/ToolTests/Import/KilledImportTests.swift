// An import that is killed, interrupted or runs out of space. What was saved are whole batches; nothing else is there.

import Foundation
import GRDB
import Testing

@Suite struct KilledImportTests {
    private let folder: TemporaryFolder
    private let input: String
    private let count = Laws.count(4_000, otherwise: 2_000)
    private static let joinTable =
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z!_%POWERS' ESCAPE '!'"

    init() throws {
        folder = try TemporaryFolder()
        input = try folder.file("input.json", generatedHeroes(count, sharing: false))
    }

    private func arguments(store: String, batch: Int?) -> [String] {
        ["import", input, "--entity", "Hero", "--store", store, "--model", Project.heroesModel]
            + (batch.map { ["--batch", "\($0)"] } ?? [])
    }

    /// Kills an import some time after it got a part of its input. It waits for the rest, so that it can't be over before.
    private func killing(store: String, batch: Int, part: Double, delay: Double) throws {
        let bytes = try Int(Double(Data(contentsOf: URL(fileURLWithPath: input)).count) * part)
        let run = try shell(
            """
            rm -f rest
            mkfifo rest
            { head -c \(bytes) input.json; cat rest; } |
                "$GRAFT" import - --entity Hero --store '\(store)' --model '\(Project.heroesModel)' --batch \(batch) &
            sleep \(delay)
            kill -KILL $!
            : > rest
            status=0
            wait $! || status=$?
            rm rest
            exit $status
            """, in: folder)
        #expect(run.status == 128 + SIGKILL, "\(run.diagnostics)")
    }

    @Test(.timeLimit(.minutes(10)))
    func `a killed import leaves whole batches`() throws {
        let batch = 300
        let empty = folder.path("Empty.sqlite")
        try graft(
            "import", folder.file("empty.json", "[]"), "--entity", "Hero", "--store", empty, "--model",
            Project.heroesModel
        ).succeeded()
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SeededGenerator(seed: seed)
        for round in 1...Laws.count(30, otherwise: 6) {
            let store = StoreFile(path: folder.path("Killed\(round).sqlite"))
            try FileManager.default.copyItem(atPath: empty, toPath: store.path)
            let part = Double.random(in: 0..<1, using: &numbers)
            let delay = Double.random(in: 0...0.5, using: &numbers)
            try killing(store: store.path, batch: batch, part: part, delay: delay)
            try #require(try store.integrity == ["ok"], "seed \(seed), round \(round)")
            try expectWholeBatches(store, of: batch, "seed \(seed), round \(round), \(part) after \(delay) s")
            // The store opens, and the same import completes it.
            try graft(arguments(store: store.path, batch: batch)).succeeded()
            #expect(try store.count("ZCHARACTER") == count)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a killed import leaves no new store, and the next one takes away what is left of it`() throws {
        let store = folder.path("New.sqlite")
        var (round, left) = (0, 0)
        // Until one was killed when it had begun to write.
        while round < 6 || left == 0 {
            round += 1
            try killing(store: store, batch: 300, part: 0.9, delay: 0.1 * Double(round))
            #expect(!FileManager.default.fileExists(atPath: store), "round \(round)")
            left += try folder.names.count { $0.hasPrefix(".graft-") }
        }
        try graft(arguments(store: store, batch: 300)).succeeded()
        #expect(try folder.names.filter { $0.hasPrefix(".graft-") || $0.contains("_SUPPORT") } == [])
        #expect(try StoreFile(path: store).count("ZCHARACTER") == count)
    }

    @Test func `a draft that somebody is still at work on is left alone`() throws {
        let store = folder.path("New.sqlite")
        let draft = try folder.file(".graft-12345678-New.sqlite", "theirs")
        // Closed in the processes that other tests start meanwhile, which would hold the lock for as long as they run.
        // Safe: the path is a string, which the call copies.
        let lock = unsafe open(try folder.file(".graft-12345678-New.sqlite.lock", ""), O_RDWR | O_CLOEXEC)
        #expect(flock(lock, LOCK_EX) == 0)
        try graft(arguments(store: store, batch: nil)).succeeded()
        #expect(FileManager.default.fileExists(atPath: draft))
        close(lock)
        try FileManager.default.removeItem(atPath: store)
        try graft(arguments(store: store, batch: nil)).succeeded()
        #expect(!FileManager.default.fileExists(atPath: draft))
    }

    private func expectWholeBatches(_ store: StoreFile, of batch: Int, _ comment: Comment) throws {
        // Before the first batch there may be no tables yet.
        guard try store.count("sqlite_master", where: "name = 'ZCHARACTER'") == 1 else { return }
        let heroes = try store.count("ZCHARACTER")
        #expect(heroes % (batch / 3) == 0, comment)
        // Each hero came with a publisher and a power of its own, and with what connects them.
        #expect(try store.count("ZPUBLISHER") == heroes && store.count("ZPOWER") == heroes, comment)
        #expect(try store.count("ZCHARACTER", where: "ZPUBLISHER IS NULL OR ZNAME IS NULL") == 0, comment)
        let joins = try store.read { try String.fetchOne($0, sql: Self.joinTable) }
        #expect(try store.count(#require(joins)) == heroes, comment)
        // The key counter has to be ahead of every key, or the next import would use one twice.
        let ahead = "Z_NAME = 'Character' AND Z_MAX >= (SELECT COALESCE(MAX(Z_PK), 0) FROM ZCHARACTER)"
        #expect(try store.count("Z_PRIMARYKEY", where: ahead) == 1, comment)
    }

    /// Interrupts an import that waits for the second half of its input, so that it can't be over before the signal.
    private func interrupting(_ signal: String, store: String) throws -> ToolRun {
        let half = try Data(contentsOf: URL(fileURLWithPath: input)).count / 2
        // The tool catches the signals as long as it listens for them, and no longer the one that it has heard. One that
        // hears nothing for minutes is killed. A process that has ended may have no status any more, which is none that
        // listens, and nothing to say among the tool's own words. The second half follows in any case, so that whoever feeds
        // the tool never waits for a shell that is gone; that the tool doesn't take it is nothing to say, either.
        return try shell(
            """
            heard=${TMPDIR:-/tmp}/graft-heard.$$
            { head -c \(half) input.json; until [ -e "$heard" ] || ! kill -0 $$; do sleep 0.01; done
                rm -f "$heard"; tail -c +\(half + 1) input.json 2>/dev/null; } |
                "$GRAFT" import - --entity Hero --store '\(store)' --model '\(Project.heroesModel)' &
            listens() {
                mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
                [ $((0x${mask:-0} & 0x4003)) -eq $((0x4003)) ]
            }
            until listens $! || [ ! -e "/proc/$!/exe" ]; do sleep 0.01; done
            kill -s \(signal) $!
            tries=0
            while listens $! && [ $((tries += 1)) -le 6000 ]; do sleep 0.01; done
            if [ $tries -gt 6000 ]; then kill -KILL $!; fi
            touch "$heard"
            status=0
            wait $! || status=$?
            # Whoever feeds the import may not have seen yet that it is over.
            wait
            exit $status
            """, in: folder)
    }

    @Test(arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)] as [(String, Int32)])
    func `an interrupted import leaves the store as it was, and its exit code names the signal`(
        _ signal: String, _ code: Int32
    ) throws {
        let store = StoreFile(path: try heroStore(in: folder))
        let content = try store.content
        try interrupting(signal, store: store.path).failed(code: code, saying: "cancelled")
        #expect(try store.content == content)
    }

    @Test func `an interrupted import leaves no new store behind`() throws {
        try interrupting("INT", store: folder.path("New.sqlite")).failed(code: 130, saying: "cancelled")
        #expect(try folder.names == ["input.json"])
    }

    @Test func `a full disk leaves the store as it was`() throws {
        let store = StoreFile(path: try heroStore(in: folder))
        let content = try store.contentWithoutKeyCounters
        // No file may grow beyond 128 kB, which is where the store's log is soon. 512 bytes a block, says POSIX.
        let run = try shell(
            "ulimit -f 256; exec \"$GRAFT\" import '\(input)' --entity Hero --store '\(store.path)'", in: folder)
        run.failed(saying: "Heroes.sqlite", "Check the free space")
        #expect(!run.diagnostics.contains("PRAGMA") && !run.diagnostics.contains("integrity"))
        #expect(!run.diagnostics.contains("damage"))
        #expect(try store.integrity == ["ok"])
        // Keys that the failed save had reserved aren't used again, in Core Data neither; all else is as before.
        #expect(try store.contentWithoutKeyCounters == content)
    }

    @Test func `a full disk leaves no new store behind`() throws {
        let run = try shell(
            "ulimit -f 256; exec \"$GRAFT\" import '\(input)' --entity Hero --store New.sqlite --model "
                + "'\(Project.heroesModel)'", in: folder)
        run.failed(saying: "New.sqlite", "Check the free space")
        #expect(try folder.names == ["input.json"])
    }
}
