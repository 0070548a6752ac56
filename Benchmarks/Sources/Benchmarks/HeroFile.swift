// The data of all benchmarks: heroes that are made up, the same ones in every run. Identifiers are strings, as in many
// web services, names and biographies aren't all ASCII, and each hero carries its publisher and three of 500 powers.

import Foundation

/// A JSON array of heroes, generated from a seed.
struct HeroFile {
    var count = 100_000
    /// Every so many heroes differ from the first version of the file; nil for that version itself.
    var changingEvery: Int?

    /// The text: about 360 bytes a hero.
    func bytes() -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(count * 380)
        forEachPart { text += $0 }
        return text
    }

    /// Writes the text into a file of the folder.
    func write(to folder: URL, name: String) throws -> URL {
        let url = folder.appending(path: name)
        try Data().write(to: url)
        let file = try FileHandle(forWritingTo: url)
        try forEachPart { try file.write(contentsOf: Data($0)) }
        try file.close()
        return url
    }

    /// The text, a few megabytes at a time.
    private func forEachPart(_ body: ([UInt8]) throws -> Void) rethrows {
        var part = Array("[".utf8)
        var random = SplitMix64(state: 1939)
        for index in 0..<count {
            if index > 0 { part.append(contentsOf: ",\n".utf8) }
            part.append(contentsOf: hero(index, &random).utf8)
            if part.count > 4 << 20 {
                try body(part)
                part.removeAll(keepingCapacity: true)
            }
        }
        try body(part + Array("]\n".utf8))
    }

    private func hero(_ index: Int, _ random: inout SplitMix64) -> String {
        let first = random.element(of: Self.firstNames)
        let last = random.element(of: Self.lastNames)
        let isChanged = changingEvery.map { index % $0 == 0 } ?? false
        let biography = (0..<2).map { _ in random.element(of: Self.sentences) }.joined(separator: " ")
        let powers = (0..<3).map { _ in
            let power = random.next(below: 500)
            return #"{"id":"\#(power)","name":"\#(Self.powerName(power))"}"#
        }
        let publisher = random.next(below: 25)
        return """
            {"id":"\(100_000 + index)","name":"\(random.element(of: Self.titles)) \(last) \(index)",\
            "real_name":"\(first) \(last)\(isChanged ? " the Second" : "")",\
            "debut":"\(Self.date(&random))","height":\(random.next(below: 80) + 140).\(random.next(below: 10)),\
            "retired":\(random.next(below: 4) == 0),"rating":\(random.next(below: 100)),\
            "biography":"\(biography)",\
            "publisher":{"id":"\(publisher)","name":"Édition \(publisher)","founded":\(1930 + publisher)},\
            "powers":[\(powers.joined(separator: ","))]}
            """
    }

    private static func powerName(_ power: Int) -> String {
        let kind = ["Super", "Mind", "Fire", "Night", "Iron"][power % 5]
        return "\(kind) \(["vision", "speed", "control", "strength"][power % 4]) \(power)"
    }

    private static func date(_ random: inout SplitMix64) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let month = two(1 + random.next(below: 12))
        let day = two(1 + random.next(below: 28))
        return
            "\(1935 + random.next(below: 85))-\(month)-\(day)T\(two(random.next(below: 24))):\(two(random.next(below: 60))):00Z"
    }

    private static let firstNames = [
        "Zoë", "Bruce", "Łukasz", "Diana", "José", "Kamala", "Jürgen", "Selina", "Miyu", "Ayọ̀",
    ]
    private static let lastNames = [
        "Wayne", "Ångström", "Prince", "Muñoz", "Khan", "Kyle", "Grünwald", "Tanaka", "Okafor",
    ]
    private static let titles = ["Captain", "The Incredible", "Doctor", "Señorita", "Agent", "Silent", "Professor"]
    private static let sentences = [
        "Grew up above a bakery in Lübeck.", "Was struck by a meteor, twice.",
        "Never reveals the source of the glow.",
        "Fights crime — and paperwork.", "Speaks with birds.", "Kämpft für das Gute.",
        "Lost a cape in a \\\"revolving\\\" door.", "正義の味方。", "Collects stamps.", "Trained by monks at 4000 m.",
    ]
}

/// A small generator with a seed, so that every run has the same data (Steele, Lea, Flood 2014).
struct SplitMix64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed &>> 31)
    }

    mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func element<T>(of array: [T]) -> T { array[next(below: array.count)] }
}
