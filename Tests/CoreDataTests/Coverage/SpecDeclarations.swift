// The declarations that the module has to have, read from the Swift blocks of the project's list of Core Data's API. Each
// block is a sketch of an interface: types with their members on lines of their own, counts of use in comments.

import Foundation

/// A declaration of the list: a type, or a member of one.
struct SpecDeclaration: Hashable {
    /// How much code uses it: 1 what most uses, 2 what some uses.
    let tier: Int
    /// The type that it belongs to; empty for a global one.
    let owner: String
    /// The name with its argument labels; empty for the type itself.
    let name: String

    /// What the module's symbol of it is called.
    var path: String { [owner, name].filter { !$0.isEmpty }.joined(separator: ".") }
}

/// Reads the list.
struct SpecReader {
    private(set) var declarations: [SpecDeclaration] = []
    private var seen: Set<String> = []
    private var tier = 0
    private var isInBlock = false
    private var owners: [String] = []
    /// The part of a declaration that goes on in the next line.
    private var unfinished = ""

    /// The declarations of the tiers 1 and 2 in their order, each once: those of the earlier tier count.
    static func declarations(in text: String) -> [SpecDeclaration] {
        var reader = SpecReader()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { reader.read(String(line)) }
        return reader.declarations
    }

    private mutating func read(_ line: String) {
        if line.hasPrefix("## ") { tier = Self.tiers[String(line.prefix(4))] ?? 0 }
        guard tier > 0 else { return }
        if line.hasPrefix("```") {
            isInBlock = line == "```swift"
            owners = []
        } else if isInBlock {
            if owners.isEmpty, line.hasPrefix("// ") { readGlobals(line) }
            readCode(Self.withoutComments(line))
        } else if line.hasPrefix("|") {
            readErrorCode(line)
        }
    }

    private static let tiers = ["## 3": 1, "## 4": 1, "## 5": 1, "## 6": 2]

    // MARK: Code

    private mutating func readCode(_ line: String) {
        let code = (unfinished + " " + line).trimmingCharacters(in: .whitespaces)
        if code.hasSuffix(",") {
            unfinished = code
            return
        }
        unfinished = ""
        if code.isEmpty { return }
        if code == "}" {
            _ = owners.popLast()
        } else if code.hasSuffix("{"), let type = Self.typeName(code) {
            owners.append(type)
            if !code.hasPrefix("extension ") { add("") }
        } else {
            for name in Self.memberNames(code) { add(name) }
        }
    }

    private static func withoutComments(_ line: String) -> String {
        line.replacing(/\/\*.*?\*\//, with: "").replacing(/\/\/.*/, with: "")
    }

    /// The name of the type that a line opens.
    private static func typeName(_ code: String) -> String? {
        guard let match = code.firstMatch(of: /\b(?:class|struct|enum|protocol|extension) ([\w.]+)/) else { return nil }
        return String(match.output.1)
    }

    /// The names that a line declares, several for cases of an enumeration.
    private static func memberNames(_ code: String) -> [String] {
        if code.hasPrefix("case ") {
            return code.dropFirst(5).split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        if let match = code.firstMatch(of: /\b(?:var|let) (\w+)/) { return [String(match.output.1)] }
        guard let match = code.firstMatch(of: /\b(?:func (\w+)|(init)[?!]?)(?:<[^(]*>)?\(/) else { return [] }
        let name = String(match.output.1 ?? match.output.2 ?? "")
        return [name + "(" + labels(code[match.range.upperBound...]) + ")"]
    }

    /// The labels of a parameter list, from behind its parenthesis on.
    private static func labels(_ parameters: Substring) -> String {
        var labels = "", depth = 0, isAtLabel = true, word = ""
        for character in parameters {
            if depth == 0, isAtLabel {
                if character == ")" { break }
                if character == " " || character == ":" {
                    guard !word.isEmpty else { continue }
                    labels += word + ":"
                    (word, isAtLabel) = ("", false)
                } else {
                    word.append(character)
                }
                continue
            }
            if "([<{".contains(character) { depth += 1 }
            if ")]>}".contains(character) { depth -= 1 }
            if depth < 0 { break }
            if depth == 0, character == "," { isAtLabel = true }
        }
        return labels
    }

    // MARK: Other forms

    /// Global names in a comment: `// NSInsertedObjectIDsKey 2/2; NSStoreTypeKey 2/5;`
    private mutating func readGlobals(_ line: String) {
        for match in line.matches(of: /(\w+(?:\([\w:]*\))?) \d+\/\d+/) { add(String(match.output.1)) }
    }

    /// A row of the table of error codes: `| 1550 | `NSManagedObjectValidationError` | `.managedObjectValidation` | … |`
    private mutating func readErrorCode(_ line: String) {
        guard let match = line.firstMatch(of: /^\|\s*\d+ \| `(\w+)` \| `\.(\w+)`/) else { return }
        add(String(match.output.1))
        owners = ["CocoaError.Code"]
        add(String(match.output.2))
        owners = []
    }

    private mutating func add(_ name: String) {
        let declaration = SpecDeclaration(tier: tier, owner: owners.last ?? "", name: name)
        if seen.insert(declaration.path).inserted { declarations.append(declaration) }
    }
}
