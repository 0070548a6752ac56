// Decimals in the form that a SQLite store gives back, in whole snapshots. Snapshots of such a store's objects have it; others get it
// where they meet one: in a comparison, a merge, an import, a tracker. GraphDiff+Kept.swift does the same to diffs.

extension GraphSnapshot {
    /// The snapshot as a store keeps it.
    ///
    /// - Parameter keepsDoubles: Whether it is one of SQLite, which keeps decimals as doubles.
    func kept(_ keepsDoubles: Bool) -> GraphSnapshot {
        guard keepsDoubles, !self.keepsDoubles else { return self }
        var result = self
        _ = result.keepDoubles()
        return result
    }

    /// Makes decimals what a SQLite store keeps of them, and returns how many have lost digits by that.
    mutating func keepDoubles() -> [Column: Int] {
        keepsDoubles = true
        var counts: [Column: Int] = [:]
        var isIdentityTouched = false
        for (entity, description) in schema.entities.enumerated() {
            for (number, property) in description.properties.enumerated() where property.attributeKind == .decimal {
                for row in liveRows(of: entity) {
                    let exact = tables[entity].value(property.column, row: row)
                    let kept = exact.kept(true)
                    if kept.isSameValue(as: exact) { continue }
                    tables[entity].setValue(kept, property.column, row: row)
                    counts[Column(entity: entity, property: number), default: 0] += 1
                    if description.identityAttributes.contains(number) { isIdentityTouched = true }
                }
            }
        }
        // Two that differ in later digits are one object in the store.
        if isIdentityTouched { mergeRepeatedRows() }
        return counts
    }
}
