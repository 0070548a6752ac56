// Decimals in the form that a SQLite store gives back, in diffs: before one is applied to the objects of such a store.

extension GraphDiff {
    /// The diff as one of a store's objects.
    ///
    /// - Parameter keepsDoubles: Whether it is a store of SQLite, which keeps decimals as doubles.
    func kept(_ keepsDoubles: Bool) -> GraphDiff {
        guard keepsDoubles else { return self }
        let kept = mapped(\.kept) { $0.kept(true) }
        // Values that differ in later digits are the same in the store.
        let changed = kept.changed.map { ObjectChange($0.key, $0.properties.filter { !$0.kind.isEmpty }) }
        return GraphDiff(
            deleted: kept.deleted, inserted: kept.inserted, changed: changed, identification: identification)
    }
}

extension ObjectKey {
    /// The key with decimals as a SQLite store keeps them.
    fileprivate var kept: ObjectKey {
        var key = self
        key.identity = identity.map { $0.kept(true) }
        key.owners = owners.map { $0?.kept }
        if let position {
            key.position?.identity = position.identity.map { $0.kept(true) }
            key.position?.owners = position.owners.map { $0?.kept }
        }
        return key
    }
}
