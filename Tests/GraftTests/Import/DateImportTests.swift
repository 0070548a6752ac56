// Dates by the format and the zone that an attribute has.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DateImportTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var format: String?
        var zone: String?
        let json: String, date: String
        var testDescription: String { "\(json) as \(format ?? "-") in \(zone ?? "-")" }
    }

    private func world(_ format: String?, _ zone: String?) throws -> ImportWorld {
        try ImportWorld { sketch in
            var info: [String: String] = [:]
            info["JSONDateFormat"] = format
            info["JSONTimeZone"] = zone
            sketch.entity(
                "A", info: ["identityAttributes": "id"],
                [.attribute("id"), .attribute("d", .dateAttributeType).annotated(info)])
        }
    }

    @Test(arguments: [
        Case(json: #""2013-03-22T00:25:10Z""#, date: "2013-03-22T00:25:10Z"),
        Case(json: #""2013-03-22T00:25:10""#, date: "2013-03-22T00:25:10Z"),
        Case(json: "1363911910", date: "2013-03-22T00:25:10Z"),
        Case(format: "unixSeconds", json: #""1363911910""#, date: "2013-03-22T00:25:10Z"),
        Case(format: "unixMilliseconds", json: "1363911910000", date: "2013-03-22T00:25:10Z"),
        // Digits that ISO 8601 has for a year, an ordinal date and a day.
        Case(format: "unixSeconds", json: #""3600""#, date: "1970-01-01T01:00:00Z"),
        Case(format: "unixSeconds", json: #""2013081""#, date: "1970-01-24T07:11:21Z"),
        Case(format: "unixSeconds", json: #""20130322""#, date: "1970-08-21T23:45:22Z"),
        Case(format: "unixMilliseconds", json: #""20130322""#, date: "1970-01-01T05:35:30Z"),
        Case(format: "referenceSeconds", json: #""20130322""#, date: "2001-08-21T23:45:22Z"),
        Case(format: "unixSeconds", json: #""2013-03-22""#, date: "2013-03-22T00:00:00Z"),
        Case(format: "iso8601", json: #""20130322""#, date: "2013-03-22T00:00:00Z"),
        Case(format: "referenceSeconds", json: "0", date: "2001-01-01T00:00:00Z"),
        Case(format: "dd.MM.yyyy HH:mm", json: #""22.03.2013 00:25""#, date: "2013-03-22T00:25:00Z"),
        Case(format: "dd.MM.yyyy", zone: "+02:00", json: #""22.03.2013""#, date: "2013-03-21T22:00:00Z"),
        Case(format: "MMM d, yyyy h:mm a", json: #""Mar 22, 2013 3:05 PM""#, date: "2013-03-22T15:05:00Z"),
        Case(
            format: "yyyy-MM-dd'T'HH:mm:ssZ", zone: "+05:00", json: #""2013-03-22T00:25:10+0100""#,
            date: "2013-03-21T23:25:10Z"),
        Case(zone: "Europe/Berlin", json: #""2013-07-01T12:00:00""#, date: "2013-07-01T10:00:00Z"),
        Case(zone: "Europe/Berlin", json: #""2013-01-01""#, date: "2012-12-31T23:00:00Z"),
        Case(zone: "Europe/Berlin", json: #""2013-07-01T12:00:00Z""#, date: "2013-07-01T12:00:00Z"),
        Case(zone: "America/New_York", json: #""2013-03-10T12:00""#, date: "2013-03-10T16:00:00Z"),
    ])
    func `a date is read by its format, in its zone or UTC`(_ one: Case) throws {
        let world = try world(one.format, one.zone)
        try world.take(#"{"id": "a", "d": \#(one.json)}"#, "A")
        #expect(try world.value("d", of: "A", "id", "a") == one.date)
    }

    @Test(arguments: ["1700000000000", "253402300800", "-62135596801", #""1700000000000""#])
    func `numbers that are no seconds are an error with the format that they may be in`(_ number: String) throws {
        let data = #"[{"id": "a", "d": \#(number)}]"#
        let error = try #require(try world(nil, nil).refuse(data, "A"))
        #expect(error.description.contains("JSONDateFormat=unixMilliseconds"), "\(error)")
        #expect(error.place.path == [.index(0), .key("d")])
        for format in ["unixMilliseconds", "unixSeconds", "referenceSeconds"] {
            #expect(try world(format, nil).take(data, "A")["A"].inserted == 1)
        }
        for last in ["253402300799", "-62135596800"] {
            #expect(try world(nil, nil).take(#"[{"id": "a", "d": \#(last)}]"#, "A")["A"].inserted == 1)
        }
    }

    @Test func `a date in another form than the pattern's is an error that names the pattern`() throws {
        let world = try world("dd.MM.yyyy", nil)
        #expect(world.refuse(#"[{"id": "a", "d": "22.03.13"}]"#, "A")?.description.contains("'dd.MM.yyyy'") == true)
        let error = try #require(world.refuse(#"[{"id": "a", "d": "2013-03-22"}]"#, "A"))
        #expect(error.description.contains("a Date in the form 'dd.MM.yyyy'"))
        #expect(error.place.path == [.index(0), .key("d")])
        #expect(try world.count("A") == 0)
    }

    @Test(arguments: ["unixMilliseconds", "dd.MM.yyyy HH:mm", "referenceSeconds", "iso8601"])
    func `what is written in a format is read again`(_ format: String) throws {
        let world = try world(format, "+02:00")
        try world.take(#"{"id": "a", "d": null}"#, "A")
        let text = try world.stack.perform { context in
            try context.one("A", "id", "a")?.setValue(Date(timeIntervalSince1970: 1_363_911_900), forKey: "d")
            return String(decoding: try context.json(of: context.all("A")), as: UTF8.self)
        }
        try world.take(text, "A")
        #expect(try world.value("d", of: "A", "id", "a") == "2013-03-22T00:25:00Z")
    }
}
