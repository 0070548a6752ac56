// The commands that write, for tests in which something goes wrong meanwhile: what there is before, what there is after, and
// that there is never anything else.

import CoreData
import Foundation
import Testing

/// A command that makes or changes one file.
struct FaultyJob: Sendable {
    /// What it writes to.
    enum Result {
        case store(String)
        case file(String)
    }

    let name: String
    let arguments: [String]
    let result: Result

    static let all: [FaultyJob] = [
        store(
            "import into a new store", "New.sqlite", "import", "more.json", "--entity", "Hero", "--model",
            Project.heroesModel, "--store"),
        store("import", "Heroes.sqlite", "import", "more.json", "--entity", "Hero", "--store"),
        store("restore into a new store", "New.sqlite", "restore", "theirs.graft", "--batch", "2", "--store"),
        store("restore", "Heroes.sqlite", "restore", "theirs.graft", "--store"),
        store("apply", "Heroes.sqlite", "apply", "diff.json", "--store"),
        store("merge", "Heroes.sqlite", "merge", "Base.sqlite", "Heroes.sqlite", "Theirs.sqlite", "--output"),
        store(
            "merge over a store, large values included", "Place.sqlite", "merge", "Album.sqlite", "Album.sqlite",
            "TheirAlbum.sqlite", "--output"),
        store("migrate", "Heroes.sqlite", "migrate", "--model", "Changed.xcdatamodeld"),
        file("archive", "archive", "Heroes.sqlite", "--output"),
        file("export", "export", "--store", "Heroes.sqlite", "--entity", "Hero", "--output"),
        store(
            "import, large values included", "Place.sqlite", "import", "album.json", "--entity", "Photo", "--store"),
    ]

    private static func store(_ name: String, _ store: String, _ arguments: String...) -> FaultyJob {
        FaultyJob(name: name, arguments: arguments + [store], result: .store(store))
    }

    private static func file(_ name: String, _ arguments: String...) -> FaultyJob {
        FaultyJob(name: name, arguments: arguments + ["out.json"], result: .file("out.json"))
    }

    // MARK: What there is

    /// Makes what all jobs need.
    ///
    /// - Parameter count: How many objects are added by them.
    static func setUp(_ folder: TemporaryFolder, count: Int) throws {
        let heroes = Project.heroes.appending(path: "heroes.json").path
        func run(_ arguments: String...) throws -> ToolRun { try graft(arguments, in: folder).succeeded() }
        _ = try run("import", heroes, "--entity", "Hero", "--store", "Heroes.sqlite", "--model", Project.heroesModel)
        for copy in ["Base.sqlite", "Theirs.sqlite"] {
            try FileManager.default.copyItem(atPath: folder.path("Heroes.sqlite"), toPath: folder.path(copy))
        }
        _ = try folder.file("more.json", generatedHeroes(count))
        _ = try run("import", "more.json", "--entity", "Hero", "--store", "Theirs.sqlite")
        _ = try run("archive", "Theirs.sqlite", "--output", "theirs.graft")
        let diff = try graft("diff", "Base.sqlite", "Theirs.sqlite", "--format", "json", in: folder)
        try diff.output.write(to: folder.url.appending(path: "diff.json"))
        _ = try folder.file("out.json", "what was there before")
        let model = folder.url.appending(path: "Changed.xcdatamodeld")
        try FileManager.default.copyItem(at: URL(filePath: Project.heroesModel), to: model)
        for version in try FileManager.default.contentsOfDirectory(atPath: model.path)
        where version.hasSuffix(".xcdatamodel") {
            let source = model.appending(path: "\(version)/contents")
            try String(contentsOf: source, encoding: .utf8)
                .replacing("<entity name=\"Power\"", with: "<entity name=\"Power\" versionHashModifier=\"2\"")
                .write(to: source, atomically: true, encoding: .utf8)
        }
        try setUpAlbums(folder)
    }

    /// Makes stores with photos that lie beside them. Two versions of an album, and a copy that has gone on.
    private static func setUpAlbums(_ folder: TemporaryFolder) throws {
        func photo(_ id: Int, _ byte: UInt8) -> String {
            #"{"id": \#(id), "data": "\#(Data(repeating: byte, count: 110_000).base64EncodedString())"}"#
        }
        let model = try folder.model(
            """
            <entity name="Photo">\
            <attribute name="id" attributeType="Integer 64"/>\
            <attribute name="title" optional="YES" attributeType="String"/>\
            <attribute name="data" attributeType="Binary" optional="YES" allowsExternalBinaryDataStorage="YES"/>\
            <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            """, named: "Album")
        func put(_ json: String, _ store: String) throws {
            let file = try folder.file("photos.json", json)
            try graft("import", file, "--entity", "Photo", "--store", folder.path(store), "--model", model).succeeded()
        }
        for album in ["Album.sqlite", "TheirAlbum.sqlite"] { try put("[\(photo(1, 1)), \(photo(2, 2))]", album) }
        try graft("copy", folder.path("Album.sqlite"), folder.path("Place.sqlite")).succeeded()
        try put("[\(photo(1, 3)), \(photo(4, 4))]", "Place.sqlite")
        try put(#"[{"id": 2, "title": "Theirs"}]"#, "TheirAlbum.sqlite")
        _ = try folder.file("album.json", "[\(photo(1, 7)), \(photo(5, 5)), \(photo(6, 6))]")
    }

    /// What the job's file holds, as far as it is the same whenever it is made.
    ///
    /// - Throws: Where it is damaged.
    func state(_ folder: TemporaryFolder) throws -> String {
        switch result {
        case .file(let name):
            return String(decoding: try Data(contentsOf: folder.url.appending(path: name)), as: UTF8.self)
        case .store(let name):
            let store = StoreFile(path: folder.path(name))
            guard FileManager.default.fileExists(atPath: store.path) else { return "nothing" }
            try #require(try store.integrity == ["ok"])
            let metadata = try SQLiteStoreFile.metadata(at: URL(filePath: store.path))
            let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
            let versions = hashes.map { "\($0) \($1.base64EncodedString())" }.sorted()
            let counts = try store.content.sorted { $0.key < $1.key }.map { "\($0): \($1.count) rows" }
            // By their identities: keys that a failed run has reserved stay unused.
            let objects = try graft("export", "--store", store.path).succeeded().text
            return (versions + counts + [objects]).joined(separator: "\n")
        }
    }
}

/// A job in a folder that is made anew for each attempt.
final class FaultyWorkshop {
    let job: FaultyJob
    /// Where the job is at work.
    let folder: TemporaryFolder
    let before: String
    let after: String
    /// How long the job takes.
    let duration: Double
    private let template: TemporaryFolder
    private let namesBefore: [String]
    private let namesAfter: [String]

    init(_ job: FaultyJob, template: TemporaryFolder) throws {
        self.job = job
        self.template = template
        folder = try TemporaryFolder()
        try Self.copy(template, to: folder)
        namesBefore = try Self.names(in: folder)
        before = try job.state(folder)
        let start = ContinuousClock.now
        try graft(job.arguments, in: folder).succeeded()
        duration = (ContinuousClock.now - start) / .seconds(1)
        after = try job.state(folder)
        namesAfter = try Self.names(in: folder)
        #expect(before != after, "\(job.name)")
    }

    /// Brings everything back to what was before.
    func reset() throws {
        try FileManager.default.removeItem(at: folder.url)
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        try Self.copy(template, to: folder)
    }

    private static func copy(_ template: TemporaryFolder, to folder: TemporaryFolder) throws {
        for name in try template.names {
            try FileManager.default.copyItem(atPath: template.path(name), toPath: folder.path(name))
        }
    }

    /// Everything in the folder, the files of large values included. The log of a store that is there belongs to it: an error may
    /// leave it open, and whoever opens it next takes the log in. Large values have other names each time.
    private static func names(in folder: TemporaryFolder) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
        let logs = ["-wal", "-shm"].flatMap { ending in names.map { $0 + ending } }
        return Set(names).subtracting(logs).map {
            $0.replacing(/[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/) { _ in "large value" }
        }.sorted()
    }

    /// Checks that nothing has been left beside what was there before.
    func expectNothingElse(_ comment: String) throws {
        let names = try Self.names(in: folder)
        #expect(names == namesBefore, "\(job.name), \(comment)")
    }

    /// Checks that there is what was before or what is to be, and that the next run does the job and leaves nothing else.
    ///
    /// - Parameters:
    ///   - mustBeDone: Whether the job has said that it is done.
    ///   - mayLeaveValues: Whether the files of large values that no row refers to yet may stay, as after a kill.
    func expectWhole(_ comment: String, mustBeDone: Bool = false, mayLeaveValues: Bool = false) throws {
        let state = try job.state(folder)
        #expect(state == after || (!mustBeDone && state == before), "\(job.name), \(comment)")
        guard state != after else { return }
        let again = try graft(job.arguments, in: folder)
        #expect(again.status == 0, "\(job.name), \(comment): \(again.diagnostics)")
        #expect(try job.state(folder) == after, "\(job.name) again, \(comment)")
        func compared(_ names: [String]) -> [String] {
            names.filter { !mayLeaveValues || !$0.hasSuffix("/large value") }
        }
        let names = try Self.names(in: folder)
        #expect(compared(names) == compared(namesAfter), "\(job.name) again, \(comment)")
    }
}
