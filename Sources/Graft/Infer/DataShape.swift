// What data looks like, over all of its records: one `ObjectShape` for the objects that stand in one place, one `MemberShape`
// for each of their keys. Kept while the data goes by; nothing of the data itself stays but numbers and hashes.
//
//     [{"name": "A", "powers": [{"id": 1}]}]      records --name--> texts
//                                                         --powers--> arrays of objects --id--> numbers
//
// Objects that nest objects of their own kind (`children` in `children`) are one shape, which then leads to itself.

/// The objects in one place.
final class ObjectShape {
    /// The limit of keys: a table of a store has up to 2,000 columns, and what has more keys has them as values.
    static let maximumKeys = 1000

    /// The key under which the objects stand, or the name of the entity of the records.
    let key: String
    /// Where the objects stand, for people: `hero.powers`.
    let path: String
    let isRoot: Bool
    private(set) var members: [MemberShape] = []
    private var numbers: [JSONKeyBytes: Int] = [:]
    var count = 0
    /// Why the objects can't be of an entity; nil where nothing is in the way.
    var obstacle: String?
    var candidates: [IdentityCandidate] = []
    /// Whether objects of this shape are nested in others of it.
    var isRecursive = false

    init(key: String, path: String, isRoot: Bool = false) {
        self.key = key
        self.path = path
        self.isRoot = isRoot
    }

    /// What stands under a key; nil where there would be too many.
    func member(_ key: String) -> MemberShape? {
        if let number = numbers[JSONKeyBytes(key)] { return members[number] }
        guard members.count < Self.maximumKeys else { return nil }
        let member = MemberShape(key: key, path: "\(path).\(key)")
        numbers[JSONKeyBytes(key)] = members.count
        members.append(member)
        if count == 1, let rank = IdentityCandidate.rank(of: key, in: self.key) {
            candidates.append(IdentityCandidate(key: key, rank: rank))
        }
        return member
    }

    subscript(key: String) -> MemberShape? { numbers[JSONKeyBytes(key)].map { members[$0] } }
}

/// How often values of each kind occur.
struct Occurrences {
    var nulls = 0
    var scalars = ScalarForms()
    var objects = 0
    var arrays = 0

    var total: Int { nulls + scalars.count + objects + arrays }
}

/// What stands under one key.
final class MemberShape {
    let key: String
    let path: String
    /// In how many objects the key is.
    var presence = 0
    /// How many objects have the key more than once.
    var repetitions = 0
    var direct = Occurrences()
    /// What is in the arrays.
    var elements = Occurrences()
    var emptyArrays = 0
    /// Whether an array has two equal elements.
    var hasEqualElements = false
    /// Whether there are numbers of more digits than a Decimal has here or further below.
    var hasLongNumbers = false
    /// The objects, also those in arrays.
    var child: ObjectShape?
    /// The values, where they may be identifiers of other objects.
    var references = ReferenceValues()
    /// The object that had the key last, by number.
    var latestOwner = -1

    init(key: String, path: String) {
        self.key = key
        self.path = path
    }
}

/// The values under a key that may be identifiers of other objects, as hashes.
struct ReferenceValues {
    /// Beyond this they aren't followed.
    static let limit = 500_000

    private(set) var values: Set<UInt64> = []
    private(set) var count = 0
    private(set) var isComplete = true

    /// The values of several places together.
    init(_ places: [ReferenceValues]) {
        self = places.first ?? ReferenceValues()
        for place in places.dropFirst() {
            count += place.count
            isComplete = isComplete && place.isComplete
            values.formUnion(place.values)
        }
    }

    init() {}

    mutating func insert(_ hash: UInt64) {
        guard isComplete else { return }
        count += 1
        values.insert(hash)
        if values.count > Self.limit { (isComplete, values) = (false, []) }
    }
}

/// A key that may identify the objects of a shape: named so, and there in all of them so far.
struct IdentityCandidate {
    /// How many identities are compared, at most: 24 bytes for each.
    static let limit = 4_000_000
    /// How many objects have to be there before a name like `code` is trusted.
    private static let enough = 10

    let key: String
    /// 0 is the best.
    let rank: Int
    /// By value: a hash of the object's contents.
    private(set) var contents: [UInt64: UInt64] = [:]
    /// How many objects have the same value as an equal one before.
    private(set) var repetitions = 0
    /// Why this is no identity, whatever else is known; nil where it may be one.
    private var refutation: String?

    init(key: String, rank: Int) {
        self.key = key
        self.rank = rank
    }

    /// How well the name of a key fits an identity; nil where it doesn't.
    static func rank(of key: String, in entity: String) -> Int? {
        let plain = { (text: String) in text.lowercased().filter { $0 != "_" && $0 != "-" } }
        let name = plain(key)
        if name == "id" { return 0 }
        if ["uuid", "guid", "uid", "identifier"].contains(name) { return 1 }
        if name == plain(EnglishNames.singular(entity)) + "id" { return 2 }
        return ["code", "key", "slug", "sku", "isbn"].contains(name) ? 3 : nil
    }

    /// Notes an object.
    mutating func note(_ value: UInt64?, contents hash: UInt64) {
        guard refutation == nil else { return }
        guard let value else { return refute("it isn't in all objects") }
        if let known = contents[value] {
            if known == hash { repetitions += 1 } else { refute("different objects have the same value") }
        } else if contents.count < Self.limit {
            contents[value] = hash
        } else {
            refute("there are more than \(Self.limit) objects, too many to compare")
        }
    }

    /// Why this doesn't identify the objects of a shape; nil where it may.
    func refutation(in shape: ObjectShape) -> String? {
        if let refutation { return refutation }
        if rank >= 3, shape.count < Self.enough { return "there are fewer than \(Self.enough) objects to tell" }
        if shape.isRoot, repetitions > 0 { return "equal records have the same value" }
        return shape.isRecursive && repetitions > 0 ? ShapePlan.meetsItself : nil
    }

    private mutating func refute(_ reason: String) {
        refutation = reason
        contents = [:]
    }
}
