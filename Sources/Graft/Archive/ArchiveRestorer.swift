// From records to objects. Each batch: find or make the objects, set their attributes, then their relationships as far as
// the other ends are there. What has to wait is a few numbers, until the end. Beside it:
//
//     +Matching    the objects that a store has already
//     +Linking     relationships
//
// An object is `live` while the context has it. Where batches are saved, what stays of it is its ID.

import CoreData
import Foundation

/// Makes a context's objects from an archive.
final class ArchiveRestorer {
    let context: NSManagedObjectContext
    let match: ArchiveModelMatch
    let options: GraphArchive.RestoringOptions
    let editor: ObjectEditor
    /// Whether objects are let go after each batch.
    let savesBatches: Bool
    let known: ContextObjects

    /// By number of the archive: the objects in the context.
    var live = ValuesByNumber<NSManagedObject>()
    /// By number of the archive: the IDs of objects that were saved.
    var ids = ValuesByNumber<NSManagedObjectID>()
    /// The numbers of the objects that have become live since the last save.
    private var liveNumbers: [Int] = []
    /// The objects that the model has no place for.
    var dropped: Set<Int> = []
    /// Whether new objects get the rows that they had in the archive's store: where there are no others, or where it is that
    /// store or a copy of it.
    var keepsRows = false
    /// The relationships that wait for an object.
    var pending = PendingLinks()
    /// Objects that may have lost their partner.
    var displaced: [FormerPartner] = []
    /// What becomes what the store keeps of it.
    private let rounding: Rounding
    /// Whether the store had no object of an identity space, or of an entity without identity. By entity of the schema.
    let wasEmpty: [Bool]
    /// What a caller's context hasn't saved.
    let unsaved: [NSManagedObject]
    /// The objects of this batch that the store had.
    var matched: Set<Int> = []
    /// Stored objects that stand for one of the archive.
    var taken: Set<NSManagedObjectID> = []
    /// The contents of stored objects without identity. By entity of the schema.
    var contents: [Int: ContentIndex] = [:]
    /// The numbers of the objects that have got another value than they had.
    var changed: Set<Int> = []
    /// The numbers of stored objects that were as the archive has them, with their entities.
    private var unchanged: [Int: Int] = [:]
    /// By entity of the schema.
    var counts: [ImportReport.Counts]

    var schema: GraphSchema { match.schema }

    init(
        _ match: ArchiveModelMatch, _ model: NSManagedObjectModel, _ context: NSManagedObjectContext,
        _ options: GraphArchive.RestoringOptions, _ editor: ObjectEditor, savesBatches: Bool
    ) throws {
        self.match = match
        self.context = context
        self.options = options
        self.editor = editor
        self.savesBatches = savesBatches
        let known = try ContextObjects(context, match.schema, model)
        self.known = known
        rounding = match.rounding(in: context)
        counts = match.schema.entities.map { _ in ImportReport.Counts() }
        unsaved = editor.isRecording ? known.pendingObjects : []
        wasEmpty = try match.schema.entities.indices.map {
            try known.isEmpty($0, includesUnsaved: editor.isRecording)
        }
    }

    // MARK: Batches

    /// Takes over a batch of records.
    func restore(_ records: [ArchiveRecord]) throws {
        matched.removeAll(keepingCapacity: true)
        changed.removeAll(keepingCapacity: true)
        let records = rounding.isEmpty ? records : records.map { $0.kept(rounding) }
        try findObjects(records)
        for record in records { try fill(record) }
        try loadDestinations(of: records)
        for record in records { try link(record) }
        try linkMandatory()
        count(records)
    }

    /// Takes over what had to wait: all objects have come.
    ///
    /// - Parameter didLink: Is called after each batch.
    func finish(_ didLink: () throws -> Void) throws {
        changed.removeAll()
        try linkRest(didLink)
        try freeDisplaced()
        try didLink()
        countLateChanges()
    }

    /// Enters an object of the context.
    func enter(_ object: NSManagedObject, _ number: Int) {
        live[number] = object
        if savesBatches { liveNumbers.append(number) }
    }

    /// Makes the object of a record, unless there is one, and sets its attributes.
    private func fill(_ record: ArchiveRecord) throws {
        guard let entity = match.entities[record.entity] else {
            dropped.insert(record.number)
            return
        }
        let properties = schema.entities[entity.number].properties
        guard let object = live[record.number] else {
            let object = known.make(entity.number)
            editor.madeWhole(object)
            // Unsaved objects are looked for as well: this one is nobody else's.
            if editor.isRecording { taken.insert(object.objectID) }
            enter(object, record.number)
            if keepsRows, let column = match.archived[record.entity].rowColumn,
                case .integer(let number) = record.values[column]
            {
                context.wish(forRow: number, of: object)
            }
            for (column, value) in record.values.enumerated() {
                guard let number = entity.attributes[column] else { continue }
                // A new object has the model's defaults.
                if value.isNull, try object.holds(.null, number, properties[number]) { continue }
                try object.assign(value, number, properties[number])
            }
            return
        }
        for (column, value) in record.values.enumerated() {
            guard let number = entity.attributes[column],
                try !object.holdsArchived(value, number, properties[number])
            else { continue }
            try editor.assign(value, number, properties[number], of: object)
            changed.insert(record.number)
        }
    }

    private func count(_ records: [ArchiveRecord]) {
        for record in records {
            guard let entity = match.entities[record.entity]?.number else { continue }
            if !matched.contains(record.number) {
                counts[entity].inserted += 1
            } else if changed.contains(record.number) {
                counts[entity].updated += 1
            } else {
                counts[entity].unchanged += 1
                unchanged[record.number] = entity
            }
        }
    }

    /// Counts the objects as updated that only a late relationship has changed.
    private func countLateChanges() {
        for number in changed {
            guard let entity = unchanged.removeValue(forKey: number) else { continue }
            counts[entity].unchanged -= 1
            counts[entity].updated += 1
        }
    }

    /// Whether everything that must have a destination has it.
    var canSave: Bool { pending.mandatory.isEmpty }

    /// Saves what there is, checked against the rules of the model where that is wanted.
    func saveChanges() throws {
        guard context.hasChanges else { return }
        if options.validates { try context.saveNamingRefused() } else { try context.saveAsIs() }
    }

    /// Saves what there is and lets go of it.
    func save() throws {
        try saveChanges()
        for number in liveNumbers {
            guard let object = live[number] else { continue }
            ids[number] = object.objectID
            live[number] = nil
        }
        liveNumbers.removeAll(keepingCapacity: true)
        editor.letGoOfMade()
        // Lets go of the objects, and of the cycles between them.
        context.reset()
    }
}
