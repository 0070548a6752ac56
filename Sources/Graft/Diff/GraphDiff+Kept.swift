// Values in the form that a store gives back, in diffs: before one is applied to the objects of such a store.

extension GraphDiff {
    /// The diff as one of a store's objects.
    func kept(_ rounding: Rounding) -> GraphDiff {
        if rounding.isEmpty { return self }
        let kept = mapped({ $0.kept(rounding) }, { $0.kept(rounding) })
        // Values that differ in later digits are the same in the store.
        let changed = kept.changed.map { ObjectChange($0.key, $0.properties.filter { !$0.kind.isEmpty }) }
        return GraphDiff(
            deleted: kept.deleted, inserted: kept.inserted, changed: changed, identification: identification)
    }
}

extension ObjectKey {
    /// The key as a store keeps it.
    fileprivate func kept(_ rounding: Rounding) -> ObjectKey {
        var key = self
        key.identity = identity.map { $0.kept(rounding) }
        key.owners = owners.map { $0?.kept(rounding) }
        if let position {
            key.position?.identity = position.identity.map { $0.kept(rounding) }
            key.position?.owners = position.owners.map { $0?.kept(rounding) }
        }
        return key
    }
}
