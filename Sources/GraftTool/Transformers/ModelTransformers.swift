// The transformers that a model names. The tool has no code of the model's program, so each follows a rule: the one given with
// --transformer, else the one in the configuration file beside the model (or beside the store that carries the model), else
// the one that its name usually stands for. The file of Heroes.xcdatamodeld, or of Heroes.sqlite, is Heroes.graft.json:
//
//     {"transformers": {"Status": "map:active=1,retired=2", "BirthDate": "date:dd.MM.yyyy"}}

import ArgumentParser
import CoreData
import Foundation
import Graft
import Synchronization

/// Finds and registers what stands for the transformers of a model.
enum ModelTransformers {
    /// By name, as given on the command line. Names get their rules again with each model that is opened, and these go first.
    private static let given = Mutex<[String: TransformerRule]>([:])

    /// Takes what is given on the command line, `NAME=RULE`, for all models from now on.
    ///
    /// - Throws: ``GraftError`` for what isn't a name and a rule.
    static func take(_ arguments: [String]) throws {
        let rules = try Self.rules(in: arguments)
        given.withLock { $0 = rules }
    }

    private static func rules(in arguments: [String]) throws -> [String: TransformerRule] {
        var given: [String: TransformerRule] = [:]
        for argument in arguments {
            let sides = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, !sides[0].isEmpty else {
                throw noRule(argument, "--transformer \(argument)")
            }
            given[sides[0]] = try rule(sides[1], "--transformer \(argument)")
        }
        return given
    }

    /// Refuses what isn't a name and a rule, as a mistake of the command line.
    static func check(_ arguments: [String]) throws {
        do {
            _ = try rules(in: arguments)
        } catch let error as GraftError {
            throw ValidationError(error.description)
        }
    }

    /// Registers a transformer for each name in the model.
    ///
    /// - Parameter path: The model, or the store that carries it.
    /// - Throws: ``GraftError``: for a name without a rule, for one that the model doesn't have, and for a configuration that
    ///   can't be read.
    static func register(for model: NSManagedObjectModel, at path: String) throws {
        guard let (name, attribute) = try registerKnown(for: model, at: path) else { return }
        throw GraftError(
            .invalidMapping(
                reason: "\(annotation) names '\(name)', which code registers that isn't here",
                remedy:
                    "Say what it does with --transformer \(name)=RULE, or in \(configuration(beside: path).name). "
                    + "RULE is \(TransformerRule.forms)."),
            at: .init(entity: attribute.entity.name, property: attribute.name))
    }

    /// Registers a transformer for each name in the model that there is a rule for: where nothing else may be needed.
    ///
    /// - Parameters:
    ///   - path: The model, or the store that carries it.
    ///   - needsGiven: Whether it is the model that the command line is about, which has all the names given there.
    /// - Returns: The first name without a rule, and who names it.
    /// - Throws: As ``register(for:at:)``, but for names without a rule.
    @discardableResult
    static func registerKnown(
        for model: NSManagedObjectModel, at path: String, needsGiven: Bool = true
    ) throws -> (name: String, attribute: NSAttributeDescription)? {
        let uses = Self.uses(in: model), mappers = Self.mappers(in: model)
        let given = Self.given.withLock { $0 }, configured = try rules(inConfigurationBeside: path)
        let sources = [(needsGiven ? given : [:], "--transformer"), (configured, configuration(beside: path).url.path)]
        for (rules, source) in sources {
            for (name, rule) in rules.sorted(by: { $0.key < $1.key }) {
                if rule.isOfEntities ? mappers.contains(name) : uses[name] != nil { continue }
                throw misplaced(name, rule, uses.keys + mappers, source)
            }
        }
        for name in mappers { (given[name] ?? configured[name])?.register(as: name, for: nil) }
        var unknown: (String, NSAttributeDescription)?
        for (name, attributes) in uses.sorted(by: { $0.key < $1.key }) {
            let isRegistered = ValueTransformer(forName: NSValueTransformerName(name)) != nil
            let rule = given[name] ?? configured[name] ?? (isRegistered ? nil : TransformerRule(usualName: name))
            let kinds = Set(attributes.map { AttributeKind($0) })
            rule?.register(as: name, for: kinds.count == 1 ? kinds.first : nil)
            if rule == nil, !isRegistered, unknown == nil { unknown = (name, attributes[0]) }
        }
        return unknown
    }

    /// Refuses names that the model doesn't have.
    static func require(_ names: [String], in model: NSManagedObjectModel) throws {
        let known = uses(in: model).keys + mappers(in: model)
        for name in names where !known.contains(name) { throw misplaced(name, nil, known, "--transformer") }
    }

    private static let annotation = "JSONTransformerName"
    private static let mapperAnnotation = "entityMapperName"

    /// The error for a name that the model doesn't have, or has for something else than the rule.
    private static func misplaced(
        _ name: String, _ rule: TransformerRule?, _ known: [String], _ source: String
    ) -> GraftError {
        let closest = NameSuggestion.closest(to: name, among: known)
        let isOfEntities = rule?.isOfEntities ?? false
        let forms = isOfEntities ? TransformerRule.forms : TransformerRule.entityForms
        return GraftError(
            .other(
                finding: "no \(isOfEntities ? mapperAnnotation : annotation) of the model names '\(name)'",
                remedy: known.contains(name)
                    ? "RULE is \(forms) there." : closest.map { "Did you mean '\($0)'?" } ?? "Leave it out."),
            at: .init(source: source))
    }

    /// The names of what tells the sub-entities of entities.
    private static func mappers(in model: NSManagedObjectModel) -> [String] {
        Set(model.entities.compactMap { $0.userInfo?[mapperAnnotation] as? String }).sorted()
    }

    /// The attributes that name each transformer.
    private static func uses(in model: NSManagedObjectModel) -> [String: [NSAttributeDescription]] {
        var uses: [String: [NSAttributeDescription]] = [:]
        for entity in model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            for attribute in entity.ownProperties.compactMap({ $0 as? NSAttributeDescription }) {
                if let name = attribute.userInfo?[annotation] as? String { uses[name, default: []].append(attribute) }
            }
        }
        return uses
    }

    // MARK: Configuration

    /// What the names of configuration files end with, behind a dot.
    static let configurationExtension = "graft.json"

    /// The place of the configuration file of a model or a store; there need not be one.
    static func configuration(beside path: String) -> (url: URL, name: String) {
        let url = URL(fileURLWithPath: path).deletingPathExtension().appendingPathExtension(configurationExtension)
        return (url, url.lastPathComponent)
    }

    /// The rules in the configuration file; none where there is no file.
    private static func rules(inConfigurationBeside path: String) throws -> [String: TransformerRule] {
        let url = configuration(beside: path).url
        guard FileKind(ofPath: url.path) == .file else { return [:] }
        do {
            return try rules(inConfiguration: JSONValue(parsing: Data(contentsOf: url)), url.path)
        } catch let error as GraftError {
            throw error.located(in: .init(source: url.path))
        } catch {
            throw GraftError(.unreadableFile(reason: GraftError.words(of: error)), at: .init(source: url.path))
        }
    }

    private static func rules(inConfiguration json: JSONValue, _ source: String) throws -> [String: TransformerRule] {
        guard case .object(let object) = json else { throw noConfiguration }
        if let unknown = object.members.map(\.key).first(where: { $0 != "transformers" }) {
            throw GraftError(
                .other(finding: "the configuration has the key '\(unknown)'", remedy: "It has 'transformers' alone."))
        }
        guard case .object(let texts)? = object["transformers"] else { throw noConfiguration }
        return try texts.members.reduce(into: [:]) { rules, member in
            guard case .string(let text) = member.value else { throw noConfiguration }
            rules[member.key] = try rule(text, "\(source), '\(member.key)'")
        }
    }

    private static let noConfiguration = GraftError(
        .other(
            finding: "the configuration isn't one of transformers",
            remedy: #"Write {"transformers": {"NAME": "RULE"}}."#))

    private static func rule(_ text: String, _ source: String) throws -> TransformerRule {
        guard let rule = TransformerRule(text) else { throw noRule(text, source) }
        if case .date(let format) = rule, let slip = format.slip {
            throw GraftError(.other(finding: slip.finding, remedy: slip.remedy), at: .init(source: source))
        }
        return rule
    }

    private static func noRule(_ text: String, _ source: String) -> GraftError {
        GraftError(
            .other(finding: "'\(text)' is no rule", remedy: "Write NAME=RULE; RULE is \(TransformerRule.allForms)."),
            at: .init(source: source))
    }
}
