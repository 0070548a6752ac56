// What the tests of Core Data's semantics share. They use `import CoreData` alone, so they run unchanged against Apple's.

import CoreData
import Foundation
import Synchronization
import Testing

/// An object that writes down in its context's `userInfo` what it is called.
final class Witness: NSManagedObject {
    private func note(_ event: String) {
        guard let context = managedObjectContext else { return }
        let log = context.userInfo["log"] as? [String] ?? []
        context.userInfo["log"] = log + [event]
    }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        note("awakeFromInsert")
    }

    override func awakeFromFetch() {
        super.awakeFromFetch()
        note("awakeFromFetch")
    }

    override func prepareForDeletion() {
        super.prepareForDeletion()
        note("prepareForDeletion \(many("books").count)")
    }

    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        note("willTurnIntoFault")
    }

    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        note("didTurnIntoFault")
    }

    override func willSave() {
        super.willSave()
        note("willSave")
        // Guarded by a comparison, as it has to be.
        if !isDeleted, (value(forKey: "rating") as? Double ?? 0) < 2 {
            setValue((value(forKey: "rating") as? Double ?? 0) + 1, forKey: "rating")
        }
    }

    override func validateForInsert() throws {
        var errors: [any Error] = []
        do { try super.validateForInsert() } catch { errors.append(error) }
        if text("name") == nil || text("name") == "forbidden" {
            errors.append(CocoaError(.managedObjectValidation))
        }
        if errors.count == 1 { throw errors[0] }
        if errors.count > 1 {
            throw CocoaError(.validationMultipleErrors, userInfo: [NSDetailedErrorsKey: errors])
        }
    }
}

extension NSManagedObjectContext {
    /// What the witnesses have written down since the last time.
    func takeLog() -> [String] {
        let log = userInfo["log"] as? [String] ?? []
        userInfo["log"] = [String]()
        return log
    }
}

extension Library {
    /// A library whose authors are witnesses.
    static func witnessed(_ kind: StoreKind) throws -> Library {
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(Witness.self)
        return try Library(kind, model: model)
    }
}

/// The notifications of one name that come while it exists.
final class PostedNotifications: @unchecked Sendable {
    // Safe: what comes is behind a lock, and notifications are looked at on the thread of the test.
    private let posts = Mutex<[Post]>([])
    private struct Post: @unchecked Sendable {
        let notification: Notification
        let thread: Thread
    }
    private var token: (any NSObjectProtocol)?
    /// Kept: a sender is told by its address, which another one could get.
    private let sender: AnyObject?

    init(_ name: Notification.Name, from sender: AnyObject?) {
        self.sender = sender
        token = NotificationCenter.default.addObserver(forName: name, object: sender, queue: nil) { [weak self] in
            let post = Post(notification: $0, thread: .current)
            self?.posts.withLock { $0.append(post) }
        }
    }

    deinit { token.map(NotificationCenter.default.removeObserver) }

    var notifications: [Notification] { posts.withLock { $0 }.map(\.notification) }
    var threads: [Thread] { posts.withLock { $0 }.map(\.thread) }
    var count: Int { notifications.count }

    /// The objects of the last one under a key.
    func objects(_ key: String) -> Set<NSManagedObject> {
        notifications.last?.userInfo?[key] as? Set<NSManagedObject> ?? []
    }
}
