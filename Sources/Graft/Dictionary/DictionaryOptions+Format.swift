// Dictionaries as bytes: JSON and property lists, to send or to keep.

public import CoreData
import Foundation

extension DictionaryOptions {
    /// The form of a file of dictionaries.
    public enum Format: Sendable, CaseIterable {
        /// JSON with sorted keys and without white space, so that the same objects give the same bytes.
        case json
        /// A property list in XML.
        case xmlPropertyList
        /// A binary property list.
        case binaryPropertyList

        var valueForm: DictionaryOptions.ValueForm { self == .json ? .json : .propertyList }

        /// The bytes of a dictionary or an array of dictionaries, whose values have the form for it.
        func data(of object: Any) throws -> Data {
            guard self == .json else {
                if self == .xmlPropertyList { try Self.checkTexts(object) }
                let format: PropertyListSerialization.PropertyListFormat = self == .xmlPropertyList ? .xml : .binary
                return try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0)
            }
            // The trees of dictionaries have their members by key.
            guard let tree = JSONValue(object: object) else {
                throw GraftError(.notRepresentable(value: "the dictionary", format: "JSON"))
            }
            var options = JSONWriter.Options()
            options.maximumDepth = Self.maximumDepth
            var writer = JSONWriter(options: options)
            try writer.value(tree)
            return try writer.finish()
        }

        /// Refuses texts that XML has no form for, which Foundation writes and can't read again.
        private static func checkTexts(_ object: Any) throws {
            switch object {
            case let text as String:
                let allowed: Set<Unicode.Scalar> = ["\t", "\n", "\r"]
                guard text.unicodeScalars.contains(where: { $0.value < 0x20 && !allowed.contains($0) }) else { return }
                throw GraftError(.notRepresentable(value: "a text with control characters", format: "XML"))
            case let dictionary as [String: Any]:
                for (key, value) in dictionary {
                    try checkTexts(key)
                    try checkTexts(value)
                }
            case let array as [Any]: for value in array { try checkTexts(value) }
            default: break
            }
        }

        /// The object in some bytes: a property list where they begin like one, else JSON. Numbers are exact.
        ///
        /// - Returns: With the object, where JSON has members that don't count, because their key stands there again.
        static func object(in data: Data) throws -> (Any, passedOver: [[GraftError.Place.PathComponent]]) {
            if data.starts(with: Data("bplist".utf8)) || data.starts(with: Data("<?xml".utf8)) {
                #if canImport(Darwin)
                    do {
                        // Safe: nobody asks for the format.
                        return (try unsafe PropertyListSerialization.propertyList(from: data, format: nil), [])
                    } catch {
                        throw GraftError(.unreadableFile(reason: "it isn't a property list"), underlying: error)
                    }
                #else
                    do {
                        return (try PropertyListFile.object(of: data, levels: maximumDepth), [])
                    } catch {
                        throw GraftError(.unreadableFile(reason: "it isn't a property list: \(error.description)"))
                    }
                #endif
            }
            var options = JSONReader.Options()
            options.maximumDepth = maximumDepth
            var reader = JSONReader(data, options: options)
            _ = try reader.next()
            let offset = reader.tokenOffset
            let tree = try reader.value()
            _ = try reader.next()
            if let part = tree.collision {
                throw GraftError(part.problem, at: reader.place(offset: offset, path: part.path))
            }
            return (tree.objectWithTexts, tree.passedOver)
        }

        /// How deep a file may be nested: reading and releasing takes stack for each level.
        private static let maximumDepth = 512
    }
}

extension NSManagedObject {
    /// The object and everything that it reaches as a file: a dictionary as ``toDictionary(options:)`` returns it, with
    /// values that the format can hold, whatever the options say of them.
    ///
    /// - Throws: As ``toDictionary(options:)``; `tooDeep` for JSON where ``DictionaryOptions/maximumNesting`` is higher than
    ///   its default.
    public func dictionaryData(
        _ format: DictionaryOptions.Format, options: DictionaryOptions = DictionaryOptions()
    ) throws -> Data {
        var options = options
        options.valueForm = format.valueForm
        return try format.data(of: toDictionary(options: options))
    }
}

extension Sequence where Element: NSManagedObject {
    /// The objects as a file: an array of dictionaries. See ``CoreData/NSManagedObject/dictionaryData(_:options:)``.
    ///
    /// - Throws: As ``CoreData/NSManagedObject/dictionaryData(_:options:)``.
    public func dictionaryData(
        _ format: DictionaryOptions.Format, options: DictionaryOptions = DictionaryOptions()
    ) throws -> Data {
        var options = options
        options.valueForm = format.valueForm
        return try format.data(of: toDictionaries(options: options))
    }
}

extension NSManagedObjectContext {
    /// Makes or updates the objects of a file that ``CoreData/NSManagedObject/dictionaryData(_:options:)`` has made, or of any JSON or
    /// property list that is a dictionary or an array of them.
    ///
    /// - Parameters:
    ///   - data: The bytes; they say themselves what they are.
    ///   - entity: The entity of the objects at the top, where the file doesn't name it.
    ///   - options: How a dictionary is read: identities, members, and what doesn't fit.
    /// - Returns: The objects in the order of the file, and the report.
    /// - Throws: ``GraftError``: `invalidJSON`, `unreadableFile`, and as
    ///   ``populateObjects(fromDictionaries:entity:options:)``. Then the context is as it was.
    @discardableResult
    public func populateObjects(
        fromDictionaryData data: Data, entity: String? = nil, options: PopulateOptions = PopulateOptions()
    ) throws -> (objects: [NSManagedObject], report: ImportReport) {
        let (object, passedOver) = try DictionaryOptions.Format.object(in: data)
        if let dictionary = object as? [String: Any] {
            return try populateObjects([dictionary], entity, options, passedOver: passedOver.map { [.index(0)] + $0 })
        }
        guard let array = object as? [Any] else {
            throw GraftError(
                .wrongType(
                    found: DictionaryValue.words(for: object), expected: "a dictionary or an array of dictionaries"),
                at: .init(path: []))
        }
        let dictionaries = try array.enumerated().map { index, element in
            if let dictionary = element as? [String: Any] { return dictionary }
            throw GraftError(
                .wrongType(found: DictionaryValue.words(for: element), expected: "a dictionary"),
                at: .init(path: [.index(index)]))
        }
        return try populateObjects(dictionaries, entity, options, passedOver: passedOver)
    }
}
