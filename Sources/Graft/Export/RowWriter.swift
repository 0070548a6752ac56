// An object of a snapshot as JSON, as ObjectWriter writes a managed object: the same keys, nested in the same way, with identifiers
// where an object is met again. Rows are in memory, so nothing is read ahead, and nothing is missing. Its twin is ObjectWriter; tests
// hold the two against each other.

package import CoreData
import Foundation

extension GraphSnapshot.Row {
    /// Returns the object as JSON, with what it leads to: what an export of the object would write.
    ///
    /// - Parameters:
    ///   - model: The snapshot's model.
    ///   - options: The form. Names of objects without identity and the scope take no part.
    /// - Throws: ``GraftError``, for instance with `notRepresentable` for a number that JSON doesn't have.
    /// - Complexity: O(*n*) in the objects and links of the snapshot.
    package func json(model: NSManagedObjectModel, options: ExportOptions = ExportOptions()) throws -> Data {
        var json = JSONWriter(options: options.writerOptions)
        var writer = RowWriter(
            try snapshot.completingInverses(), try ExportForm(GraphMapping(model, options.mapping), options), options)
        try writer.writeNested(reference, cameFrom: nil, to: &json)
        return try json.finish()
    }
}

/// Writes rows by the ordinary mapping.
private struct RowWriter {
    private let snapshot: GraphSnapshot
    private let form: ExportForm
    private let options: ExportOptions
    /// The rows, of those that can be met again, that have been nested in full.
    private var expanded: Set<RowReference> = []
    private var nesting = 0

    init(_ snapshot: GraphSnapshot, _ form: ExportForm, _ options: ExportOptions) {
        self.snapshot = snapshot
        self.form = form
        self.options = options
    }

    /// What holds for all keys of one row.
    private struct Pass {
        var row: GraphSnapshot.Row
        var plan: ExportPlan
        var inverse: Int?
        var followsRelationships: Bool
    }

    /// Writes a row with all its keys or, if it isn't to be nested here, as its identifier.
    mutating func writeNested(
        _ reference: RowReference, cameFrom inverse: Int?, to writer: inout JSONWriter
    ) throws {
        let plan = form.plans[reference.entity]
        var pass = Pass(row: snapshot[reference], plan: plan, inverse: inverse, followsRelationships: true)
        pass.followsRelationships = nesting == 0 || nesting < options.maximumNesting
        if pass.followsRelationships, plan.isExpanding, form.isCyclic[plan.number] {
            pass.followsRelationships = expanded.insert(reference).inserted
        }
        if !pass.followsRelationships, try writeIdentifier(pass, to: &writer) { return }
        nesting += 1
        try writer.beginObject()
        try write(plan.items, pass, to: &writer)
        try writer.endObject()
        nesting -= 1
    }

    private mutating func write(_ items: [ExportPlan.Item], _ pass: Pass, to writer: inout JSONWriter) throws {
        let (row, plan) = (pass.row, pass.plan)
        for item in items {
            switch item.content {
            case .attribute(let number, let converter):
                let value = row.graphValue(number, plan.properties[number])
                if value.isNull, !item.writesNull { continue }
                try writer.key(item.key)
                try plan.write(value, number, converter, to: &writer)
            case .transformed(let number, let transformer):
                guard let json = try plan.json(number, of: row, by: transformer) else { continue }
                if json.isNull, !item.writesNull { continue }
                try writer.key(item.key)
                try writer.value(json)
            case .toOne(let number, let form):
                guard pass.followsRelationships, number != pass.inverse else { continue }
                let end = members(number, of: pass).first
                if end == nil, !item.writesNull { continue }
                try writer.key(item.key)
                guard let end else { try writer.null(); continue }
                try writeRelated(end, form, cameFrom: plan.properties[number].inverse, to: &writer)
            case .toMany(let number, let form):
                guard pass.followsRelationships, number != pass.inverse else { continue }
                let members = members(number, of: pass)
                if members.isEmpty, !item.writesNull { continue }
                try writer.key(item.key)
                try writer.beginArray()
                for member in members {
                    try writeRelated(member, form, cameFrom: plan.properties[number].inverse, to: &writer)
                }
                try writer.endArray()
            case .constant(let text):
                try writer.key(item.key)
                try writer.string(text)
            case .stableIdentifier: continue
            case .step(let items):
                try writer.key(item.key)
                try writer.beginObject()
                try write(items, pass, to: &writer)
                try writer.endObject()
            }
        }
    }

    /// What a relationship leads to; members without order by identity, the others as they stand.
    private func members(_ number: Int, of pass: Pass) -> [RowReference] {
        let property = pass.plan.properties[number]
        let members = snapshot.uniqueDestinations(of: pass.row.reference, property)
        if members.count < 2 || property.isOrdered { return members }
        let keys = members.map { snapshot.identity(of: $0) }
        return members.indices.sorted { keys[$0].precedes(keys[$1]) ?? ($0 < $1) }.map { members[$0] }
    }

    private mutating func writeRelated(
        _ reference: RowReference, _ form: ExportOptions.RelationshipForm, cameFrom inverse: Int?,
        to writer: inout JSONWriter
    ) throws {
        if form == .nested { return try writeNested(reference, cameFrom: inverse, to: &writer) }
        let plan = self.form.plans[reference.entity]
        let pass = Pass(row: snapshot[reference], plan: plan, inverse: nil, followsRelationships: false)
        if try writeIdentifier(pass, to: &writer) { return }
        try writer.beginObject()
        try write(plan.items, pass, to: &writer)
        try writer.endObject()
    }

    /// Writes the identifier of a row; returns false where it has none.
    private mutating func writeIdentifier(_ pass: Pass, to writer: inout JSONWriter) throws -> Bool {
        guard try pass.plan.isIdentified(pass.row) else { return false }
        if try pass.plan.writeBareIdentifier(of: pass.row, to: &writer) { return true }
        var pass = pass
        pass.inverse = nil
        pass.followsRelationships = true
        try writer.beginObject()
        try write(pass.plan.identityItems, pass, to: &writer)
        try writer.endObject()
        return true
    }
}
