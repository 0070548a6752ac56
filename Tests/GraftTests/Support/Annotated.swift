// Annotations for the properties of model sketches, beyond key path and transformer.

import CoreData

extension ModelSketch.Property {
    /// The same property with more in its user info.
    func annotated(_ info: [String: String]) -> Self {
        let description: NSPropertyDescription =
            switch self {
            case .attribute(let attribute): attribute
            case .relationship(let relationship): relationship.description
            }
        var userInfo = description.userInfo ?? [:]
        for (key, value) in info { userInfo[key] = value }
        description.userInfo = userInfo
        return self
    }
}
