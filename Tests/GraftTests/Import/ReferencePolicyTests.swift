// References to objects that are neither in the data nor in the store: stub, link, defer, fail.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ReferencePolicyTests {
    private func world(_ policy: String, kind: StoreKind = .sqlite) throws -> ImportWorld {
        try ImportWorld(kind) { sketch in
            sketch.entity(
                "Song", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer32AttributeType),
                    .toOne("album", "Album", inverse: "songs").annotated(["JSONReferencePolicy": policy]),
                    .toMany("singers", "Singer", inverse: "songs", isOrdered: true).annotated([
                        "JSONReferencePolicy": policy
                    ]),
                ])
            sketch.entity(
                "Album", info: ["identityAttributes": "id"],
                [.attribute("id", .integer32AttributeType), .toMany("songs", "Song", inverse: "album")])
            sketch.entity(
                "Singer", info: ["identityAttributes": "name"],
                [.attribute("name"), .toMany("songs", "Song", inverse: "singers")])
        }
    }

    @Test func `stub: the object is made with its identity, and counted`() throws {
        let world = try world("stub")
        let report = try world.take(#"{"id": 1, "album": 5, "singers": ["a", "b"]}"#, "Song")
        #expect(report["Album"].stubs == 1)
        #expect(report["Singer"].stubs == 2)
        #expect(report.unresolvedReferences.isEmpty)
        #expect(try world.values("id", of: "Album") == ["5"])
    }

    @Test func `link: what is there is linked, the rest is left out and reported`() throws {
        let world = try world("link")
        try world.take(#"{"name": "b"}"#, "Singer")
        let report = try world.take(#"{"id": 1, "album": 5, "singers": ["a", "b"]}"#, "Song")
        #expect(try world.count("Album") == 0)
        #expect(try world.members("singers", "name", of: "Song", "id", 1) == ["b"])
        #expect(
            report.unresolvedReferences.map(\.description) == [
                "Song [1].album -> Album [5]", #"Song [1].singers -> Singer ["a"]"#,
            ])
    }

    @Test(arguments: ["stub", "link", "defer", "fail"])
    func `dictionaries do with references what an import does`(_ policy: String) throws {
        let songs =
            #"[{"id": 1, "album": 5, "singers": ["a", "b", "a"]}, {"id": 2, "album": {"id": 5}, "singers": ["b"]}]"#
        let texts = [
            (songs, "Song"), (#"[{"id": 5}, {"id": 7}]"#, "Album"), (#"[{"id": 2, "album": 7}]"#, "Song"),
            (#"[{"name": "b"}]"#, "Singer"), (songs, "Song"), (#"[{"id": 2, "album": 9, "singers": []}]"#, "Song"),
            (#"[{"id": 1, "singers": ["b"]}, {"id": 1, "singers": ["c", "b"]}]"#, "Song"),
        ]
        let (imported, populated) = (try world(policy), try world(policy))
        for (text, entity) in texts {
            var said: [[String]] = []
            for (world, take) in [(imported, Self.take), (populated, Self.populate)] {
                do {
                    let report = try take(world, text, entity)
                    said.append(report.unresolvedReferences.map(\.description).sorted())
                } catch let error as GraftError {
                    guard case .unresolvedReference(let entity, let identity) = error.problem else { throw error }
                    said.append([entity, identity, "\(String(describing: error.place.path))"])
                }
            }
            #expect(said[0] == said[1], "\(text)")
            #expect(try picture(imported) == picture(populated), "\(text)")
        }
    }

    private static func take(_ world: ImportWorld, _ text: String, _ entity: String) throws -> ImportReport {
        try world.take(text, entity)
    }

    private static func populate(_ world: ImportWorld, _ text: String, _ entity: String) throws -> ImportReport {
        let dictionaries = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        var options = PopulateOptions()
        options.membersPolicy = .replace
        return try world.stack.perform { context in
            let report = try context.populateObjects(fromDictionaries: dictionaries, entity: entity, options: options)
                .report
            try context.save()
            return report
        }
    }

    private func picture(_ world: ImportWorld) throws -> [String] {
        try world.stack.perform { context in
            func name(_ object: NSManagedObject) -> String {
                "\(object.entity.name ?? "") \(object.value(forKey: object.entity.name == "Singer" ? "name" : "id") ?? "-")"
            }
            return try context.everything().map { "\(name($0)) \($0.linksToRead(name))" }.sorted()
        }
    }

    @Test(arguments: ["link", "defer"], [1, 2, 100])
    func `what a later batch brings is linked where the text has it`(_ policy: String, _ size: Int) throws {
        for saves in [false, true] {
            var world = try world(policy)
            (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
            let sources = [
                (
                    """
                    [{"id": 1, "album": 5, "singers": ["c", "a", "b", "x"]}, {"id": 2, "album": 5, "singers": ["a"]},
                     {"id": 3, "album": 6}, {"id": 3, "album": 7}, {"id": 2, "singers": ["b"]}]
                    """, "Song"
                ), (#"[{"name": "b"}, {"name": "a"}, {"name": "c"}]"#, "Singer"),
                (#"[{"id": 6}, {"id": 5}, {"id": 6, "songs": [1]}, {"id": 7}, {"id": 7}]"#, "Album"),
            ]
            let report = try world.stack.container.importJSON(
                from: sources.map { .data(Data($0.0.utf8), entity: $0.1) }, options: world.options)
            #expect(try world.members("singers", "name", of: "Song", "id", 1) == ["c", "a", "b"])
            #expect(try world.members("singers", "name", of: "Song", "id", 2) == ["b"])
            #expect(try world.members("album", "id", of: "Song", "id", 1) == ["6"])
            #expect(try world.members("album", "id", of: "Song", "id", 2) == ["5"])
            #expect(try world.members("album", "id", of: "Song", "id", 3) == ["7"])
            #expect(report.unresolvedReferences.map(\.description) == [#"Song [1].singers -> Singer ["x"]"#])
        }
    }

    @Test(arguments: ["link", "defer"], [1, 1000])
    func `what the other end says since counts, in batches of any size`(_ policy: String, _ size: Int) throws {
        for saves in [false, true] {
            var world = try ImportWorld(.sqlite) { sketch in
                sketch.entity(
                    "Key", info: ["identityAttributes": "id"],
                    [
                        .attribute("id", .integer64AttributeType),
                        .toOne("lock", "Lock", inverse: "key").annotated(["JSONReferencePolicy": policy]),
                        .toOne("door", "Lock", inverse: "keys").annotated(["JSONReferencePolicy": policy]),
                    ])
                sketch.entity(
                    "Lock", info: ["identityAttributes": "id"],
                    [
                        .attribute("id", .integer64AttributeType), .toOne("key", "Key", inverse: "lock"),
                        .toMany("keys", "Key", inverse: "door"),
                    ])
            }
            (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
            let texts = [
                (#"[{"id": 1, "lock": 5, "door": 5}, {"id": 2, "lock": 5}, {"id": 3, "lock": 5}]"#, "Key"),
                (#"[{"id": 7, "key": 1, "keys": [1]}, {"id": 5}, {"id": 6}]"#, "Lock"),
            ]
            try world.stack.container.importJSON(
                from: texts.map { .data(Data($0.0.utf8), entity: $0.1) }, options: world.options)
            #expect(try world.members("lock", "id", of: "Key", "id", 1) == ["7"])
            #expect(try world.members("door", "id", of: "Key", "id", 1) == ["7"])
            #expect(try world.members("lock", "id", of: "Key", "id", 2) == [])
            #expect(try world.members("lock", "id", of: "Key", "id", 3) == ["5"])
        }
    }

    @Test func `link: a reference to nothing unlinks what was there`() throws {
        let world = try world("link")
        try world.take(#"{"id": 4}"#, "Album")
        try world.take(#"{"id": 1, "album": 4}"#, "Song")
        #expect(try world.members("album", "id", of: "Song", "id", 1) == ["4"])
        try world.take(#"{"id": 1, "album": 5}"#, "Song")
        #expect(try world.members("album", "id", of: "Song", "id", 1) == [])
    }

    @Test(arguments: [1, 100], [false, true])
    func `defer: the object may come later, in another text of the import`(_ batchSize: Int, _ saves: Bool) throws {
        var world = try world("defer")
        world.options.batchSize = batchSize
        world.options.savesEachBatch = saves
        let texts = [
            (#"[{"id": 1, "album": 5, "singers": ["c", "a", "b"]}, {"id": 2, "album": 6, "singers": ["a"]}]"#, "Song"),
            (#"[{"name": "a"}, {"name": "c"}]"#, "Singer"), (#"[{"id": 5}]"#, "Album"),
        ]
        let sources = texts.map { ImportSource.data(Data($0.0.utf8), entity: $0.1) }
        let report = try world.stack.container.importJSON(from: sources, options: world.options)
        #expect(try world.members("album", "id", of: "Song", "id", 1) == ["5"])
        #expect(try world.members("singers", "name", of: "Song", "id", 1) == ["c", "a"])
        #expect(try world.members("singers", "name", of: "Song", "id", 2) == ["a"])
        #expect(try world.count("Album") == 1)
        #expect(
            report.unresolvedReferences.map(\.description) == [
                #"Song [1].singers -> Singer ["b"]"#, "Song [2].album -> Album [6]",
            ])
    }

    @Test func `what is unresolved can be kept as JSON and tried again with the next import, in its place`() throws {
        var world = try world("defer")
        let report = try world.take(#"{"id": 1, "album": 5, "singers": ["c", "a", "b"]}"#, "Song")
        let kept = try JSONEncoder().encode(report.unresolvedReferences)
        #expect(report.unresolvedReferences.count == 4)

        world.options.unresolvedReferences = try JSONDecoder().decode(
            [ImportReport.UnresolvedReference].self, from: kept)
        let next = try world.take(#"[{"name": "b"}, {"name": "c"}]"#, "Singer")
        #expect(next.unresolvedReferences.map(\.destination.identity) == [[.integer(5)], [.string("a")]])
        #expect(next["Song"].updated == 1)
        world.options.unresolvedReferences = []
        try world.take(#"{"name": "a"}"#, "Singer")
        try world.take(#"{"id": 5}"#, "Album")
        try world.stack.perform { context throws in
            #expect(try context.resolve(next.unresolvedReferences).isEmpty)
            try context.save()
        }
        #expect(try world.members("singers", "name", of: "Song", "id", 1).sorted() == ["a", "b", "c"])
        #expect(try world.members("album", "id", of: "Song", "id", 1) == ["5"])
    }

    @Test(arguments: [1, 100], [false, true])
    func `what an import says of a relationship goes before what an earlier one waits for`(
        _ size: Int, _ saves: Bool
    ) throws {
        let waiting = try world("defer").take(#"[{"id": 1, "album": 5, "singers": ["a"]}]"#, "Song")
            .unresolvedReferences
        let texts = [
            (#"[{"id": 1, "album": 7, "singers": ["b"]}]"#, "Song"), (#"[{"name": "a"}, {"name": "b"}]"#, "Singer"),
            (#"[{"id": 5}, {"id": 7}]"#, "Album"),
        ]
        // The song is stored, or comes with this import.
        for first in [#"[{"id": 1, "album": 5, "singers": ["a"]}]"#, "[]"] {
            var world = try world("defer")
            let missing = try world.take(first, "Song").unresolvedReferences
            (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
            world.options.unresolvedReferences = missing.isEmpty ? waiting : missing
            let report = try world.stack.container.importJSON(
                from: texts.map { ImportSource.data(Data($0.0.utf8), entity: $0.1) }, options: world.options)
            #expect(report.unresolvedReferences.isEmpty)
            #expect(try world.members("album", "id", of: "Song", "id", 1) == ["7"])
            #expect(try world.members("singers", "name", of: "Song", "id", 1) == ["b"])
        }
    }

    @Test func `what an owner lacks that comes later is linked, unless that says something else`() throws {
        let waiting = try world("defer").take(#"[{"id": 1, "album": 5, "singers": ["a"]}]"#, "Song")
            .unresolvedReferences
        var world = try world("defer")
        world.options.unresolvedReferences = waiting
        #expect(try world.take(#"[{"id": 5}]"#, "Album").unresolvedReferences == waiting)
        try world.take(#"[{"id": 1}]"#, "Song")
        #expect(try world.members("album", "id", of: "Song", "id", 1) == ["5"])
    }

    @Test func `what an import says once more of a missing object is one reference`() throws {
        var world = try world("defer")
        let text = #"[{"id": 1, "album": 5, "singers": ["a"]}]"#
        let names = [#"Song [1].album -> Album [5]"#, #"Song [1].singers -> Singer ["a"]"#]
        for _ in 0..<3 {
            let report = try world.take(text, "Song")
            #expect(report.unresolvedReferences.map(\.description) == names)
            world.options.unresolvedReferences = report.unresolvedReferences
        }
    }

    @Test func `fail: a missing object is an error with its place, and nothing is imported`() throws {
        let world = try world("fail")
        let error = try #require(world.refuse(#"[{"id": 1}, {"id": 2, "album": 5}]"#, "Song"))
        #expect(error.problem == .unresolvedReference(entity: "Album", identity: "5"))
        #expect(error.place.path == [.index(1)])
        #expect(error.place.entity == "Song")
        #expect(error.place.property == "album")
        #expect(try world.count("Song") == 0)
        // Later in the same import is early enough.
        let sources = [(#"[{"id": 2, "album": 5}]"#, "Song"), (#"{"id": 5}"#, "Album")]
        try world.stack.container.importJSON(from: sources.map { .data(Data($0.0.utf8), entity: $0.1) })
        #expect(try world.members("album", "id", of: "Song", "id", 2) == ["5"])
    }

    @Test(arguments: ["link", "defer", "fail"], [1, 2, 100])
    func `an object that is gone by the end waits for nobody`(_ policy: String, _ size: Int) throws {
        for saves in [false, true] {
            var world = try ImportWorld(.sqlite) { sketch in
                sketch.entity(
                    "Song", info: ["identityAttributes": "id", "JSONDeletedKey": "gone"],
                    [
                        .attribute("id", .integer32AttributeType),
                        .toOne("album", "Album", inverse: "songs").annotated(["JSONReferencePolicy": policy]),
                    ])
                sketch.entity(
                    "Album", info: ["identityAttributes": "id"],
                    [.attribute("id", .integer32AttributeType), .toMany("songs", "Song", inverse: "album")])
            }
            (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
            let songs = """
                [{"id": 1, "album": 5}, {"id": 2, "album": 6}, {"id": 3}, {"id": 1, "gone": true},
                 {"id": 2, "gone": true}, {"id": 4}]
                """
            let report = try world.stack.container.importJSON(
                from: [
                    ImportSource.data(Data(songs.utf8), entity: "Song"),
                    ImportSource.data(Data(#"{"id": 6}"#.utf8), entity: "Album"),
                ], options: world.options)
            #expect(report.unresolvedReferences.isEmpty)
            #expect(try world.values("id", of: "Song") == ["3", "4"])
            #expect(try world.members("songs", "id", of: "Album", "id", 6) == [])
        }
    }

    @Test(arguments: ["link", "defer"], [1, 2, 100])
    func `what arrives is of the sub-entity that the reference to it names`(_ policy: String, _ size: Int) throws {
        for saves in [false, true] {
            var world = try ImportWorld(.sqlite) { sketch in
                sketch.entity(
                    "Owner", info: ["identityAttributes": "id"],
                    [
                        .attribute("id", .integer32AttributeType),
                        .toOne("pet", "Animal", inverse: "owners").annotated(["JSONReferencePolicy": policy]),
                        .toOne("cat", "Cat", inverse: "keepers").annotated(["JSONReferencePolicy": policy]),
                    ])
                sketch.entity(
                    "Animal", info: ["identityAttributes": "id", "JSONEntityKey": "kind"],
                    [
                        .attribute("id", .integer32AttributeType), .attribute("name"),
                        .toMany("owners", "Owner", inverse: "pet"),
                    ])
                sketch.entity("Cat", parent: "Animal", [.toMany("keepers", "Owner", inverse: "cat")])
                sketch.entity("Dog", parent: "Animal", [])
            }
            (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
            let sources = [
                (
                    """
                    [{"id": 1, "pet": {"id": 5, "kind": "Cat"}}, {"id": 2, "cat": 6}, {"id": 3, "pet": 7},
                     {"id": 4, "pet": {"id": 8, "kind": "Cat"}}, {"id": 4, "pet": null}]
                    """, "Owner"
                ),
                (#"[{"id": 5, "name": "a"}, {"id": 6, "name": "b"}, {"id": 7, "kind": "Dog"}, {"id": 8}]"#, "Animal"),
            ].map { ImportSource.data(Data($0.0.utf8), entity: $0.1) }
            let report = try world.stack.container.importJSON(from: sources, options: world.options)
            #expect(report["Cat"].inserted == 2 && report["Dog"].inserted == 1)
            #expect(try world.values("name", of: "Cat") == ["a", "b"])
            #expect(try world.members("pet", "id", of: "Owner", "id", 1) == ["5"])
            #expect(try world.members("cat", "id", of: "Owner", "id", 2) == ["6"])
            #expect(try world.members("pet", "id", of: "Owner", "id", 3) == ["7"])
        }
    }

    @Test func `a nested object with nothing but its identity is a reference, too`() throws {
        let world = try world("link")
        let report = try world.take(#"{"id": 1, "album": {"id": 5}, "singers": [{"name": "a"}]}"#, "Song")
        #expect(report.unresolvedReferences.count == 2)
        #expect(try world.count("Album") == 0)
    }

    @Test func `a policy is one of the relationship: another one may make stubs of the same objects`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "A", info: ["identityAttributes": "id"],
                [
                    .attribute("id"), .toOne("soft", "B").annotated(["JSONReferencePolicy": "link"]),
                    .toOne("hard", "B"),
                ])
            sketch.entity("B", info: ["identityAttributes": "id"], [.attribute("id")])
        }
        try world.take(#"[{"id": "1", "soft": "x"}, {"id": "2", "soft": "y", "hard": "y"}]"#, "A")
        #expect(try world.values("id", of: "B") == ["y"])
        #expect(try world.members("soft", "id", of: "A", "id", "2") == ["y"])
    }

    // MARK: Abstract entities

    @Test(arguments: [1, 2, 100], [false, true])
    func `a reference to an abstract entity's object waits for it, because no stub can be made`(
        _ size: Int, _ saves: Bool
    ) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Animal", isAbstract: true, info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer32AttributeType), .toOne("friend", "Animal", inverse: "friends"),
                    .toMany("friends", "Animal", inverse: "friend"),
                    .toMany("likes", "Animal", inverse: "fans", isOrdered: true),
                    .toMany("fans", "Animal", inverse: "likes"),
                ])
            sketch.entity("Cat", parent: "Animal", [])
            sketch.entity("Dog", parent: "Animal", [])
        }
        (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
        let sources = [
            (#"[{"id": 1, "friend": 9, "likes": [8, 2, 9]}, {"id": 2, "friend": 1}]"#, "Cat"),
            (#"[{"id": 8}, {"id": 9, "friend": 2}]"#, "Dog"),
        ].map { ImportSource.data(Data($0.0.utf8), entity: $0.1) }
        try world.stack.container.importJSON(from: sources, options: world.options)
        #expect(try world.members("friend", "id", of: "Cat", "id", 1) == ["9"])
        #expect(try world.members("likes", "id", of: "Cat", "id", 1) == ["8", "2", "9"])
        #expect(try world.members("friend", "id", of: "Dog", "id", 9) == ["2"])
        let again = try world.stack.container.importJSON(from: sources, options: world.options)
        #expect(again.entities.allSatisfy { $0.counts.inserted == 0 && $0.counts.updated == 0 })
        let error = #expect(throws: GraftError.self) { try world.take(#"{"id": 3, "friend": 77}"#, "Cat") }
        #expect(error?.description.contains("77") == true && error?.description.contains("Cat.friend") == true)
        // Saved batches stay.
        #expect(try world.count("Animal") == (saves ? 5 : 4))
    }

    @Test func `a dictionary that names an abstract entity's object that isn't there is refused`() throws {
        let world = try ImportWorld(.inMemory) { sketch in
            sketch.entity(
                "Animal", isAbstract: true, info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer32AttributeType), .toOne("friend", "Animal", inverse: "friends"),
                    .toMany("friends", "Animal", inverse: "friend"),
                ])
            sketch.entity("Cat", parent: "Animal", [])
        }
        let context = world.stack.container.viewContext
        let cats = [["id": 1, "friend": ["id": 2]], ["id": 2]] as [[String: Any]]
        let objects = try context.populateObjects(fromDictionaries: cats, entity: "Cat").objects
        #expect((objects[0].value(forKey: "friend") as? NSManagedObject) === objects[1])
        let error = #expect(throws: GraftError.self) {
            try context.populateObjects(fromDictionaries: [["id": 3, "friend": ["id": 4]]], entity: "Cat")
        }
        #expect(error?.description.contains("4") == true)
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Animal")) == 2)
    }

    @Test(arguments: ["link", "defer"], [1, 100])
    func `a member that is named twice takes one place`(_ policy: String, _ size: Int) throws {
        for saves in [false, true] {
            var world = try world(policy)
            try world.take(#"[{"name": "g"}, {"name": "h"}]"#, "Singer")
            (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
            try world.stack.container.importJSON(
                from: [
                    ImportSource.data(Data(#"[{"id": 1, "singers": ["g", "g", "z", "h"]}]"#.utf8), entity: "Song"),
                    ImportSource.data(Data(#"[{"name": "z"}]"#.utf8), entity: "Singer"),
                ], options: world.options)
            #expect(try world.members("singers", "name", of: "Song", "id", 1) == ["g", "z", "h"])
        }
    }
}
