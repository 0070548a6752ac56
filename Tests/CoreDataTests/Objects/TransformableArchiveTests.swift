// Bytes of transformable values, from anywhere: those that stand for data become objects, all others stay as they are, and none
// ends the process.

import Foundation
import Testing

@testable import CoreData

/// A class of an application's own.
final class ArchivedColour: NSObject, NSCoding {
    let name: String

    init(_ name: String) { self.name = name }

    init?(coder: NSCoder) { name = coder.decodeObject(forKey: "name") as? String ?? "" }

    func encode(with coder: NSCoder) { coder.encode(NSString(string: name), forKey: "name") }
}

private final class ColourTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [ArchivedColour.self] + super.allowedTopLevelClasses }
}

@Suite struct TransformableArchiveTests {
    typealias Field = KeyedArchiveBuilder.Field

    /// Bytes that are no object, each in its own way.
    private static func malformed() -> [(name: String, bytes: Data)] {
        func archive(_ fill: (inout KeyedArchiveBuilder) -> PropertyListValue) -> Data {
            var builder = KeyedArchiveBuilder()
            guard case .uid(let root) = fill(&builder) else { return Data() }
            return builder.archive(root: root)
        }
        func object(_ name: String, _ fields: [Field]) -> Data {
            archive { $0.add(classes: [name, "NSObject"], fields) }
        }
        let keys = PropertyListValue.array([.uid(0), .uid(0)])
        return [
            ("no archive", Data("text".utf8)), ("nothing", Data()),
            (
                "two keys, one object",
                object("NSDictionary", [.init("NS.keys", keys), .init("NS.objects", .array([.uid(0)]))])
            ),
            (
                "an array in itself",
                archive { builder in
                    let uid = builder.reserve()
                    builder.fill(uid, classes: ["NSArray", "NSObject"], [.init("NS.objects", .array([.uid(uid)]))])
                    return .uid(uid)
                }
            ),
            (
                "20,000 levels",
                archive { builder in (0..<20_000).reduce(builder.text("x")) { inner, _ in builder.array([inner]) } }
            ),
            ("a text of numbers", object("NSString", [.init("NS.string", .integer(5))])),
            ("a text without text", object("NSMutableString", [])),
            ("an error", object("NSError", [.init("NSCode", .integer(5))])),
            ("a URL of data", object("NSURL", [.init("NS.relative", .data(Data([1])))])),
            ("a locale of nothing", object("NSLocale", [])), ("a calendar", object("NSCalendar", [])),
            ("an array of numbers", object("NSArray", [.init("NS.objects", .array([.integer(5)]))])),
            ("a member that isn't there", object("NSArray", [.init("NS.objects", .array([.uid(999)]))])),
            ("a set without members", object("NSSet", [.init("NS.objects", .string("x"))])),
            ("a known class above an unknown one", archive { $0.add(classes: ["NSNull", "NSError"], []) }),
            ("a class of the module's", object("CoreData.NSManagedObjectModel", [])),
            ("a file handle", object("NSFileHandle", [])),
            (
                "a set of a decimal number",
                archive { builder in
                    let fields = ArchivedDecimal(1.5).fields
                    return builder.set([builder.add(classes: ["NSDecimalNumber", "NSNumber", "NSObject"], fields)])
                }
            ),
            (
                "a dictionary with two nulls as keys",
                archive { builder in
                    let null = builder.add(classes: ["NSNull", "NSObject"], [])
                    let fields = PropertyListValue.array([null, builder.add(classes: ["NSNull", "NSObject"], [])])
                    let both = [Field("NS.keys", fields), Field("NS.objects", fields)]
                    return builder.add(classes: ["NSDictionary", "NSObject"], both)
                }
            ),
            (
                "a set of two equal ordered sets",
                archive { builder in
                    let members = (0..<2).map { _ in
                        let text = PropertyListValue.array([builder.text("x")])
                        return builder.add(classes: ["NSOrderedSet", "NSObject"], [.init("NS.objects", text)])
                    }
                    return builder.set(members)
                }
            ),
            ("a UUID of one byte", object("NSUUID", [.init("NS.uuidbytes", .data(Data([1])))])),
        ]
    }

    @Test func `bytes that are no object of data stay as they are`() throws {
        for (name, bytes) in Self.malformed() {
            let value = TransformableValue(stored: bytes, transformerName: nil)
            #expect(value.object == nil, "\(name)")
            #expect(value.hasUndecodableBytes, "\(name)")
            #expect(try value.storedBytes() == bytes, "\(name)")
        }
    }

    /// A few bytes that would be gigabytes of objects, by references to the same ones.
    @Test func `objects that multiply by reference are no object`() {
        func list(
            of count: Int, _ member: PropertyListValue, in builder: inout KeyedArchiveBuilder
        ) -> PropertyListValue {
            builder.array([PropertyListValue](repeating: member, count: count))
        }
        func archive(_ fill: (inout KeyedArchiveBuilder) -> PropertyListValue) -> Data {
            var builder = KeyedArchiveBuilder()
            guard case .uid(let root) = fill(&builder) else { return Data() }
            return builder.archive(root: root)
        }
        let lists = archive { builder in
            let inner = list(of: 20_000, builder.text("x"), in: &builder)
            return list(of: 20_000, inner, in: &builder)
        }
        let texts = archive { builder in
            let bytes = PropertyListValue.data(Data(count: 1 << 20))
            let text = builder.add(classes: ["NSString", "NSObject"], [.init("NS.bytes", bytes)])
            return list(of: 50_000, text, in: &builder)
        }
        let links = archive { builder in
            let text = builder.text(String(repeating: "x", count: 1 << 20))
            let members = (0..<20_000).map { _ in
                builder.add(classes: ["NSURL", "NSObject"], [.init("NS.base", .uid(0)), .init("NS.relative", text)])
            }
            return builder.array(members)
        }
        let fields = archive { builder in
            let many = (0..<5_000).map { Field("k\($0)", .boolean(true)) }
            let object = builder.add(classes: ["NSNull", "NSObject"], many)
            return list(of: 20_000, object, in: &builder)
        }
        for bytes in [lists, texts, links, fields] {
            #expect(bytes.count < 3 << 20)
            #expect(TransformableCoding.unarchived(bytes) == nil)
        }
        let long = archive { builder in list(of: 500_000, builder.text("x"), in: &builder) }
        #expect((TransformableCoding.unarchived(long) as? [String])?.count == 500_000)
    }

    @Test(arguments: ["NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer"])
    func `the default transformer has its name, and that of its class`(_ name: String) throws {
        let transformer = try #require(ValueTransformer(forName: NSValueTransformerName(name)))
        let bytes = try #require(transformer.reverseTransformedValue(["a"]))
        #expect(transformer.transformedValue(bytes) as? [String] == ["a"])
    }

    @Test func `bytes that are no object survive a save of their object`() throws {
        let store = try TestStore(
            TestModel.model([
                TestModel.entity(
                    "Thing",
                    [
                        TestModel.attribute("object", .transformableAttributeType),
                        TestModel.attribute("name", .stringAttributeType),
                    ])
            ]))
        for (name, bytes) in Self.malformed() {
            let value = TransformableValue(stored: bytes, transformerName: nil)
            let id = try store.insert("Thing", ["object": .transformable(value)])
            guard case .transformable(let read) = try store.value(id, "object") else { continue }
            _ = read.object
            try store.update(id, ["object": .transformable(read), "name": .string(name)])
            guard case .transformable(let again) = try store.value(id, "object") else { continue }
            #expect(try again.storedBytes() == bytes, "\(name)")
        }
    }

    /// What Foundation archives, as bytes.
    private static func archives() throws -> [Data] {
        let objects: [Any] = [
            NSArray(array: ["a", 1, 2.5, true, Date(timeIntervalSinceReferenceDate: 5), Data([1, 2])]),
            NSDictionary(dictionary: ["key": NSArray(array: ["x"]), "other": NSNull()]), NSSet(array: ["a", "b"]),
            NSOrderedSet(array: [1, 2]), NSString(string: "text"), NSUUID(),
            NSURL(string: "https://example.org/x") as Any,
            NSDictionary(dictionary: [NSNumber(value: 1): "one"]), NSLocale(localeIdentifier: "de_DE"),
        ]
        return try objects.map {
            try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: false)
        }
    }

    @Test func `what Foundation archives of data is read as it was`() throws {
        func read(_ object: Any) throws -> Any? {
            TransformableCoding.unarchived(
                try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false))
        }
        #expect(try read(NSSet(array: ["a", "b"])) as? Set<String> == ["a", "b"])
        #expect((try read(NSOrderedSet(array: ["b", "a"])) as? NSOrderedSet)?.array as? [String] == ["b", "a"])
        #expect(try read(NSMutableArray(array: ["b", "a"])) as? [String] == ["b", "a"])
        #expect(try read(NSDictionary(dictionary: [NSNumber(value: 1): "one"])) as? [Int: String] == [1: "one"])
        #expect(try read(NSString(string: "text")) as? String == "text")
        #expect((try read(NSLocale(localeIdentifier: "de_DE")) as? Locale)?.identifier == "de_DE")
        let uuid = UUID()
        #expect(try read(uuid as NSUUID) as? UUID == uuid)
        let url = try #require(URL(string: "https://example.org/x?y=1"))
        #expect(try read(url as NSURL) as? URL == url)
    }

    @Test func `numbers beyond 63 bits are kept exactly`() throws {
        let data = try #require(TransformableCoding.archived([UInt64.max, 1] as [UInt64]))
        #expect(TransformableCoding.unarchived(data) as? [UInt64] == [.max, 1])
    }

    // MARK: Classes of an application

    @Test func `an object of a class that nobody has registered is refused on saving, with what to do`() throws {
        let value = TransformableValue(object: ArchivedColour("red"), transformerName: nil)
        let error = try #require(throws: CocoaError.self) { try value.storedBytes() }
        #expect(error.localizedDescription.contains("NSKeyedUnarchiver.setClass"))
    }

    @Test func `a transformer's own classes are read, and what is with them is looked through first`() throws {
        let transformer = ColourTransformer()
        let data = try #require(transformer.reverseTransformedValue([ArchivedColour("red")]) as? Data)
        #expect((transformer.transformedValue(data) as? [ArchivedColour])?.first?.name == "red")
        #expect(TransformableCoding.unarchived(data) == nil)
        var builder = KeyedArchiveBuilder()
        let broken = builder.add(
            classes: ["NSDictionary", "NSObject"],
            [.init("NS.keys", .array([.uid(0), .uid(0)])), .init("NS.objects", .array([]))])
        guard
            case .uid(let root) = builder.add(
                classes: [NSStringFromClass(ArchivedColour.self), "NSObject"], [.init("name", broken)])
        else { return }
        #expect(transformer.transformedValue(builder.archive(root: root)) == nil)
    }

    @Test func `a class that the application has registered is read, and what is with it is looked through first`()
        throws
    {
        let name = "Registered\(UInt32.random(in: 0...UInt32.max))"
        func archive(_ field: (inout KeyedArchiveBuilder) -> PropertyListValue) -> Data? {
            var builder = KeyedArchiveBuilder()
            let value = field(&builder)
            guard case .uid(let root) = builder.add(classes: [name, "NSObject"], [.init("name", value)]) else {
                return nil
            }
            return builder.archive(root: root)
        }
        let sound = try #require(archive { $0.text("red") })
        let broken = try #require(
            archive {
                $0.add(
                    classes: ["NSDictionary", "NSObject"],
                    [.init("NS.keys", .array([.uid(0), .uid(0)])), .init("NS.objects", .array([]))])
            })
        #expect(TransformableCoding.unarchived(sound) == nil)
        // Nobody else asks for a name that is made here.
        NSKeyedUnarchiver.setClass(ArchivedColour.self, forClassName: name)
        defer { NSKeyedUnarchiver.setClass(nil, forClassName: name) }
        #expect((TransformableCoding.unarchived(sound) as? ArchivedColour)?.name == "red")
        #expect(TransformableCoding.unarchived(broken) == nil)
        let value = TransformableValue(stored: broken, transformerName: nil)
        #expect(value.hasUndecodableBytes)
        #expect(try value.storedBytes() == broken)
    }

    // MARK: Random damage

    @Test(arguments: Laws.cases(0..<8)) func `no damage to an archive ends the process`(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var blobs = try Self.archives() + Self.malformed().map(\.bytes).filter { $0.count < 4096 }
        blobs = blobs.filter { !$0.isEmpty }
        let classes = ["NSError", "NSCalendar", "NSLocale", "NSArray", "NSData", "NSURL", "NSDate", "NSSet"]
        for _ in 0..<250 {
            var bytes = try #require(blobs.randomElement(using: &random))
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: bytes[index] = bytes[Int.random(in: 0..<bytes.count, using: &random)]
                default:
                    let (old, new) = (classes.randomElement(using: &random), classes.randomElement(using: &random))
                    guard let old, let new, old.count == new.count, let range = bytes.range(of: Data(old.utf8)) else {
                        continue
                    }
                    bytes.replaceSubrange(range, with: Data(new.utf8))
                }
            }
            let value = TransformableValue(stored: bytes, transformerName: nil)
            _ = value.object
            #expect(try value.storedBytes() == bytes)
        }
    }

    @Test(arguments: Laws.cases(0..<4)) func `no damage to a compiled model ends the process`(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let archive = try TestModel.heroes().archived()
        for _ in 0..<40 {
            var bytes = archive
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do {
                _ = try NSManagedObjectModel(archive: bytes)
            } catch {
                #expect(error is ModelError)
            }
        }
    }
}
