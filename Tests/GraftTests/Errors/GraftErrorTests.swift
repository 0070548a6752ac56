// Errors: place, finding and remedy in one line, short in logs and whole for debugging.

import Foundation
import Testing

@testable import Graft

@Suite struct GraftErrorTests {
    private static let place = GraftError.Place(
        source: "heroes.json", path: [.key("powers"), .index(3), .key("id")], line: 12, column: 31, byteOffset: 400,
        entity: "Power", property: "identifier")

    @Test func `an error says where, what was found, what was expected, and what to do`() {
        let error = GraftError(
            .wrongType(found: "the string \"12abc\"", expected: "an Integer 64"), at: Self.place)
        #expect(
            error.description == """
                heroes.json: $.powers[3].id, line 12, column 31 (Power.identifier): found the string "12abc" where the \
                model expects an Integer 64. Change the data or name a transformer.
                """)
        #expect(error.localizedDescription == error.description)
        #expect(error.recoverySuggestion == "Change the data or name a transformer.")
    }

    @Test func `an error without a place begins with what was found`() {
        let error = GraftError(.unknownEntity("Heros", closest: "Hero"))
        #expect(error.description == "The model has no entity 'Heros'. Did you mean 'Hero'?")
    }

    @Test func `a failure that begins with the store doesn't name it twice`() {
        let failure = { GraftError(.storeFailure(reason: $0), at: .init(source: "a.sqlite")).description }
        #expect(failure("The store a.sqlite is locked. Wait") == "a.sqlite: the store a.sqlite is locked. Wait.")
        #expect(failure("The disk is full. Make room") == "a.sqlite: the store failed: The disk is full. Make room.")
    }

    @Test func `a long value is short in the description and whole in the debug description`() {
        let value = "the string \"\(String(repeating: "x", count: 5000))\""
        let error = GraftError(.wrongType(found: value, expected: "a Date"), at: Self.place)
        #expect(error.description.count < 300)
        #expect(error.description.contains("xxx… where"))
        #expect(error.debugDescription.contains(value))
    }

    @Test func `every description is one line`() {
        let text = "a\nb\r\nc\u{1B}[31m\u{7F}"
        let problems: [GraftError.Problem] = [
            .invalidJSON(found: text, expected: "a value"), .tooDeep(limit: 5), .tooLarge(what: "a text", limit: 5),
            .wrongType(found: text, expected: "a Date"), .outOfRange(found: text, type: "a Date", range: "1 to 2"),
            .notRepresentable(value: text, format: "JSON"), .unknownEntity(text, closest: nil),
            .ambiguousEntity(candidates: [text, "B"]), .unknownProperty(text, closest: "a"),
            .missingIdentity(attributes: [text]), .duplicateIdentity(text),
            .unresolvedReference(entity: "A", identity: text), .unreadableFile(reason: text),
            .unwritableFile(reason: text), .notAStore(reason: text), .missingModel(reason: text),
            .modelMismatch(reason: text), .invalidModel(reason: text), .invalidMapping(reason: text, remedy: "Do."),
            .validation(code: 1570, reason: text), .conflict(reason: text), .storeFailure(reason: text), .cancelled,
            .other(finding: text, remedy: "Do."),
        ]
        for problem in problems {
            let place = GraftError.Place(source: "a\nb", path: [.key(text)])
            let error = GraftError(problem, at: place, underlying: GraftError(problem))
            for description in [error.description, error.debugDescription] {
                #expect(!description.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "\(problem)")
                #expect(description.last == "." || description.last == "?", "\(problem)")
            }
        }
    }

    @Test func `a cause is part of the description`() {
        let cause = GraftError(.unreadableFile(reason: "it is a folder"))
        let error = GraftError(.notAStore(reason: "no header"), at: .init(source: "a.sqlite"), underlying: cause)
        #expect(error.description.contains(cause.description))
        let posix = GraftError(.unreadableFile(reason: "reading stopped"), underlying: POSIXError(.EIO))
        #expect(posix.underlying != nil)
    }

    @Test func `a place is filled with what it doesn't say itself`() {
        let inner = GraftError(.cancelled, at: .init(path: [.key("a")], line: 3, column: 4, property: "name"))
        let error = inner.located(in: .init(source: "x.json", path: [], line: 1, entity: "Hero", property: "other"))
        #expect(
            error.place
                == .init(source: "x.json", path: [.key("a")], line: 3, column: 4, entity: "Hero", property: "name"))
        #expect(GraftError(.cancelled).located(in: Self.place).place == Self.place)
    }

    @Test func `paths are written in the notation of RFC 9535`() {
        let path: [GraftError.Place.PathComponent] = [
            .key("a"), .index(0), .key("b c"), .key("it's"), .key("é_1"), .key("1a"), .key(""), .key("a.b"),
            .key("\\\n"),
        ]
        #expect(GraftError.Place.text(of: path) == #"$.a[0]['b c']['it\'s'].é_1['1a']['']['a.b']['\\\n']"#)
        #expect(GraftError.Place.text(of: []) == "$")
    }

    @Test func `a position without a line is given in bytes`() {
        #expect(GraftError.Place(path: [], byteOffset: 7).description == "$, byte 7")
        #expect(GraftError.Place(entity: "Hero").description == "Hero")
        #expect(GraftError.Place().isEmpty)
    }
}

@Suite struct NameSuggestionTests {
    @Test(
        arguments: [
            ("Heros", "Hero"), ("hero", "Hero"), ("Publihser", "Publisher"), ("Pubisher", "Publisher"),
            ("Pwoer", "Power"),
            ("Hreo", "Hero"), ("Villain", nil), ("", nil), ("X", nil),
        ] as [(String, String?)])
    func `the closest name is suggested if it is close`(_ name: String, _ suggestion: String?) {
        #expect(NameSuggestion.closest(to: name, among: ["Power", "Publisher", "Hero"]) == suggestion)
    }

    @Test func `of equally close names the first in the alphabet is suggested`() {
        #expect(NameSuggestion.closest(to: "cat", among: ["car", "bat", "cap"]) == "bat")
        #expect(NameSuggestion.closest(to: "a", among: []) == nil)
    }

    @Test func `distances count insertions, deletions, replacements and swaps`() {
        #expect(NameSuggestion.distance("", "abc") == 3)
        #expect(NameSuggestion.distance("abc", "abc") == 0)
        #expect(NameSuggestion.distance("abcd", "acbd") == 1)
        #expect(NameSuggestion.distance("kitten", "sitting") == 3)
    }
}
