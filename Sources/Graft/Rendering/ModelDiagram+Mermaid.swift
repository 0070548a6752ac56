// A diagram as Mermaid's text, which GitHub, GitLab and many editors show as a picture:
//
//     classDiagram
//         class Hero {
//             Integer 64 id
//         }
//         Character <|-- Hero
//         Hero "0..*" --> "0..1" Publisher : publisher / heroes

extension ModelDiagram {
    /// The diagram in Mermaid's language. Relationships that own have a filled diamond at their owner.
    public var mermaid: String {
        var lines = ["classDiagram"]
        for entity in entities {
            lines.append("    class \(entity.name) {")
            if entity.isAbstract { lines.append("        <<abstract>>") }
            lines += entity.attributes.map {
                "        \($0.type.filter { $0 != " " })\($0.isOptional ? "?" : "") \($0.name)"
            }
            if entity.hiddenCount > 0 { lines.append("        \(entity.hiddenCount) more") }
            lines.append("    }")
        }
        for entity in entities {
            if let parent = entity.superentity { lines.append("    \(parent) <|-- \(entity.name)") }
        }
        for link in links {
            let arrow = link.forward.isOwning ? "*--" : link.backward == nil ? "-->" : "--"
            let back = link.backward.map { " \"\($0.count)\"" } ?? ""
            lines.append(
                "    \(link.source)\(back) \(arrow) \"\(link.forward.count)\" \(link.destination) : \(link.words)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
