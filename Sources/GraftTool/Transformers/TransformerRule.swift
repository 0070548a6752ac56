// What a transformer does that a model names and no code registers here, in one word or one word and its argument:
//
//     integer                     "12" <-> 12; a number is read, too
//     text                        12 <-> "12"
//     date:FORMAT                 as JSONDateFormat: iso8601, unixSeconds, unixMilliseconds, referenceSeconds, dd.MM.yyyy
//     url                         "https://example.org" <-> a URL
//     case:upper, case:lower      "abc" -> "ABC"; written as it is
//     map:a=1,b=2                 "a" <-> 1
//     entity:type                 of an object, the name of its entity under the key
//     entity:type,cat=Cat         the same, with what stands for which entity; any other is of the entity that was asked for
//
// The last two are for `entityMapperName`, the others for `JSONTransformerName`.
// A value that a rule doesn't take is refused, as by any transformer.

import CoreData
import Foundation
import Graft

/// A rule that stands for a value transformer.
enum TransformerRule {
    case integer
    case text
    case date(MappingOptions.DateFormat)
    case url
    case upperCase
    case lowerCase
    /// Keys of the JSON and the texts of the values that they stand for, in their order.
    case map([(key: String, value: String)])
    /// The key under which objects say what they are, and which entity each of these texts stands for.
    case entity(key: String, names: [(key: String, value: String)])

    static let forms = "integer, text, url, date:FORMAT, case:upper, case:lower or map:KEY=VALUE,..."
    static let entityForms = "entity:KEY or entity:KEY,VALUE=ENTITY,..."
    static let allForms = "\(forms); of an entityMapperName \(entityForms)"

    var isOfEntities: Bool { if case .entity = self { true } else { false } }

    /// Reads a rule; nil for a text that is none.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count == 2 ? parts[1] : nil) {
        case ("integer", nil): self = .integer
        case ("text", nil): self = .text
        case ("url", nil): self = .url
        case ("case", "upper"): self = .upperCase
        case ("case", "lower"): self = .lowerCase
        case ("date", nil): self = .date(.iso8601)
        case ("date", let format?):
            guard let format = MappingOptions.DateFormat(format) else { return nil }
            self = .date(format)
        case ("map", let list?):
            guard let entries = Self.entries(list.split(separator: ",")), !entries.isEmpty else { return nil }
            self = .map(entries)
        case ("entity", let list?):
            let parts = list.split(separator: ",")
            guard let key = parts.first, !key.contains("="), let names = Self.entries(parts.dropFirst()) else {
                return nil
            }
            self = .entity(key: String(key), names: names)
        default: return nil
        }
    }

    /// The two sides of each text; nil where one isn't of two, or the first side of another one.
    private static func entries(_ texts: some Sequence<Substring>) -> [(key: String, value: String)]? {
        var entries: [(key: String, value: String)] = []
        for text in texts {
            let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, !entries.contains(where: { $0.key == sides[0] }) else { return nil }
            entries.append((sides[0], sides[1]))
        }
        return entries
    }

    /// The rule that a usual name stands for: `StringToInteger`, `StringToIntegerTransformer`, `GRTURLTransformer`, ...
    init?(usualName name: String) {
        var word = name.lowercased().filter { $0.isLetter || $0.isNumber }
        for ending in ["transformer", "value"] where word.hasSuffix(ending) { word.removeLast(ending.count) }
        switch word {
        case "stringtointeger", "stringtoint", "stringtonumber", "integerfromstring", "stringinteger": self = .integer
        case "integertostring", "inttostring", "numbertostring", "stringfrominteger", "stringfromnumber": self = .text
        case "stringtourl", "urlfromstring", "url", "urlstring", "grturl": self = .url
        case "stringtodate", "datefromstring", "iso8601date", "iso8601stringtodate", "iso8601", "date":
            self = .date(.iso8601)
        case "uppercase", "uppercasestring": self = .upperCase
        case "lowercase", "lowercasestring": self = .lowerCase
        default: return nil
        }
    }

    // MARK: Registering

    /// Registers a transformer that follows the rule.
    ///
    /// - Parameter kind: The type of the attributes, which says what a map's values are; nil where they have several.
    func register(as name: String, for kind: AttributeKind?) {
        if case .entity(let key, let names) = self {
            return ValueTransformer.setEntityMapper(withName: name) { (object: [String: Any]) -> String? in
                guard let text = object[key].flatMap({ Self.converted($0, AttributeConverter(.string)) as? String })
                else { return nil }
                return names.isEmpty ? text : names.first { $0.key == text }?.value
            }
        }
        ValueTransformer.setValueTransformer(
            withName: name, transform: { (json: Any) in value(json, kind) },
            reverseTransform: { (value: Any) in json(value, kind) })
    }

    /// The value of an attribute for a JSON value; nil for one that the rule doesn't take.
    private func value(_ json: Any, _ kind: AttributeKind?) -> Any? {
        switch self {
        case .integer: Self.converted(json, AttributeConverter(.integer64))
        case .text: Self.converted(json, AttributeConverter(.string))
        case .url: Self.converted(json, AttributeConverter(.uri))
        case .date(let format): Self.converted(json, AttributeConverter(dateFormat: format))
        case .upperCase: (json as? String)?.uppercased()
        case .lowerCase: (json as? String)?.lowercased()
        case .map(let entries):
            (Self.converted(json, AttributeConverter(.string)) as? String).flatMap { key in
                entries.first { $0.key == key }.map { Self.value(ofEntry: $0.value, kind) }
            }
        case .entity: nil
        }
    }

    /// The JSON value for an attribute's. What a map doesn't have is written as it is, unless that would be one of its keys.
    private func json(_ value: Any, _ kind: AttributeKind?) -> Any? {
        switch self {
        case .integer: (value as? NSNumber)?.stringValue
        case .text: (value as? String).map { text in Self.scalar(text) as? NSNumber ?? text as Any }
        case .url: (value as? URL)?.absoluteString
        case .date(let format): (value as? Date).flatMap { Self.written($0, format) }
        case .upperCase, .lowerCase, .entity: value
        case .map(let entries):
            entries.first { Self.isEqual(Self.value(ofEntry: $0.value, kind), value) || $0.value == value as? String }?
                .key
                ?? (entries.contains { $0.key == "\(value)" } ? nil : Self.json(asItIs: value))
        }
    }

    // MARK: Values

    /// What the converter makes of a JSON value; nil for one that it doesn't take: the importer then says so, with the place.
    private static func converted(_ json: Any, _ converter: AttributeConverter) -> Any? {
        do {
            return try converter.value(of: JSONValue(convertingObject: json)).object
        } catch {
            return nil
        }
    }

    /// What the text of a map's value stands for.
    private static func value(ofEntry text: String, _ kind: AttributeKind?) -> Any {
        guard let kind, kind != .transformable else { return scalar(text) }
        return converted(text, AttributeConverter(kind)) ?? text
    }

    private static func json(asItIs value: Any) -> Any? {
        do { return try JSONValue(convertingObject: value).object } catch { return nil }
    }

    private static func isEqual(_ one: Any, _ other: Any) -> Bool {
        (one as? AnyHashable).map { $0 == other as? AnyHashable } ?? false
    }

    private static func written(_ date: Date, _ format: MappingOptions.DateFormat) -> Any? {
        do {
            var writer = JSONWriter()
            let value = GraphValue.date(date.timeIntervalSinceReferenceDate)
            try AttributeConverter(dateFormat: format).write(value, to: &writer)
            return try JSONValue(parsing: writer.finish()).object
        } catch {
            return nil
        }
    }

    /// A number where the text is just how that number is written; else the text.
    private static func scalar(_ text: String) -> Any {
        if let integer = Int64(text), "\(integer)" == text { return NSNumber(value: integer) }
        if let double = Double(text), double.isFinite, "\(double)" == text { return NSNumber(value: double) }
        return text
    }
}
