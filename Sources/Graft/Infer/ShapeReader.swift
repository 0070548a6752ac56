// Reads data into shapes, token by token. Memory is bounded by the number of places and of identities, not by the data: an
// object is looked at while it goes by.

import Foundation

/// Looks at the records of texts.
struct ShapeReader: ~Copyable {
    /// How deep objects are looked into; what is deeper is a tree, as an export nests no deeper.
    private static let maximumDepth = ExportOptions().nestingLimit
    /// How many keys are told apart in all.
    private static let maximumMembers = 20_000

    private var reader: JSONReader
    /// The objects around the current one, the outermost first.
    private var open: [ObjectShape] = []
    /// The key that the value now being read is below, as far as keys are told apart.
    private var latest: MemberShape?
    private(set) var counts: Counts
    /// How many numbers of more digits than a Decimal has there were.
    private var longNumberCount = 0

    /// What goes on from text to text: shapes do, too.
    struct Counts {
        /// How many keys are told apart.
        var members = 0
        /// The number of the last object.
        var objects = 0
    }

    init(_ reader: consuming JSONReader, after counts: Counts) {
        self.reader = reader
        self.counts = counts
    }

    /// Reads all records.
    ///
    /// - Throws: ``GraftError`` where a record is no object, and for what isn't JSON.
    mutating func readRecords(into root: ObjectShape) throws {
        while let token = try reader.nextRecord() {
            guard token == .beginObject else {
                throw reader.error(
                    .wrongType(
                        found: AttributeConverter.words(for: token, reader),
                        expected: "an object, such as {\"value\": 1}: entities are made from objects"))
            }
            _ = try readObject(root)
        }
    }

    // MARK: Values

    /// Reads a value and returns its hash.
    ///
    /// - Parameters:
    ///   - member: Where it stands; nil where nothing is noted.
    ///   - isElement: Whether it is in an array there.
    private mutating func readValue(_ token: JSONToken, _ member: MemberShape?, isElement: Bool) throws -> UInt64 {
        let part: WritableKeyPath<MemberShape, Occurrences> = isElement ? \.elements : \.direct
        switch token {
        case .null:
            if let member { note(member, part) { $0.nulls += 1 } }
            return Self.hash(.null)
        case .boolean(let value):
            if let member { note(member, part) { $0.scalars.noteBoolean() } }
            return Self.hash(.boolean(value))
        case .number(let text):
            // Also where nothing is noted: what no type holds is an error anywhere.
            var forms = member?[keyPath: part].scalars ?? ScalarForms()
            let before = forms.longNumbers
            try forms.note(number: text, reader)
            longNumberCount += forms.longNumbers - before
            if let member { note(member, part) { $0.scalars = forms } }
            let number = JSONValue.Number(checkedText: reader.string(of: text))
            return Self.hash(number.int64.map { .integer($0) } ?? .json(.number(number)))
        case .string(let text):
            if let member {
                if isElement {
                    member.elements.scalars.note(text: text, reader)
                } else {
                    member.direct.scalars.note(text: text, reader)
                }
            }
            return Self.hash(.string(reader.string(of: text)))
        case .beginArray:
            if let member { note(member, part) { $0.arrays += 1 } }
            return try readArray(isElement ? nil : member)
        default:
            if let member { note(member, part) { $0.objects += 1 } }
            return try readObject(try member.flatMap { try child(of: $0) })
        }
    }

    private func note(
        _ member: MemberShape, _ part: WritableKeyPath<MemberShape, Occurrences>, _ body: (inout Occurrences) -> Void
    ) {
        var member = member
        body(&member[keyPath: part])
    }

    /// What a scalar says as an identifier, as a hash: UUIDs are the same whatever the case of their letters.
    private func identifier(_ token: JSONToken, _ hash: UInt64) -> UInt64 {
        guard case .string(let text) = token, text.count == 36,
            let uuid = reader.withContents(of: text, { EncodedText.uuid($0) })
        else { return hash }
        return Self.hash(.uuid(uuid))
    }

    private mutating func readArray(_ member: MemberShape?) throws -> UInt64 {
        var hash = IdentityHash()
        var seen: Set<UInt64> = []
        var count = 0
        var token = try reader.next()
        while token != .endArray {
            let isScalar = token.isScalar
            let element = try readValue(token, member, isElement: true)
            hash.combine(.integer(Int64(bitPattern: element)))
            if let member {
                if !seen.insert(element).inserted { member.hasEqualElements = true }
                if isScalar { member.references.insert(identifier(token, element)) }
            }
            count += 1
            token = try reader.next()
        }
        if count == 0 { member?.emptyArrays += 1 }
        hash.combine(.integer(Int64(count)))
        return hash.value
    }

    // MARK: Objects

    /// Reads an object whose brace has just been read, and returns a hash of its contents, whatever the order of its keys.
    private mutating func readObject(_ shape: ObjectShape?) throws -> UInt64 {
        counts.objects += 1
        let number = counts.objects
        let owner = latest
        shape?.count += 1
        if let shape { open.append(shape) }
        defer {
            if shape != nil { open.removeLast() }
            latest = owner
        }
        var keys: Set<JSONKeyBytes> = []
        var sum: UInt64 = 1
        var identities: [String: UInt64] = [:]
        while case .key(let text) = try reader.next() {
            let key = reader.string(of: text)
            let member = try shape.flatMap { try self.member(key, of: $0) }
            if let member {
                if member.latestOwner == number { member.repetitions += 1 } else { member.presence += 1 }
                member.latestOwner = number
                latest = member
            } else if !keys.insert(JSONKeyBytes(key)).inserted {
                owner?.repetitions += 1
            }
            let token = try reader.next()
            let isScalar = token.isScalar
            let longNumbers = longNumberCount
            let value = try readValue(token, member, isElement: false)
            if longNumberCount > longNumbers { member?.hasLongNumbers = true }
            if isScalar, let member, let shape {
                let identifier = identifier(token, value)
                if shape.candidates.contains(where: { $0.key == key }) { identities[key] = identifier }
                if ReferenceNames.base(of: key) != nil { member.references.insert(identifier) }
            }
            var pair = IdentityHash()
            pair.combine(.string(key))
            pair.combine(.integer(Int64(bitPattern: value)))
            sum &+= pair.value
        }
        if let shape {
            for index in shape.candidates.indices {
                shape.candidates[index].note(identities[shape.candidates[index].key], contents: sum)
            }
        }
        return sum
    }

    /// What stands under a key. Where an object has too many, or one that no key path can name, it is no object of an entity.
    private mutating func member(_ key: String, of shape: ObjectShape) throws -> MemberShape? {
        guard shape.obstacle == nil || shape.isRoot else { return nil }
        if let known = shape[key] { return known }
        if !Self.isMappable(key) {
            shape.obstacle = "the key '\(DiffRendering.visible(key))' can't be named by a key path"
        } else if counts.members < Self.maximumMembers, let member = shape.member(key) {
            counts.members += 1
            return member
        } else {
            shape.obstacle = "there are more than \(ObjectShape.maximumKeys) keys, which are values then"
        }
        guard !shape.isRoot else {
            throw reader.error(
                .other(
                    finding: "no entity can be made from this record: \(shape.obstacle ?? "")",
                    remedy: "Put the objects under keys with fixed names."))
        }
        return nil
    }

    /// Whether an annotation can name a key, and an XML document have it.
    private static func isMappable(_ key: String) -> Bool {
        guard !key.isEmpty,
            key.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0xFFFE || $0.value > 0xFFFF })
        else { return false }
        return SourcePath(SourcePath(keys: [key]).description)?.keys == [key]
    }

    /// The shape of the objects under a key.
    private mutating func child(of member: MemberShape) throws -> ObjectShape? {
        guard open.count < Self.maximumDepth else {
            member.child?.obstacle = "the objects are nested too deep"
            return nil
        }
        if let child = member.child { return child }
        let name = EnglishNames.singular(member.key)
        if let same = open.last(where: { !$0.isRoot && EnglishNames.singular($0.key) == name }), try resembles(same) {
            same.isRecursive = true
            member.child = same
            return same
        }
        let child = ObjectShape(key: member.key, path: member.path)
        member.child = child
        return child
    }

    /// Whether the object that begins has the keys of a shape, mostly. Nothing is read on.
    private mutating func resembles(_ shape: ObjectShape) throws -> Bool {
        let mark = reader.mark()
        var (known, all) = (0, 0)
        do {
            while case .key(let text) = try reader.next() {
                all += 1
                if shape[reader.string(of: text)] != nil { known += 1 }
                try reader.skipValue()
            }
        } catch {
            reader.release(mark)
            throw error
        }
        reader.rewind(to: mark)
        return known * 2 > all
    }

    private static func hash(_ value: GraphValue) -> UInt64 {
        var hash = IdentityHash()
        hash.combine(value)
        return hash.value
    }
}

extension JSONToken {
    fileprivate var isScalar: Bool {
        switch self {
        case .string, .number, .boolean: true
        default: false
        }
    }
}
