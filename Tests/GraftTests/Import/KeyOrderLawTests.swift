// The law of the keys: JSON's objects have no order, so the same records with their keys in another one make the same store. The
// data is that of the law of the doors.

import CoreData
import Graft
import TestSupport
import Testing

extension DoorLawTests {
    @Test(arguments: Laws.cases(200...300, oneOf: 11))
    func `the order of an object's keys makes no difference`(_ seed: Int) throws {
        let model = Self.model()
        var payload = Payload(seed: seed, isForDecoding: false)
        let texts = (0..<3).map { _ in payload.text() }
        var random = SeededGenerator(seed: seed)
        for kind in [StoreKind.inMemory, .sqlite] {
            let (stack, other) = (try TestStack(model, kind), try TestStack(model, kind))
            for text in texts {
                let shuffled = try JSONValue(parsing: text).shuffled(&random).description
                let labels = try take(text, .importing, stack)
                let found = try take(shuffled, .importing, other)
                let place = "seed \(seed), \(kind):\n\(text)\n--\n\(shuffled)\n"
                try #require(found == labels, "\(place)\(difference(labels, found))")
                // The same in yet another order is nothing new.
                let again = try take(JSONValue(parsing: text).shuffled(&random).description, .importing, other)
                try #require(again == labels, "again: \(place)\(difference(labels, again))")
            }
        }
    }
}

extension JSONValue {
    /// The same with the members of each object in another order.
    fileprivate func shuffled(_ random: inout SeededGenerator) -> JSONValue {
        switch self {
        case .array(let elements): .array(elements.map { $0.shuffled(&random) })
        case .object(let object):
            .object(Object(object.members.map { ($0.key, $0.value.shuffled(&random)) }.shuffled(using: &random)))
        default: self
        }
    }
}
