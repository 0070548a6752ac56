// What a history keeps of a deleted object, whichever store has it.

import Foundation

/// The values of attributes that outlive their object.
package enum Tombstone {
    /// The columns that are kept. Those that may lie in files of their own aren't (assumed of Core Data, too).
    package static func fields(of plan: EntityPlan) -> [EntityPlan.Field] {
        let layout = plan.description.layout
        return plan.fields.filter { field in
            // An element of a composite attribute outlives its object if that does.
            let owner = plan.description.propertiesByName[layout.propertyName(of: field.slot)]
            let isKept = [owner, layout.slots[field.slot].property].contains { property in
                (property as? NSAttributeDescription)?.preservesValueInHistoryOnDeletion == true
            }
            return isKept && !field.kind.isExternal
        }
    }

    /// Values with one more: that of an element is in the dictionary of its composite attribute.
    ///
    /// - Parameter path: The attribute's name, and those of the elements below it.
    package static func keeping(
        _ value: Any, at path: ArraySlice<String>, in values: [String: Any]
    ) -> [String: Any] {
        guard let name = path.first else { return values }
        let rest = path.dropFirst()
        let kept = rest.isEmpty ? value : keeping(value, at: rest, in: values[name] as? [String: Any] ?? [:])
        return values.merging([name: kept]) { $1 }
    }
}
