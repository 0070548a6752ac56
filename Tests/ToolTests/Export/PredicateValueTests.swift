// Texts of `--where` that are compared with what isn't text.

import Foundation
import Testing

@Suite struct PredicateValueTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        let model = try folder.model(
            """
            <entity name="Visit">
            <attribute name="id" attributeType="Integer 64" optional="YES"/>
            <attribute name="name" attributeType="String" optional="YES"/>
            <attribute name="key" attributeType="UUID" optional="YES"/>
            <attribute name="day" attributeType="Date" optional="YES"/>
            <attribute name="page" attributeType="URI" optional="YES"/>
            <attribute name="bytes" attributeType="Binary" optional="YES"/>
            <attribute name="price" attributeType="Decimal" optional="YES"/>
            <attribute name="paid" attributeType="Boolean" optional="YES"/>
            <relationship name="next" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Visit" \
            inverseName="earlier" inverseEntity="Visit"/>
            <relationship name="earlier" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Visit" \
            inverseName="next" inverseEntity="Visit"/>
            <userInfo><entry key="identityAttributes" value="id"/></userInfo>
            </entity>
            """)
        store = folder.path("Visits.sqlite")
        let file = try folder.file(
            "in.json",
            #"""
            [{"id": 1, "name": "7", "key": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "day": "2020-05-01T00:00:00Z",
              "page": "https://a.b/", "bytes": "AAEC", "price": "1.5", "paid": true},
             {"id": 2, "name": "8", "key": "00000000-C36C-495A-93FC-0C247A3E6E5F", "day": "2019-05-01T00:00:00Z",
              "page": "https://a.b/c", "bytes": "AAED", "price": "2.5", "paid": false, "next": {"id": 1}}]
            """#)
        try graft("import", file, "--entity", "Visit", "--store", store, "--model", model).succeeded()
    }

    private func export(_ predicate: String) throws -> ToolRun {
        try graft("export", "--store", store, "--entity", "Visit", "--where", predicate, "--depth", "0")
    }

    @Test(arguments: [
        #"key == "e621e1f8-C36C-495A-93FC-0C247A3E6E5F""#, #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F" == key"#,
        #"key IN {"E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "11111111-C36C-495A-93FC-0C247A3E6E5F"}"#,
        #"day == "2020-05-01T00:00:00Z""#, #"day > "2020-01-01""#, #"day BETWEEN {"2020-01-01", "2021-01-01"}"#,
        #"NOT (day < "2020-01-01")"#, #"page == "https://a.b/""#, #"bytes == "AAEC""#, #"price == "1.5""#, "price < 2",
        #"paid == "true""#, #"id == "1""#, #"SUBQUERY(earlier, $v, $v.day < "2020-01-01").@count == 1"#,
        #"ANY earlier.day < "2020-01-01""#, #"earlier.@min.day < CAST("2020-01-01", "NSDate")"#, #"name == "7""#,
        #"earlier.@min.day < "2020-01-01""#, #"min:(earlier.day) < "2020-01-01""#, #"earlier.@max.price == "2.5""#,
        #"earlier.day.@max BETWEEN {"2019-01-01", "2020-01-01"}"#, #"earlier.@max.id == "2""#, #"earlier.@sum.id > 1"#,
        #"day - 5 > CAST("2020-01-01", "NSDate")"#,
        "name == 7", "next == nil", "earlier.@count == 1", "SELF.next == nil",
    ])
    func `a text is compared as the value that the attribute has`(_ predicate: String) throws {
        let run = try export(predicate).succeeded()
        let found = try #require(try JSONSerialization.jsonObject(with: run.output) as? [[String: Any]])
        #expect(found.map { $0["id"] as? Int } == [1], "\(predicate): \(run.text)")
    }

    @Test(arguments: [
        (#"key == "E621""#, "Visit.key", "a UUID"), (#"day > "yesterday""#, "Visit.day", "a Date"),
        (#"id IN {"1", "x"}"#, "Visit.id", "an Integer 64"), (#"next.price == "cheap""#, "Visit.price", "a Decimal"),
        (#"key BEGINSWITH "E6""#, "Visit.key", "no text to search in"),
        (#"id CONTAINS "1""#, "Visit.id", "no text to search in"),
        (#"earlier.@max.day > "yesterday""#, "Visit.day", "a Date"),
        (#"earlier.@sum.id > "1""#, "Visit", "CAST("), (#"earlier.@count IN {1, "2"}"#, "Visit", "CAST("),
        (#"NOT (day + 5 > "2020-01-01")"#, "Visit", "CAST("), (#""1" < sum:(earlier.id)"#, "Visit", "CAST("),
        ("day > 1600000000", "Visit.day", "Write the value as a text"), ("key IN {1, 2}", "Visit.key", "the number 1"),
        ("earlier.@min.day < 5", "Visit.day", "the number 5"),
    ])
    func `a text that is no such value is an error, and so is a number beside a date`(
        _ predicate: String, _ place: String, _ finding: String
    ) throws {
        let run = try export(predicate)
        run.failed(saying: "--where", place, finding)
        #expect(!run.diagnostics.contains("Change the data"), "\(run.diagnostics)")
    }

    @Test(arguments: [
        #"next == "1""#, "next == 1", #""1" == next"#, "ANY earlier == 2", #"next IN {"1", "2"}"#, "SELF == 1",
        #"NOT (next == "1")"#, #"next CONTAINS "1""#,
    ])
    func `objects that are compared with a text or a number are an error, and not no objects`(_ predicate: String)
        throws
    {
        try export(predicate).failed(saying: "--where", "Visit", "none is equal", "such as 'bytes'")
    }

    @Test func `a date is in the form and the zone that the model has for it, or in ISO 8601`() throws {
        let model = try folder.model(
            """
            <entity name="Stay"><attribute name="id" attributeType="Integer 64" optional="YES"/>
            <attribute name="from" attributeType="Date" optional="YES">
              <userInfo><entry key="JSONTimeZone" value="Europe/Berlin"/></userInfo></attribute>
            <attribute name="to" attributeType="Date" optional="YES">
              <userInfo><entry key="JSONDateFormat" value="dd.MM.yyyy"/><entry key="JSONTimeZone" value="Europe/Berlin"/></userInfo>
            </attribute></entity>
            """)
        let store = folder.path("Stays.sqlite")
        try graft(
            "import", "-", "--entity", "Stay", "--store", store, "--model", model,
            input: #"[{"id": 1, "from": "2024-07-01T00:30:00", "to": "03.07.2024"}]"#, in: folder
        ).succeeded()
        for predicate in [
            #"from == "2024-07-01T00:30:00""#, #"from == "2024-06-30T22:30:00Z""#, #"from > "2024-07-01""#,
            #"to == "03.07.2024""#, #"to == "2024-07-03""#, #"to == "2024-07-02T22:00:00Z""#,
        ] {
            let run = try graft("export", "--store", store, "--entity", "Stay", "--where", predicate).succeeded()
            #expect(run.text.contains("\"id\":1"), "\(predicate)")
        }
        try graft("export", "--store", store, "--entity", "Stay", "--where", #"to == "3 July""#)
            .failed(saying: "Stay.to", "dd.MM.yyyy")
    }

    @Test func `a text beside an element of a composite attribute is the value that the element has`() throws {
        let model = try folder.model(
            """
            <entity name="Stay"><attribute name="id" attributeType="Integer 64" optional="YES"/>
            <attribute name="place" attributeType="Composite" composite="Place" optional="YES">
              <userInfo><entry key="JSONTimeZone" value="Europe/Berlin"/></userInfo></attribute></entity>
            <composite name="Place"><attribute name="name" attributeType="String" optional="YES"/>
            <attribute name="span" attributeType="Composite" composite="Span" optional="YES"/></composite>
            <composite name="Span"><attribute name="from" attributeType="Date" optional="YES"/>
            <attribute name="to" attributeType="Date" optional="YES">
              <userInfo><entry key="JSONDateFormat" value="dd.MM.yyyy"/></userInfo></attribute></composite>
            """)
        let store = folder.path("Elements.sqlite")
        let text = """
            [{"id": 1, "place": {"name": "7", "span": {"from": "2020-07-01T00:30:00", "to": "03.07.2020"}}},
             {"id": 2, "place": {"name": "8", "span": {"from": "2025-01-01", "to": "03.07.2025"}}}]
            """
        try graft(
            "import", "-", "--entity", "Stay", "--store", store, "--model", model, input: text, in: folder
        ).succeeded()
        func export(_ predicate: String) throws -> ToolRun {
            try graft("export", "--store", store, "--entity", "Stay", "--where", predicate)
        }
        for predicate in [
            #"place.span.from < "2024-01-01""#, #"NOT place.span.from >= "2024-01-01""#,
            #"place.span.from == "2020-07-01T00:30:00""#, #"place.span.to == "03.07.2020""#, #"place.name == "7""#,
        ] {
            let run = try export(predicate).succeeded()
            #expect(run.text.contains("\"id\":1") && !run.text.contains("\"id\":2"), "\(predicate): \(run.text)")
        }
        try export(#"place.span.from < "yesterday""#).failed(saying: "Stay.place.span.from", "a Date")
        try export(#"place.span.form < "2024-01-01""#).failed(saying: "--where", "form", "from")
        try export(#"place.name.x == 1"#).failed(saying: "--where", "End the key path at the attribute")
    }

    @Test func `a text beside a list or a condition is the value that the attributes in it have`() throws {
        let model = try folder.model(
            """
            <entity name="Term"><attribute name="id" attributeType="Integer 64" optional="YES"/>
            <attribute name="name" attributeType="String" optional="YES"/>
            <attribute name="key" attributeType="UUID" optional="YES"/>
            <attribute name="other" attributeType="UUID" optional="YES"/>
            <attribute name="start" attributeType="Date" optional="YES"/>
            <attribute name="end" attributeType="Date" optional="YES"/>
            <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Term" \
            inverseName="children" inverseEntity="Term"/>
            <relationship name="children" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Term" \
            inverseName="parent" inverseEntity="Term"/>
            <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            """)
        let store = folder.path("Terms.sqlite")
        let key = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        let text = """
            [{"id": 1, "name": "7", "key": "\(key)", "start": "2026-01-01", "end": "2026-01-31"},
             {"id": 2, "start": "2026-03-01", "end": "2026-03-31", "parent": {"id": 1}}]
            """
        try graft(
            "import", "-", "--entity", "Term", "--store", store, "--model", model, input: text, in: folder
        ).succeeded()
        func export(_ predicate: String) throws -> ToolRun {
            try graft("export", "--store", store, "--entity", "Term", "--where", predicate, "--depth", "0")
        }
        for predicate in [
            #""2026-01-15" BETWEEN {start, end}"#, #""2026-01-15" BETWEEN {start, "2026-01-31"}"#,
            #""2026-01-31" IN {start, end}"#, #"{start, end} CONTAINS "2026-01-31""#,
            #"ANY {start, end} == "2026-01-31""#,
            #"NOT max({start, end}) > "2026-02-01""#, #"NOT max("2025-01-01", end) > "2026-02-01""#,
            #""\#(key)" IN {key, other}"#, #"{"\#(key)"} CONTAINS key"#, #""2026-03-01" IN children.start"#,
            #"SUBQUERY(children, $c, "2026-03-15" BETWEEN {$c.start, $c.end}).@count == 1"#,
            #"start == TERNARY(id > 1, "2026-02-01", "2026-01-01")"#, #"TERNARY(id > 1, start, end) == "2026-01-31""#,
        ] {
            let run = try export(predicate).succeeded()
            let found = try #require(try JSONSerialization.jsonObject(with: run.output) as? [[String: Any]])
            #expect(found.map { $0["id"] as? Int } == [1], "\(predicate): \(run.text)")
        }
        for (predicate, finding) in [
            (#""yesterday" BETWEEN {start, end}"#, "a Date"), ("5 BETWEEN {start, end}", "the number 5"),
            (#""Ann" IN {parent, parent.parent}"#, "compared with Ann"), (#""\#(key)" IN {key, start}"#, "Date"),
            (#""2026-01-31" IN {name, start}"#, "several types"), (#""x" IN key"#, "a UUID"),
            (#"{start, end} LIKE "2026*""#, "no text to search in"),
            (#"TERNARY(id > 1, parent, parent.parent).nam == "7""#, "Did you mean 'name'"),
        ] {
            try export(predicate).failed(saying: "--where", finding)
        }
    }
}
