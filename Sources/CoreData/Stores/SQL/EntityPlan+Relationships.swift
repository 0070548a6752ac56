// The stored relationships of an entity, and what is at their other ends.

import Foundation

extension EntityPlan {
    /// A stored relationship of either kind.
    package struct Relationship {
        package enum Storage {
            case toOne(SQLToOne)
            case toMany(SQLToMany)
        }

        package let storage: Storage

        package var description: NSRelationshipDescription {
            switch storage {
            case .toOne(let toOne): toOne.description
            case .toMany(let toMany): toMany.description
            }
        }

        package var destination: SQLEntity {
            switch storage {
            case .toOne(let toOne): toOne.destination
            case .toMany(let toMany): toMany.destination
            }
        }

        /// Selects key and entity of what is at the other end for some owners.
        ///
        /// - Parameter keys: What the owners' keys are, such as `IN (?, ?)`.
        package func destinations(of owner: SQLEntity, keys: String) -> String {
            let table = destination.table
            let (row, entity) = (owner.dialect.key, owner.dialect.entity)
            switch storage {
            case .toOne(let toOne):
                return
                    "SELECT d.\(row), d.\(entity) FROM \(owner.table) AS o JOIN \(table) AS d ON d.\(row) = o.\(toOne.column) "
                    + "WHERE o.\(row) \(keys)"
            case .toMany(let toMany):
                switch toMany.storage {
                case .foreignKey(let key):
                    return "SELECT \(row), \(entity) FROM \(key.table) WHERE \(key.column) \(keys)"
                case .joinTable(let join):
                    let forward = pairs(join.ownerColumn, join.memberColumn, join, keys)
                    if !join.isReflexive { return forward }
                    return "\(forward) UNION \(pairs(join.memberColumn, join.ownerColumn, join, keys))"
                }
            }
        }

        private func pairs(_ owner: String, _ member: String, _ join: SQLJoin, _ keys: String) -> String {
            let (row, entity) = (destination.dialect.key, destination.dialect.entity)
            return
                "SELECT d.\(row), d.\(entity) FROM \(join.table) AS j JOIN \(destination.table) AS d ON d.\(row) = j.\(member) "
                + "WHERE j.\(owner) \(keys)"
        }
    }

    /// The stored relationships in the order of the slots.
    package var relationships: [Relationship] {
        description.layout.slots.compactMap { slot in
            guard slot.isRelationship, !slot.isTransient else { return nil }
            switch entity.property(named: slot.name) {
            case .toOne(let toOne): return Relationship(storage: .toOne(toOne))
            case .toMany(let toMany): return Relationship(storage: .toMany(toMany))
            case .attribute, nil: return nil
            }
        }
    }
}
