// Anna and Ben edit the same person and the same addresses while neither has a network, and end up with the same.

import CoreData
import Foundation
import Graft

@MainActor struct Scenario {
    private let anna: Client
    private let ben: Client

    /// Plays the scenario with a server in this process, and prints what happens.
    static func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await GraphServer().run(port: 0) { url in
            try await Scenario(
                anna: Client(storeAt: folder.appendingPathComponent("Anna.sqlite"), server: url),
                ben: Client(storeAt: folder.appendingPathComponent("Ben.sqlite"), server: url)
            ).play()
        }
    }

    private func play() async throws {
        say("Anna enters Ada with two addresses")
        try begin()
        try await synchronize("Anna", anna)
        try await synchronize("Ben", ben)

        say("Both work without a network: Anna")
        try changeByAnna()
        print(try anna.pendingChange().text(DiffRendering(oldName: "server", newName: "Anna")), terminator: "")
        say("Both work without a network: Ben")
        try changeByBen()
        print(try ben.pendingChange().text(DiffRendering(oldName: "server", newName: "Ben")), terminator: "")

        say("The network is back")
        try await synchronize("Ben", ben)
        try await synchronize("Anna", anna)
        for conflict in anna.conflicts {
            let name = "\(conflict.key).\(conflict.property ?? "")"
            print("Anna is asked for \(name): \(conflict.ours) or \(conflict.theirs)? She takes theirs.")
            try anna.settle(conflict, .theirs)
        }
        try await synchronize("Anna", anna)
        try await synchronize("Ben", ben)

        say("Both have")
        print(try People.text(of: anna.context))
        let difference = try GraphDiff(from: anna.context, to: ben.context)
        guard difference.isEmpty else { throw SyncError("they differ:\n\(difference.text())") }
        guard try anna.pendingChange().isEmpty, try ben.pendingChange().isEmpty else {
            throw SyncError("something is still pending")
        }
    }

    private func begin() throws {
        let context = anna.context
        let ada = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        ada.setValuesForKeys(["name": "ada", "firstName": "Ada", "lastName": "Byron", "age": 19, "edited": day(1)])
        for (guid, street, city) in [
            ("home", "13 Piccadilly Terrace", "London"), ("country", "Kirkby Mallory Hall", "Leicestershire"),
        ] {
            let address = NSEntityDescription.insertNewObject(forEntityName: "Address", into: context)
            address.setValuesForKeys(["guid": guid, "street": street, "city": city, "person": ada])
        }
        try context.save()
    }

    private func changeByAnna() throws {
        let ada = try object("Person", "name", "ada", in: anna)
        ada.setValuesForKeys(["lastName": "King", "edited": day(2)])
        try object("Address", "guid", "home", in: anna).setValuesForKeys(["city": "Westminster", "postalCode": "W1J"])
        let office = NSEntityDescription.insertNewObject(forEntityName: "Address", into: anna.context)
        office.setValuesForKeys(["guid": "office", "street": "1 Dorset Street", "city": "London", "person": ada])
        try anna.context.save()
    }

    private func changeByBen() throws {
        try object("Person", "name", "ada", in: ben)
            .setValuesForKeys(["lastName": "Lovelace", "age": 20, "edited": day(3)])
        try object("Address", "guid", "home", in: ben)
            .setValuesForKeys(["street": "12 St James's Square", "city": "City of Westminster"])
        ben.context.delete(try object("Address", "guid", "country", in: ben))
        try ben.context.save()
    }

    private func object(_ entity: String, _ key: String, _ value: String, in client: Client) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "%K == %@", key, value)
        guard let object = try client.context.fetch(request).first else { throw SyncError("there is no \(value)") }
        return object
    }

    private func synchronize(_ name: String, _ client: Client) async throws {
        for line in try await client.synchronize() { print("\(name): \(line)") }
    }

    private func day(_ number: Int) -> Date { Date(timeIntervalSince1970: Double(number) * 86400) }

    private func say(_ words: String) { print("\n== \(words)") }
}
