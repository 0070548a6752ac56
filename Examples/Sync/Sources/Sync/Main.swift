// Sync                                    plays the scenario
// Sync server [PORT [STORE]]              serves a graph; without a store it is kept in memory
// Sync client URL STORE [EDIT ...]        edits a store and synchronises it; an edit is ENTITY/IDENTITY/PROPERTY=VALUE, and `ours`
//                                         or `theirs` settles what both sides changed

import CoreData
import Foundation
import Graft

@main @MainActor struct Main {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch arguments.first {
            case nil: try await Scenario.run()
            case "server" where arguments.count <= 3: try await serve(Array(arguments.dropFirst()))
            case "client" where arguments.count >= 3: try await edit(Array(arguments.dropFirst()))
            default: throw SyncError("usage: Sync | Sync server [PORT [STORE]] | Sync client URL STORE [EDIT ...]")
            }
        } catch {
            FileHandle.standardError.write(Data("sync: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func serve(_ arguments: [String]) async throws {
        guard let port = UInt16(arguments.first ?? "0") else { throw SyncError("'\(arguments[0])' is no port") }
        let store = arguments.count > 1 ? URL(fileURLWithPath: arguments[1]) : nil
        try await GraphServer(storeAt: store).run(port: port) { url in
            // Written at once, also into a pipe.
            FileHandle.standardOutput.write(Data("\(url.absoluteString)\n".utf8))
            while true { try await Task.sleep(for: .seconds(3600)) }
        }
    }

    private static func edit(_ arguments: [String]) async throws {
        guard let url = URL(string: arguments[0]) else { throw SyncError("'\(arguments[0])' is no URL") }
        let client = try Client(storeAt: URL(fileURLWithPath: arguments[1]), server: url)
        let choices: [String: GraphMerge.Choice] = ["ours": .ours, "theirs": .theirs]
        for edit in arguments.dropFirst(2) where choices[edit] == nil { try client.context.make(edit) }
        try client.context.save()
        for line in try await client.synchronize() { print(line) }
        if let choice = arguments.dropFirst(2).compactMap({ choices[$0] }).last, !client.conflicts.isEmpty {
            for conflict in client.conflicts { try client.settle(conflict, choice) }
            for line in try await client.synchronize() { print(line) }
        }
        for conflict in client.conflicts {
            print("conflict: \(conflict)")
        }
        print(try People.text(of: client.context))
    }
}

extension NSManagedObjectContext {
    /// Makes an edit such as `Person/ada/age=36` or `Address/home/person=ada`. An object that isn't there is made.
    fileprivate func make(_ edit: String) throws {
        let sides = edit.split(separator: "=", maxSplits: 1).map(String.init)
        let path = sides[0].split(separator: "/").map(String.init)
        guard sides.count == 2, path.count == 3, let coordinator = persistentStoreCoordinator,
            let entity = coordinator.managedObjectModel.entitiesByName[path[0]]
        else { throw SyncError("'\(edit)' isn't ENTITY/IDENTITY/PROPERTY=VALUE") }
        let target = try object(entity, path[1])
        if let destination = entity.relationshipsByName[path[2]]?.destinationEntity {
            target.setValue(try object(destination, sides[1]), forKey: path[2])
        } else {
            // Texts become numbers and dates where the model has those.
            try target.safeSetValues(forKeysWith: [path[2]: sides[1]])
        }
    }

    private func object(_ entity: NSEntityDescription, _ identity: String) throws -> NSManagedObject {
        guard let name = entity.name, let key = entity.userInfo?["id"] as? String else {
            throw SyncError("the model names no 'id' for \(entity.name ?? "the entity")")
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.predicate = NSPredicate(format: "%K == %@", key, identity)
        if let object = try fetch(request).first { return object }
        let object = NSEntityDescription.insertNewObject(forEntityName: name, into: self)
        object.setValue(identity, forKey: key)
        return object
    }
}
