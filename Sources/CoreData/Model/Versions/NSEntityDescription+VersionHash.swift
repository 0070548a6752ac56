// Version hashes of entities.

public import Foundation

extension NSEntityDescription {
    /// The hash by which versions of the entity are told apart; stores keep it.
    ///
    /// For an entity with a derived or composite attribute of its own or inherited it is taken from
    /// the compiled model. Where that has none, the derivation is left out, and the hash
    /// differs from Apple's.
    public var versionHash: Data {
        if !hasComputableVersionHash, let name, let known = model?.knownVersionHashes[name] { return known }
        guard model?.isInUse == true else { return computedVersionHash }
        // The model doesn't change any more, and every opening of a store asks.
        return versionHashOfUsedModel.withLock { known in
            let hash = known ?? computedVersionHash
            known = hash
            return hash
        }
    }

    /// Whether the rules that are known give the hash that Core Data gives.
    package var hasComputableVersionHash: Bool {
        !lineage.contains { entity in
            entity.ownProperties.contains {
                !$0.isTransient && ($0 is NSDerivedAttributeDescription || $0 is NSCompositeAttributeDescription)
            }
        }
    }

    /// Whether the entity can be another one under the same version hash, so that a store's own model has to be asked: where the hash can't
    /// be computed, and where its byte for external storage is also that of values that a history keeps.
    package var hasUnhashedDetails: Bool {
        !hasComputableVersionHash
            || attributesByName.values.contains {
                $0.allowsExternalBinaryDataStorage || $0.preservesValueInHistoryOnDeletion
            }
    }

    private var computedVersionHash: Data {
        var hash = ModelHash()
        hash.add(name ?? "")
        hash.add(byte: isAbstract ? 1 : 0)
        if let parent = superentity { hash.add(lineageHash(of: parent)) }
        for property in hashedProperties { hash.add(property.versionHash) }
        hash.add(versionHashModifier ?? "")
        for tuple in uniquenessConstraintNames.map({ $0.joined(separator: ".") }).sorted(by: Self.precedes) {
            hash.add(tuple)
        }
        return hash.finished()
    }

    /// The super-entity's hash, unless inheritance is broken and leads back here.
    private func lineageHash(of parent: NSEntityDescription) -> Data {
        lineage.last?.superentity == nil ? parent.versionHash : Data()
    }

    private var hashedProperties: [NSPropertyDescription] {
        propertiesByName.values
            .filter { !$0.isTransient && ($0 is NSAttributeDescription || $0 is NSRelationshipDescription) }
            .sorted { Self.precedes($0.name, $1.name) }
    }

    /// Core Data sorts by UTF-16 units.
    static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf16.lexicographicallyPrecedes(right.utf16)
    }
}
