// Values in the form that a store gives back, in whole snapshots. Snapshots of such a store's objects have it; others get it
// where they meet one: in a comparison, a merge, an import, a tracker. GraphDiff+Kept.swift does the same to diffs.

extension GraphSnapshot {
    /// The snapshot as a store keeps it.
    func kept(_ rounding: Rounding) -> GraphSnapshot {
        if self.rounding.isSuperset(of: rounding) { return self }
        var result = self
        _ = result.round(rounding)
        return result
    }

    /// Makes values what a store keeps of them, and returns how many have lost digits by that.
    mutating func round(_ rounding: Rounding) -> [Column: Int] {
        self.rounding.formUnion(rounding)
        var counts: [Column: Int] = [:]
        var isIdentityTouched = false
        for (entity, description) in schema.entities.enumerated() {
            for (number, property) in description.properties.enumerated()
            where !rounding.isDisjoint(with: Rounding(of: property.attributeKind)) {
                for row in liveRows(of: entity) {
                    let exact = tables[entity].value(property.column, row: row)
                    let kept = exact.kept(rounding)
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
