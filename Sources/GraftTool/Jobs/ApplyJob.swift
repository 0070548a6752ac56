// What `graft apply` does.

import CoreData
import Foundation
import Graft

/// The application of a patch to a store.
struct ApplyJob {
    var patch: String
    var store: String
    var model: String?
    var entity: String?
    var isReversed: Bool
    var isDryRun: Bool
    var conflicts: GraphDiff.ConflictPolicy
    var options = DiffOptions()
    /// How many objects of an entity may be deleted; nil for what the tool says.
    var deletionLimit: MappingOptions.DeletionLimit?
    var backup = StoreBackup.beside

    private enum Patch {
        case diff(GraphDiff)
        case jsonPatch(JSONPatch)
        case mergePatch(JSONMergePatch)
    }

    /// Applies the patch, and reports what was done.
    ///
    /// - Throws: What went wrong. The store is then as it was.
    func run(on console: Console) throws {
        let patch = try read(console)
        try FileKind.requireReadable(store)
        if !isDryRun { try backup.makeIfAsked(of: store) }
        let report =
            try isDryRun
            ? apply(patch, DeletionLimits(given: deletionLimit))
            : backup.deleting(deletionLimit, in: store, console) { try apply(patch, $0) }
        let line = "\(report.inserted) new, \(report.changed) changed, \(report.deleted) deleted"
        let lines =
            [line] + report.cascaded.map { "deleted with its owner: \($0)" }
            + report.exceededLimits.map(DeletionLimits.advice)
        try console.report(lines, after: isDryRun ? nil : "the patch is applied")
        for conflict in report.conflicts { console.note("graft: \(conflict.description)") }
    }

    private func apply(_ patch: Patch, _ limits: DeletionLimits) throws -> GraphDiff.ApplyingReport {
        let container =
            isDryRun
            ? try StoreAccess.openForReading(store, modelPath: model)
            : try StoreAccess.openForWriting(store, model: StoreAccess.model(at: model, forStore: store))
        if let entity { _ = try container.managedObjectModel.entity(named: entity) }
        try ModelTransformers.registerKnown(for: container.managedObjectModel, at: model ?? store)
        return try StoreAccess.closing(container) { try apply(patch, to: container, limits) }
    }

    private func apply(
        _ patch: Patch, to container: NSPersistentContainer, _ limits: DeletionLimits
    ) throws -> GraphDiff.ApplyingReport {
        switch patch {
        case .diff(let diff):
            return try container.apply(
                isReversed ? diff.inverted : diff,
                options: limits.options(conflicts, options), isDryRun: isDryRun)
        case .jsonPatch(let patch): return try apply(to: container, limits) { try patch.applying(to: $0) }
        case .mergePatch(let patch): return try apply(to: container, limits) { patch.applying(to: $0) }
        }
    }

    private func apply(
        to container: NSPersistentContainer, _ limits: DeletionLimits,
        _ change: (JSONValue) throws -> JSONValue
    ) throws -> GraphDiff.ApplyingReport {
        let context = container.newBackgroundContext()
        var found: [GraphDiff.Conflict] = []
        var diff = try context.performAndWait {
            try GraphDiff(changing: context, entity: entity, options: options, conflicts: &found, change)
        }
        // Made from the store itself, its values fit; what an export rounds must not count as a conflict. Objects may be there that
        // the patch adds, and those may be missing that it refers to.
        let forced = limits.options(.force, options)
        if conflicts != .force {
            found += try container.apply(diff, options: forced, isDryRun: true).conflicts.filter(isOfObjects)
            if conflicts == .fail, !found.isEmpty { throw GraftError(.changesDoNotFit(found)) }
            diff.leaveOut(found)
        }
        var report = try container.apply(diff, options: forced, isDryRun: isDryRun)
        report.conflicts = found + report.conflicts.filter { isOfObjects($0) && !found.contains($0) }
        return report
    }

    /// Whether a conflict is about objects that are there or not, and not about values.
    private func isOfObjects(_ conflict: GraphDiff.Conflict) -> Bool {
        conflict.property == nil || conflict.found == .noObject
    }

    /// Reads the patch: an array is a JSON Patch, an object with a version and nothing but what a diff has is a diff,
    /// and any other JSON is a Merge Patch.
    private func read(_ console: Console) throws -> Patch {
        let name = patch == "-" ? ImportSource.standardInputName : patch
        do {
            let data: Data
            if patch == "-" {
                data = try FileHandle(fileDescriptor: console.input).readToEnd() ?? Data()
            } else {
                try FileKind.requireReadable(patch, isReadOnce: true)
                // Foundation makes no data of a device.
                data = try FileHandle(forReadingFrom: URL(fileURLWithPath: patch)).readToEnd() ?? Data()
            }
            try ImportSource.data(data).kind().require(.patch, source: name)
            let read = try Self.patch(in: data)
            try requireOptions(fit: read)
            return read
        } catch let error as GraftError {
            throw error.located(in: .init(source: name))
        } catch let error as DecodingError {
            throw GraftError(
                .other(finding: "the diff is damaged", remedy: "Make it again with graft diff --format json."),
                at: .init(source: name), underlying: error)
        }
    }

    private static func patch(in data: Data) throws -> Patch {
        let json = try parsed(data)
        switch json {
        case .array(let elements):
            if let first = elements.first, first["op"] == nil { throw recordsInsteadOfPatch }
            return .jsonPatch(try JSONPatch(json))
        case .object(let object) where isDiff(object):
            try requireKnownVersion(object)
            return .diff(try JSONDecoder().decode(GraphDiff.self, from: data))
        default: return .mergePatch(JSONMergePatch(json))
        }
    }

    /// Refuses an option that means nothing with such a patch.
    private func requireOptions(fit patch: Patch) throws {
        switch patch {
        case .diff where entity != nil:
            throw GraftError(
                .other(
                    finding: "a diff names the entities of its objects itself, and is applied whole",
                    remedy: "Leave out --entity, or make the diff of one entity: graft diff --entity."))
        case .mergePatch where entity != nil: throw GraftError.mergePatchOfEntity
        case .jsonPatch where isReversed, .mergePatch where isReversed:
            throw GraftError(
                .other(
                    finding: "only a diff knows what was before and can be taken back",
                    remedy: "Use a diff made with --format json."))
        default: break
        }
    }

    /// The patch as JSON. Objects one after the other (NDJSON) are no text of JSON, and no patch either.
    private static func parsed(_ data: Data) throws -> JSONValue {
        do {
            return try JSONValue(parsing: data)
        } catch let error as GraftError {
            var reader = JSONReader(data, format: .sequence)
            do {
                while try reader.nextRecord() != nil {}
            } catch _ {
                // Not NDJSON either, so the first error is the one that counts.
                throw error
            }
            if case .invalidJSON = error.problem { throw recordsInsteadOfPatch }
            throw error
        }
    }

    private static let recordsInsteadOfPatch = GraftError(
        .wrongKind(
            found: "JSON with records", expected: "a diff, a JSON Patch or a Merge Patch",
            remedy: "Import it into the store: graft import."))

    private static func requireKnownVersion(_ object: JSONValue.Object) throws {
        guard case .number(let version)? = object["version"], let number = version.int64, number > GraphDiff.version
        else { return }
        throw GraftError(
            .other(
                finding: "it is a diff of version \(number), and this graft reads version \(GraphDiff.version)",
                remedy: "Update graft, or make the diff again with this one."))
    }

    private static func isDiff(_ object: JSONValue.Object) -> Bool {
        guard case .number? = object["version"] else { return false }
        return object.members.allSatisfy { GraphDiff.CodingKeys(stringValue: $0.key) != nil }
    }
}

extension GraphDiff.Conflict {
    fileprivate var description: String {
        let place = property.map { "'\($0)' of \(key)" } ?? "\(key)"
        return "\(place) is \(found) where the patch expects \(expected)"
    }
}
