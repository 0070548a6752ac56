// From the user info of a model to what it says of the mapping. The annotations of the dialect are in Dialects/; Graft's own
// policies go with every dialect. Problems are collected, so that whoever checks a model gets all of them at once.

import CoreData
import Foundation

/// Reads the annotations of a model.
struct AnnotationReader {
    let dialect: MappingOptions.Dialect
    /// What couldn't be read, in the order of reading.
    private(set) var problems: [GraftError] = []

    init(_ dialect: MappingOptions.Dialect) { self.dialect = dialect }

    /// What a property's annotations say.
    mutating func property(
        _ description: NSPropertyDescription, of entity: NSEntityDescription
    ) -> MappingOptions.Property {
        let place = GraftError.Place(entity: entity.name, property: description.name)
        let userInfo = description.userInfo
        var said = MappingOptions.Property()
        said.direction = choice(Annotation.direction, userInfo, place)
        said.nullPolicy = choice(Annotation.nullPolicy, userInfo, place)
        said.missingPolicy = choice(Annotation.missingPolicy, userInfo, place)
        said.exportsNull = flag(Annotation.exportsNull, userInfo, place)
        if description is NSRelationshipDescription {
            said.exportForm = choice(Annotation.exportForm, userInfo, place)
            said.referencePolicy = choice(Annotation.referencePolicy, userInfo, place)
            said.membersPolicy = choice(Annotation.toManyPolicy, userInfo, place, alias: ("union", .add))
            said.collectionForm = choice(Annotation.collectionForm, userInfo, place)
        } else {
            said.dateFormat = dateFormat(Annotation.dateFormat, userInfo, place)
            said.timeZone = timeZone(userInfo, place)
        }
        return said.filled(from: dialectProperty(description, of: entity, place))
    }

    /// What an entity's own annotations say; those of super-entities don't count here.
    mutating func entity(_ entity: NSEntityDescription) -> MappingOptions.Entity {
        let place = GraftError.Place(entity: entity.name)
        let userInfo = entity.userInfo
        func text(_ key: String) -> String? { Annotation.text(key, of: userInfo) }
        var said = MappingOptions.Entity()
        said.namingRule = value(
            Annotation.namingRule, userInfo, place, oneOf: MappingOptions.NamingRule.names,
            MappingOptions.NamingRule.init)
        said.entityMapperName = text(Annotation.entityMapperName)
        said.dictionaryTransformerName = text(Annotation.dictionaryTransformerName)
        said.rootKeyPath = text(Annotation.rootKeyPath)
        said.collectionForm = choice(Annotation.collectionForm, userInfo, place)
        said.versionAttribute = text(Annotation.versionAttribute)
        said.entityKey = text(Annotation.entityKey)
        said.entityValue = text(Annotation.entityValue)
        said.unknownEntityPolicy = choice(Annotation.unknownEntityPolicy, userInfo, place)
        said.entityChangePolicy = choice(Annotation.entityChangePolicy, userInfo, place)
        said.orphanPolicy = choice(Annotation.orphanPolicy, userInfo, place)
        said.orphanPredicate = text(Annotation.orphanPredicate)
        said.deletedKey = text(Annotation.deletedKey)
        said.deletedValue = text(Annotation.deletedValue)
        said.deletedListKeyPath = text(Annotation.deletedListKeyPath)
        for key in [Annotation.deletionLimit, Annotation.orphanLimit] where said.deletionLimit == nil {
            said.deletionLimit = value(
                key, userInfo, place, oneOf: ["a number of objects", "a percentage (10%)"],
                MappingOptions.DeletionLimit.init)
        }
        return said
    }

    // MARK: Reading values

    /// The choice that an annotation names.
    private mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ userInfo: [AnyHashable: Any]?, _ place: GraftError.Place, alias: (name: String, Choice)? = nil
    ) -> Choice? {
        value(key, userInfo, place, oneOf: Choice.allCases.map(\.rawValue)) { text in
            text == alias?.name ? alias?.1 : Choice(rawValue: text)
        }
    }

    private mutating func flag(_ key: String, _ userInfo: [AnyHashable: Any]?, _ place: GraftError.Place) -> Bool? {
        value(key, userInfo, place, oneOf: ["YES", "NO"]) { text in
            switch text.lowercased() {
            case "yes", "true", "1": true
            case "no", "false", "0": false
            default: nil
            }
        }
    }

    mutating func dateFormat(
        _ key: String, _ userInfo: [AnyHashable: Any]?, _ place: GraftError.Place
    ) -> MappingOptions.DateFormat? {
        let names: [MappingOptions.DateFormat] = [.iso8601, .unixSeconds, .unixMilliseconds, .referenceSeconds]
        return value(
            key, userInfo, place, oneOf: names.map(\.description) + ["a date pattern, such as dd.MM.yyyy"],
            MappingOptions.DateFormat.init)
    }

    private mutating func timeZone(_ userInfo: [AnyHashable: Any]?, _ place: GraftError.Place) -> TimeZone? {
        value(
            Annotation.timeZone, userInfo, place,
            oneOf: ["UTC", "an offset, such as +02:00", "a zone, such as Europe/Berlin"], TimeZone.init(naming:))
    }

    /// What an annotation says; nil, and a problem more, where nothing can be made of it.
    private mutating func value<Value>(
        _ key: String, _ userInfo: [AnyHashable: Any]?, _ place: GraftError.Place,
        oneOf known: @autoclosure () -> [String],
        _ read: (String) -> Value?
    ) -> Value? {
        guard let text = Annotation.text(key, of: userInfo) else { return nil }
        if let value = read(text) { return value }
        refuse(key, text, known(), place)
        return nil
    }

    /// Notes that an annotation has a value that it can't have.
    mutating func refuse(_ key: String, _ text: String, _ known: [String], _ place: GraftError.Place) {
        let closest = NameSuggestion.closest(to: text, among: known)
        problems.append(
            GraftError(
                .invalidMapping(
                    reason: "\(key) is '\(text)'",
                    remedy: "It is one of \(known.joined(separator: ", "))."
                        + (closest.map { " Did you mean '\($0)'?" } ?? "")),
                at: place))
    }
}

extension TimeZone {
    /// The zone with a name: UTC, an offset such as `+02:00`, or one of the zone database. Nil for any other text.
    init?(naming text: String) {
        if text == "UTC" || text == "GMT" || text == "Z" {
            self.init(secondsFromGMT: 0)
            return
        }
        guard let sign = text.first, sign == "+" || sign == "-" else {
            // The database alone: abbreviations such as EST mean different zones to different people.
            guard text.contains("/") else { return nil }
            self.init(identifier: text)
            return
        }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard digits.count == 2 || digits.count == 4, digits.allSatisfy(\.isNumber), let hours = Int(digits.prefix(2)),
            let minutes = digits.count == 4 ? Int(digits.suffix(2)) : 0, hours <= 18, minutes < 60
        else { return nil }
        self.init(secondsFromGMT: (hours * 60 + minutes) * (sign == "-" ? -60 : 60))
    }
}
