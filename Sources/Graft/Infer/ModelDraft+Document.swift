// A draft as the document that Xcode's model editor keeps:
//
//     <entity name="Hero" representedClassName="Hero" syncable="YES" codeGenerationType="class">
//         <attribute name="id" attributeType="Integer 64" usesScalarValueType="YES">
//
// Its twin makes the same model in memory (+Model); a test reads the document and compares.

import Foundation

extension ModelDraft {
    /// The contents of an `.xcdatamodel`.
    var document: String {
        let entities = entities.sorted { $0.name < $1.name }.map { element(of: $0) }
        return """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="23231" \
            systemVersion="24A335" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
            userDefinedModelVersionIdentifier="">

            """ + entities.joined() + "</model>\n"
    }

    /// What names the current version in an `.xcdatamodeld`.
    static func versionDocument(current: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>_XCCurrentVersionName</key>
        \t<string>\(HTMLPage.escaped(current))</string>
        </dict>
        </plist>

        """
    }

    private func element(of entity: Entity) -> String {
        var contents = entity.attributes.sorted { $0.name < $1.name }.map(Self.element(of:))
        contents += entity.relationships.sorted { $0.name < $1.name }.map { element(of: $0) }
        if let identity = entity.identity {
            contents.append(
                Self.element(
                    "uniquenessConstraints", [],
                    [Self.element("uniquenessConstraint", [], [Self.element("constraint", [("value", identity)], [])])])
            )
        }
        contents += Self.userInfo(entity.userInfo)
        return Self.indented(
            Self.element(
                "entity",
                [
                    ("name", entity.name), ("representedClassName", entity.name), ("syncable", "YES"),
                    ("codeGenerationType", "class"),
                ], contents))
    }

    private static func element(of attribute: Attribute) -> String {
        var settings = [("name", attribute.name)]
        if attribute.isOptional { settings.append(("optional", "YES")) }
        settings.append(("attributeType", attribute.kind.modelName))
        if let name = attribute.transformerName { settings.append(("valueTransformerName", name)) }
        // Numbers that may be missing are objects, because a scalar would be 0.
        if attribute.kind.isScalar, !attribute.isOptional { settings.append(("usesScalarValueType", "YES")) }
        return element("attribute", settings, userInfo(attribute.userInfo))
    }

    private func element(of relationship: Relationship) -> String {
        let destination = entities[relationship.destination].name
        var settings = [("name", relationship.name), ("optional", "YES")]
        settings.append(relationship.isToMany ? ("toMany", "YES") : ("maxCount", "1"))
        settings.append(("deletionRule", relationship.deleteRule == .cascadeDeleteRule ? "Cascade" : "Nullify"))
        if relationship.isOrdered { settings.append(("ordered", "YES")) }
        settings += [
            ("destinationEntity", destination), ("inverseName", relationship.inverse), ("inverseEntity", destination),
        ]
        return Self.element("relationship", settings, Self.userInfo(relationship.userInfo))
    }

    // MARK: XML

    private static func userInfo(_ info: [String: String]) -> [String] {
        if info.isEmpty { return [] }
        let entries = info.sorted { $0.key < $1.key }.map {
            element("entry", [("key", $0.key), ("value", $0.value)], [])
        }
        return [element("userInfo", [], entries)]
    }

    private static func element(_ name: String, _ settings: [(String, String)], _ contents: [String]) -> String {
        let head = settings.reduce("<\(name)") { "\($0) \($1.0)=\"\(HTMLPage.escaped($1.1))\"" }
        return contents.isEmpty ? "\(head)/>\n" : "\(head)>\n\(contents.map(indented).joined())</\(name)>\n"
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n").map { "    \($0)\n" }.joined()
    }
}

extension AttributeKind {
    fileprivate var isScalar: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .boolean, .double, .float: true
        default: false
        }
    }
}
