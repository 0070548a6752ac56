// Which key a property has that doesn't name one.

extension MappingOptions {
    /// The rule by which the keys of properties without annotation follow from their names.
    public struct NamingRule: Sendable {
        enum Kind: Sendable {
            case annotated, exact, snakeCase
            case custom(@Sendable (_ entity: String, _ property: String) -> [String])
        }

        let kind: Kind

        /// Only properties with a key path of their own take part.
        public static let annotated = MappingOptions.NamingRule(kind: .annotated)
        /// The key is the property's name.
        public static let exact = MappingOptions.NamingRule(kind: .exact)
        /// The key is the name in snake case, else the name itself: `listImageURL` and `listImageUrl` are `list_image_url`.
        public static let snakeCase = MappingOptions.NamingRule(kind: .snakeCase)

        /// A rule of one's own.
        ///
        /// - Parameter keyPaths: Makes the key paths for the name of an entity and of a property, in the order in which they are
        ///   tried; the first one is written. None leaves the property out.
        public static func custom(
            _ keyPaths: @escaping @Sendable (_ entity: String, _ property: String) -> [String]
        ) -> MappingOptions.NamingRule {
            MappingOptions.NamingRule(kind: .custom(keyPaths))
        }

        /// The rule that an annotation names; nil for any other text.
        init?(_ text: String) {
            switch text {
            case "annotated": self = .annotated
            case "exact": self = .exact
            case "snakeCase", "snake_case": self = .snakeCase
            default: return nil
            }
        }

        private init(kind: Kind) { self.kind = kind }

        static let names = ["annotated", "exact", "snakeCase"]

        /// The key paths of a property, in the order in which they are tried; none where it takes no part.
        func keyPaths(ofProperty name: String, of entity: String) -> [String] {
            switch kind {
            case .annotated: return []
            case .exact: return [name]
            case .snakeCase:
                let text = SnakeCase.text(name)
                return text == name ? [name] : [text, name]
            case .custom(let keyPaths): return keyPaths(entity, name)
            }
        }
    }
}
