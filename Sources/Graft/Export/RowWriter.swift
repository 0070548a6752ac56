// An object of a snapshot as JSON, as ObjectWriter writes a managed object. Rows are in memory, so nothing is read ahead, and nothing is
// missing.

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
        let snapshot = try snapshot.completingInverses()
        let writer = RowWriter(try ExportForm(GraphMapping(model, options.mapping), options), options)
        try writer.writeNested(snapshot[reference], cameFrom: nil, to: &json)
        return try json.finish()
    }
}

/// Writes rows of one snapshot.
private final class RowWriter: ItemWriter {
    typealias Object = GraphSnapshot.Row

    let options: ExportOptions
    private let form: ExportForm
    /// The rows, of those that can be met again, that have been nested in full.
    private var expanded: Set<RowReference> = []
    private var nesting = 0

    init(_ form: ExportForm, _ options: ExportOptions) {
        self.form = form
        self.options = options
    }

    func plan(of row: GraphSnapshot.Row) -> ExportPlan { form.plans[row.reference.entity] }

    func owner(_ number: Int, _ property: GraphSchema.Property, of row: GraphSnapshot.Row) -> GraphSnapshot.Row? {
        row.snapshot.destinations(of: row.reference, property).first.map { row.snapshot[$0] }
    }

    func isWritten(_ item: ExportPlan.Item, _ pass: ExportPass<Object>) -> Bool { true }
    func requireNull(_ number: Int, _ pass: ExportPass<Object>) {}
    func leavesOut(formless value: String, of property: String, from row: GraphSnapshot.Row) -> Bool { false }
    func note(_ row: Object, as entity: Int?, by link: (property: GraphSchema.Property, owner: Object)?) {}
    func name(of row: GraphSnapshot.Row, ifNested: Bool) -> String? { nil }

    func writeNested(_ row: GraphSnapshot.Row, cameFrom inverse: Int?, to writer: inout JSONWriter) throws {
        let plan = plan(of: row)
        var followsRelationships = try options.nests(at: nesting, isIdentified: isIdentified(row, plan))
        if followsRelationships, plan.isExpanding, form.isCyclic[plan.number] {
            followsRelationships = expanded.insert(row.reference).inserted
        }
        if !followsRelationships, try writeIdentifier(of: row, plan, to: &writer) { return }
        nesting += 1
        let pass = ExportPass(object: row, plan: plan, inverse: inverse, followsRelationships: followsRelationships)
        try writeObject(plan.items, pass, to: &writer)
        nesting -= 1
    }

    /// What a relationship leads to; members without order by identity, the others as they stand.
    func ends(
        _ number: Int, _ form: ExportOptions.RelationshipForm, _ pass: ExportPass<Object>
    ) -> ExportedEnds<GraphSnapshot.Row> {
        let (snapshot, property) = (pass.object.snapshot, pass.plan.properties[number])
        var members = snapshot.uniqueDestinations(of: pass.object.reference, property)
        if members.count > 1, !property.isOrdered {
            let keys = members.map { snapshot.identity(of: $0) }
            members = members.indices.sorted { keys[$0].precedes(keys[$1]) ?? ($0 < $1) }.map { members[$0] }
        }
        return .objects(members.map { snapshot[$0] })
    }
}
