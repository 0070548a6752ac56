// Types whose declarations are known, and how they stand in a symbol's name.

/// Where a nominal type is declared.
package struct NominalType: Hashable, Sendable {
    /// The letter of its kind in a symbol's name.
    package enum Kind: String, Sendable {
        case `class` = "C"
        case `struct` = "V"
        case `enum` = "O"
    }

    package struct Step: Hashable, Sendable {
        package var name: String
        package var kind: Kind

        package init(name: String, kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    var module: String
    /// The type, after the types that it is declared in.
    var path: [Step]

    var isClass: Bool { path.last?.kind == .class }
    var text: String { ([module] + path.map(\.name)).joined(separator: ".") }
}

/// A type as a declaration means it, after type aliases.
indirect enum ResolvedType {
    /// One of the standard library's that have a letter of their own.
    case standard(Character, arguments: [ResolvedType])
    case nominal(NominalType)
    case optional(ResolvedType)
    case any
    case anyObject

    /// A text that tells types apart.
    var text: String {
        switch self {
        case .standard(let letter, let arguments): "S\(letter)<\(arguments.map(\.text).joined(separator: ","))>"
        case .nominal(let type): type.text
        case .optional(let wrapped): "\(wrapped.text)?"
        case .any: "Any"
        case .anyObject: "AnyObject"
        }
    }

    /// The nominal types in it, but for the standard library's with letters.
    var nominals: [NominalType] {
        switch self {
        case .standard(_, let arguments): arguments.flatMap(\.nominals)
        case .nominal(let type): [type]
        case .optional(let wrapped): wrapped.nominals
        case .any, .anyObject: []
        }
    }
}

extension Mangler {
    mutating func append(_ type: ResolvedType) {
        switch type {
        case .any: append("yp")
        case .anyObject: append("yXl")
        case .nominal(let type): append(type)
        case .standard(let letter, let arguments) where arguments.isEmpty: appendStandard(letter)
        case .standard(let letter, let arguments):
            if substitute(type.text) { return }
            appendStandard(letter)
            append("y")
            for argument in arguments { append(argument) }
            append("G")
            remember(type.text)
        case .optional(let wrapped):
            if substitute(type.text) { return }
            append(wrapped)
            append("Sg")
            remember(type.text)
        }
    }

    /// Appends a nominal type, after what it is declared in.
    mutating func append(_ type: NominalType) {
        guard let last = type.path.last else {
            // A module: the standard library's has a letter.
            type.module == "Swift" ? append("s") : appendIdentifier(type.module)
            return
        }
        if substitute(type.text) { return }
        append(NominalType(module: type.module, path: type.path.dropLast()))
        appendIdentifier(last.name)
        append(last.kind.rawValue)
        remember(type.text)
    }
}

/// The symbols of members of a class.
struct MemberSymbol {
    let owner: NominalType
    let name: String
    /// Of a private member; see ``FileDiscriminator``.
    let discriminator: String?

    func getter(_ type: ResolvedType) -> String { accessor(type, "g") }

    func setter(_ type: ResolvedType) -> String { accessor(type, "s") }

    private func accessor(_ type: ResolvedType, _ kind: String) -> String {
        var mangler = named
        mangler.append(type)
        mangler.append("v\(kind)")
        return mangler.symbol
    }

    /// The owner and the member's name.
    private var named: Mangler {
        var mangler = Mangler()
        mangler.append(owner)
        mangler.appendIdentifier(name)
        if let discriminator {
            mangler.appendIdentifier(discriminator)
            mangler.append("LL")
        }
        return mangler
    }

    /// The symbol of a method without a result.
    func method(_ parameters: [(label: String?, type: ResolvedType)]) -> String {
        var mangler = named
        if parameters.allSatisfy({ $0.label == nil }) {
            if !parameters.isEmpty { mangler.append("y") }
        } else {
            for parameter in parameters {
                if let label = parameter.label { mangler.appendIdentifier(label) } else { mangler.append("_") }
            }
        }
        mangler.append("y")
        if parameters.isEmpty {
            mangler.append("y")
        } else if parameters.count == 1, parameters[0].label == nil {
            mangler.append(parameters[0].type)
        } else {
            for (index, parameter) in parameters.enumerated() {
                mangler.append(parameter.type)
                if index == 0 { mangler.append("_") }
            }
            mangler.append("t")
        }
        mangler.append("F")
        return mangler.symbol
    }
}
