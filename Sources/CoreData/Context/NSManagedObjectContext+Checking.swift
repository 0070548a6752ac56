// What has to be true of a context at any time, for tests.

import Foundation

extension NSManagedObjectContext {
    /// Stops where the lists of changes and the objects' flags disagree, where an object refers to one that has left the context, and
    /// where the two sides of a relationship disagree.
    package func checkInvariants() {
        if let finding = brokenInvariants().first { fatalError("Broken invariant: \(finding)") }
    }

    /// What is wrong with the context.
    ///
    /// - Parameter includesInverses: Whether the sides of relationships have to agree. They needn't where one of them was read before
    ///   somebody else has saved the other.
    package func brokenInvariants(includesInverses: Bool = true) -> [String] {
        var findings: [String] = []
        func expect(_ condition: Bool, _ finding: @autoclosure () -> String) {
            if !condition { findings.append(finding()) }
        }
        for object in inserted.objects { expect(object.isInserted && !object.isDeleted, "\(object) in inserted") }
        for object in updated.objects { expect(object.isUpdated && !object.isInserted, "\(object) in updated") }
        for object in deleted.objects { expect(object.isDeleted, "\(object) in deleted") }
        let inserted = Set(inserted.objects), updated = Set(updated.objects)
        for object in registry.objects {
            expect(object.context === self, "\(object) registered in two contexts")
            expect(registry.object(for: object.objectID.key) === object, "\(object) under another ID")
            expect(object.isDeleted || object.isInserted == inserted.contains(object), "\(object) not in inserted")
            expect(
                object.isDeleted || object.isInserted || object.isUpdated == updated.contains(object),
                "\(object) not in updated")
            checkReferences(of: object, expect)
            if includesInverses { checkInverses(of: object, expect) }
        }
        return findings
    }

    private func checkReferences(of object: NSManagedObject, _ expect: (Bool, @autoclosure () -> String) -> Void) {
        guard !object.isDeleted else { return }
        func check(_ others: [NSManagedObject], _ slot: Int, _ side: String) {
            for other in others {
                expect(
                    other.context === self && !other.hasLeft,
                    "\(side) \(object.layout.slots[slot].name) of \(object) leads to \(other), which is gone")
            }
        }
        for slot in object.layout.slots.indices where object.layout.slots[slot].isRelationship {
            check(object.values[slot].objects, slot, "current")
            check(object.committed[slot].objects, slot, "committed")
        }
    }

    private func checkInverses(of object: NSManagedObject, _ expect: (Bool, @autoclosure () -> String) -> Void) {
        guard !object.isFault, !object.isDeleted else { return }
        for slot in object.layout.slots.indices {
            guard let inverse = object.layout.inverses[slot] else { continue }
            let name = object.layout.slots[slot].name
            if case .unread = object.values[slot] { continue }
            for other in object.values[slot].objects where !other.isFault && !other.isDeleted {
                switch other.values[inverse] {
                case .objects(let members):
                    expect(members.contains(object), "\(object) has \(other) in \(name) and is missing there")
                case .unread(let delta?):
                    expect(!delta.removed.contains(object), "\(object) has \(other) in \(name) and was removed there")
                case .unread, .memberIDs: break
                default: expect(other.leads(inverse, to: object), "\(object) has \(other) in \(name) and isn't there")
                }
            }
        }
    }
}

extension ManagedValue {
    /// The objects that a relationship holds.
    fileprivate var objects: [NSManagedObject] {
        switch self {
        case .object(let object): [object]
        case .objects(let members): members.objects
        case .unread(let delta?): delta.added.objects + delta.removed.objects
        default: []
        }
    }
}
