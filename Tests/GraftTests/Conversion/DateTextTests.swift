// Dates: every form that is read, what isn't a date, and the form that is written.

import Foundation
import Testing

@testable import Graft

@Suite struct DateTextTests {
    struct Instant: CustomTestStringConvertible, Sendable {
        let text: String, seconds: TimeInterval
        init(_ text: String, _ seconds: TimeInterval) { (self.text, self.seconds) = (text, seconds) }
        var testDescription: String { text }
    }

    private static func date(
        _ json: String, _ numericDate: MappingOptions.NumericDate = .secondsSince1970
    ) throws -> Date {
        var converter = AttributeConverter(.date)
        converter.numericDate = numericDate
        var reader = JSONReader(Array(json.utf8))
        guard case .date(let seconds) = try converter.value(of: try reader.next(), in: &reader) else {
            throw GraftError(.other(finding: "no date", remedy: "None."))
        }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    static let instants: [Instant] = [
        Instant("2013-03-22T00:25:10Z", 1_363_911_910), Instant("2013-03-22T01:25:10+01:00", 1_363_911_910),
        Instant("2013-03-21T18:55:10-0530", 1_363_911_910), Instant("2013-03-22T03:25:10+03", 1_363_911_910),
        Instant("2013-03-22T00:25:10", 1_363_911_910), Instant("2013-03-22 00:25:10", 1_363_911_910),
        Instant("2013-03-22 00:25:10 +0000", 1_363_911_910), Instant("2013-03-22 00:25:10 UTC", 1_363_911_910),
        Instant("2013-03-22t00:25:10z", 1_363_911_910), Instant("20130322T002510Z", 1_363_911_910),
        Instant("20130322T0025Z", 1_363_911_900), Instant("2013-03-22T00:25Z", 1_363_911_900),
        Instant("2013-03-22T00Z", 1_363_910_400), Instant("2013-03-22T00:25,5Z", 1_363_911_930),
        Instant("2013-03-22T00.5Z", 1_363_912_200), Instant("2013-03-22", 1_363_910_400),
        Instant("20130322", 1_363_910_400),
        Instant("2013-081", 1_363_910_400), Instant("2013081", 1_363_910_400), Instant("2013-W12-5", 1_363_910_400),
        Instant("2013W125", 1_363_910_400), Instant("2013-W12", 1_363_564_800), Instant("2013-03", 1_362_096_000),
        Instant("2013", 1_356_998_400), Instant("2013-03-22T24:00:00Z", 1_363_996_800),
        Instant("2016-12-31T23:59:60Z", 1_483_228_800), Instant("2016-12-31T15:59:60.5-08:00", 1_483_228_800.5),
        Instant("2013-03-22T00:25:10.07Z", 1_363_911_910.07),
        Instant("2013-03-22T00:25:10.41", 1_363_911_910.41),
        Instant("2013-03-22T00:25:10.123456789Z", 1_363_911_910.123456789),
        Instant("2013-03-22T00:25:10.1000000000000000000000000000000Z", 1_363_911_910.1),
        Instant("2018-07-21T23:41:03", 1_532_216_463), Instant("1969-12-31T23:59:59.5Z", -0.5),
        Instant("1970-01-01", 0),
        Instant("0001-01-01T00:00:00Z", -62_135_596_800), Instant("0000-12-30", -62_135_769_600),
        Instant("-0001-12-31", -62_167_305_600), Instant("+010000-01-01", 253_402_300_800),
        Instant("+002013", 1_356_998_400), Instant("-0001", -62_198_755_200), Instant("4001-01-01", 64_092_211_200),
        Instant("2000-02-29", 951_782_400),
        Instant("  2000-02-29\n", 951_782_400),
    ]

    @Test(arguments: instants)
    func `a date is the same instant in whichever form and zone it is written`(_ instant: Instant) throws {
        let json = "\"\(instant.text.replacing("\n", with: "\\n"))\""
        #expect(try Self.date(json).timeIntervalSince1970 == instant.seconds)
    }

    @Test func `the first and the last second that fit into 64 bits are read, and none beyond`() throws {
        let first = try Self.date("\"-292277022626-01-28T00:29:52.5+16:00\"")
        #expect(first.timeIntervalSinceReferenceDate == -0x1p63)
        let last = Array("+292277026627-12-06T15:30:07".utf8)
        #expect(Graft.Instant(iso8601: last.span)?.seconds == .max)
        #expect(Graft.Instant(iso8601: last.span, zone: TimeZone(secondsFromGMT: -3600)) == nil)
    }

    @Test(arguments: [
        "", "T", "yesterday", "2013-02-29", "2013-13-01", "2013-00-01", "2013-01-00", "2013-04-31",
        "2013-03-22T25:00:00Z",
        "2013-03-22T24:00:01Z", "2013-03-22T00:60:00Z", "2013-03-22T00:00:61Z", "2013-03-22T00:25:10X",
        "2013-03-22T00:25:10+1", "2013-03-22T00:25:10+01:60", "2013-03-22T00:25:10+24:00",
        "2013-03-22T00:25:60Z", "2013-03-22T23:59:60+01:00", "2013-03-22T24:00:60Z",
        "2013-03-22T", "2013-03-22T00:25:10.Z", "2013-3-22",
        "2013-03-2", "22.03.2013", "03/22/2013", "2013-W54-1", "2013-W53-1", "2013-W12-8", "2013-366", "2013-000",
        "2013-03T00:00Z", "2013-03-22T00:25:10ZZ", "2013-03-22T00:2:10Z", "2013-03-22T00:2510Z", "12abc",
        "2013-03-22T00:25:10 Europe/Berlin", "٢٠١٣-٠٣-٢٢",
    ])
    func `what is no date is an error`(_ text: String) throws {
        let error = #expect(throws: GraftError.self) { try Self.date("\"\(text)\"") }
        #expect(error?.problem == .wrongType(found: "the string \"\(text)\"", expected: "a Date"))
    }

    @Test func `every day of the calendar agrees with Foundation's`() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        for days in stride(from: Int64(-150_000), through: 400_000, by: 37) {
            let civil = CivilDate(daysSince2001: days)
            #expect(civil.daysSince2001 == days)
            #expect(civil.exists)
            let date = Date(timeIntervalSinceReferenceDate: Double(days) * 86_400)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .yearForWeekOfYear, .weekOfYear, .weekday], from: date)
            #expect(parts.year.map(Int64.init) == civil.year && parts.month == civil.month && parts.day == civil.day)
            let week = try #require(parts.weekOfYear)
            let weekday = (try #require(parts.weekday) + 5) % 7 + 1
            let text = "\"\(try #require(parts.yearForWeekOfYear))-W\(week < 10 ? "0" : "")\(week)-\(weekday)\""
            #expect(try Self.date(text) == date, "\(text)")
        }
        for days in [Int64(-100_000_000_000), -1_000_000, 1_000_000, 100_000_000_000] {
            #expect(CivilDate(daysSince2001: days).daysSince2001 == days)
        }
    }

    @Test func `numbers are seconds or milliseconds as the option says, also as texts`() throws {
        #expect(try Self.date("1363911910").timeIntervalSince1970 == 1_363_911_910)
        #expect(try Self.date("1363911910.25").timeIntervalSince1970 == 1_363_911_910.25)
        #expect(try Self.date("\"1363911910\"").timeIntervalSince1970 == 1_363_911_910)
        for seconds in [-5.0, -86_400, -1_234_567_890] {
            #expect(try Self.date("\"\(Int(seconds))\"").timeIntervalSince1970 == seconds)
        }
        #expect(try Self.date("\"+1234567890\"").timeIntervalSince1970 == 1_234_567_890)
        #expect(try Self.date("1363911910070", .millisecondsSince1970) == Self.date(#""2013-03-22T00:25:10.070Z""#))
        #expect(try Self.date("-1", .millisecondsSince1970) == Self.date(#""1969-12-31T23:59:59.999Z""#))
        #expect(try Self.date("767645378", .secondsSince2001).timeIntervalSinceReferenceDate == 767_645_378)
        #expect(try Self.date("1.5e9").timeIntervalSince1970 == 1_500_000_000)
    }

    @Test(arguments: [
        ("yyyy-MM-dd HH:mm:ss.SSSSSS", "2013-03-22 00:25:10.123456", "2013-03-22T00:25:10.123456Z"),
        ("yyyy-MM-dd HH:mm:ss.SSSSSS", "1926-10-12 23:34:50.000001", "1926-10-12T23:34:50.000001Z"),
        ("yyyy-MM-dd'T'HH:mm:ss.SSSSSSSXXX", "2013-03-22T00:25:10.1234560Z", "2013-03-22T00:25:10.123456Z"),
        ("dd.MM.yyyy HH:mm:ss,SSS", "24.01.1999 10:11:39,284", "1999-01-24T10:11:39.284Z"),
        ("yyyyMMddHHmmssSSS", "19990124101139284", "1999-01-24T10:11:39.284Z"),
        ("dd.MM.yyyy", "24.01.1999", "1999-01-24"),
    ])
    func `a pattern reads each digit of a fraction, and writes it again`(
        _ pattern: String, _ text: String, _ instant: String
    ) throws {
        let converter = AttributeConverter(dateFormat: .pattern(pattern))
        let value = try converter.value(of: .string(text))
        #expect(try value == .date(Self.date("\"\(instant)\"").timeIntervalSinceReferenceDate))
        var writer = JSONWriter()
        try converter.write(value, to: &writer)
        #expect(String(decoding: try writer.finish(), as: UTF8.self) == "\"\(text)\"")
    }

    static let written: [Instant] = [
        Instant("2001-01-01T00:00:00Z", 0), Instant("2013-03-22T00:25:10Z", 385_604_710),
        Instant("2013-03-22T00:25:10.5Z", 385_604_710.5), Instant("2013-03-22T00:25:10.123Z", 385_604_710.123),
        Instant("2000-12-31T23:59:59.75Z", -0.25), Instant("2000-12-31T23:59:59Z", -1),
        Instant("0001-01-01T00:00:00Z", -63_113_904_000), Instant("0000-01-01T00:00:00Z", -63_145_526_400),
        Instant("-000001-12-31T00:00:00Z", -63_145_612_800), Instant("9999-12-31T23:59:59Z", 252_423_993_599),
        Instant("+010000-01-01T00:00:00Z", 252_423_993_600), Instant("2001-01-01T00:00:00.00001Z", 0.00001),
    ]

    @Test(arguments: written)
    func `a date is written in UTC with the fraction digits that it has`(_ instant: Instant) throws {
        var writer = JSONWriter()
        try AttributeConverter(.date).write(.date(instant.seconds), to: &writer)
        #expect(String(decoding: try writer.finish(), as: UTF8.self) == "\"\(instant.text)\"")
    }

    @Test(arguments: [Double.nan, .infinity, 1e300, -1e19])
    func `a date that no calendar has is an error`(_ seconds: Double) {
        var writer = JSONWriter()
        let error = #expect(throws: GraftError.self) {
            try AttributeConverter(.date).write(.date(seconds), to: &writer)
        }
        guard case .notRepresentable = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [Double.nan, 1e17, -1e17])
    func `a date for which a pattern has no text is an error`(_ seconds: Double) {
        var writer = JSONWriter()
        let error = #expect(throws: GraftError.self) {
            try AttributeConverter(dateFormat: .pattern("dd.MM.yyyy")).write(.date(seconds), to: &writer)
        }
        guard case .notRepresentable = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `dates from Foundation survive to the last bit`() throws {
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 719_163_182.48391104)] {
            var writer = JSONWriter()
            try AttributeConverter(.date).write(.date(date.timeIntervalSinceReferenceDate), to: &writer)
            #expect(try Self.date(String(decoding: try writer.finish(), as: UTF8.self)) == date)
        }
    }
}
