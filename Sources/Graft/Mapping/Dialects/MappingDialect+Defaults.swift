// What a dialect means where nobody says anything: the keys of properties without annotation, and its policies.

import CoreData
import Foundation

extension MappingOptions.Dialect {
    /// The policies of the library for a property.
    func defaults(of description: NSPropertyDescription) -> MappingOptions.Property {
        var defaults = MappingOptions.Property()
        guard let relationship = description as? NSRelationshipDescription else { return defaults }
        switch self {
        case .graft, .mmRecord, .restKit: break
        case .magicalRecord: defaults.membersPolicy = .add
        case .coreDataKit: defaults.referencePolicy = .link
        case .sync:
            defaults.referencePolicy = .link
            // Rows that belong to one object and aren't in its list any more are deleted; shared ones are unlinked.
            if relationship.isToMany, let inverse = relationship.inverseRelationship, !inverse.isToMany {
                defaults.membersPolicy = .replaceAndDelete
            }
        }
        return defaults
    }

    /// The key paths of a property without annotation.
    func keyPaths(of description: NSPropertyDescription, in entity: NSEntityDescription) -> [String] {
        self == .sync ? Self.syncKeyPaths(of: description, in: entity) : [description.name]
    }

    private static func syncKeyPaths(of description: NSPropertyDescription, in entity: NSEntityDescription) -> [String]
    {
        let name = description.name
        var paths = [SnakeCase.text(name)]
        if description is NSAttributeDescription {
            if name == "remoteID" || name == "id" { return ["id"] }
            // Keys that a class can't have as names: `type` is `userType` in User.
            let prefix = (entity.name ?? "").smallFirst
            for reserved in ["type", "description", "signed"] where name == prefix + reserved.capitalized {
                paths.append(reserved)
            }
        }
        if name != paths[0] { paths.append(name) }
        if let relationship = description as? NSRelationshipDescription {
            paths.append(SnakeCase.text(name) + (relationship.isToMany ? "_ids" : "_id"))
        }
        return paths
    }
}
