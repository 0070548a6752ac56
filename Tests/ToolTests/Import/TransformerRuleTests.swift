// Models that name transformers: the tool follows rules, those with usual names, those of the command line, and those of the
// configuration file; both ways.

import Foundation
import GRDB
import Testing

@Suite struct TransformerRuleTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func attribute(_ name: String, _ type: String, _ transformer: String?) -> String {
        let entry = transformer.map { #"<entry key="JSONTransformerName" value="\#($0)"/>"# } ?? ""
        return """
            <attribute name="\(name)" attributeType="\(type)" optional="YES">
            <userInfo><entry key="JSONKeyPath" value="\(name)"/>\(entry)</userInfo></attribute>
            """
    }

    private func model() throws -> String {
        let attributes = [
            attribute("id", "Integer 64", "StringToInteger"), attribute("name", "String", "Shout"),
            attribute("born", "Date", "BirthDate"), attribute("page", "URI", "StringToURL"),
            attribute("status", "Integer 16", "Status"), attribute("code", "String", "Code"),
        ]
        return try folder.model(
            #"<entity name="Hero">\#(attributes.joined())<userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>"#
        )
    }

    private let input = """
        [{"id": "7", "name": "Batman", "born": "30.03.1939", "page": "https://example.org/7", "status": "active", \
        "code": 12}]
        """
    private let rules = [
        "--transformer", "Shout=case:upper", "--transformer", "BirthDate=date:dd.MM.yyyy", "--transformer",
        "Status=map:retired=0,active=1", "--transformer", "Code=text",
    ]

    @Test func `values are read by the rules, and written back by them`() throws {
        let (model, store) = (try model(), folder.path("Store.sqlite"))
        let file = try folder.file("in.json", input)
        let arguments = ["import", file, "--store", store, "--model", model]
        try graft(arguments + rules).succeeded()
        let row = try StoreFile(path: store).read { database in
            try String.fetchAll(
                database,
                sql:
                    "SELECT ZID || ' ' || ZNAME || ' ' || ZSTATUS || ' ' || ZCODE || ' ' || ZBORN || ' ' || ZPAGE FROM ZHERO"
            )
        }
        #expect(row == ["7 BATMAN 1 12 -1949011200 https://example.org/7"])
        let export = try graft(["export", "--store", store, "--entity", "Hero"] + rules).succeeded()
        #expect(
            export.text.contains(
                #""id":"7","name":"BATMAN","born":"30.03.1939","page":"https://example.org/7","status":"active","code":12"#
            )
                || export.text.contains(#""status":"active""#) && export.text.contains(#""born":"30.03.1939""#)
                    && export.text.contains(#""id":"7""#) && export.text.contains(#""code":12"#),
            "\(export.text)")
        // What was written is what is read: nothing changes.
        let again = try graft(
            ["import", try folder.file("out.json", export.text), "--store", store] + rules
        ).succeeded()
        #expect(again.text.contains("Hero           0        0          1"), "\(again.text)")
    }

    @Test func `a text is written as a number where it is one, and "inf" and "nan" are none`() throws {
        let model = try folder.model(
            #"<entity name="Hero">\#(attribute("code", "String", "Code"))</entity>"#)
        let store = folder.path("Store.sqlite")
        let file = try folder.file("in.json", #"[{"code": "inf"}, {"code": "nan"}, {"code": "-inf"}, {"code": "1.5"}]"#)
        let rule = ["--transformer", "Code=text"]
        try graft(["import", file, "--store", store, "--model", model] + rule).succeeded()
        let export = try graft(["export", "--store", store, "--entity", "Hero"] + rule).succeeded()
        for code in [#""inf""#, #""nan""#, #""-inf""#, "1.5"] {
            #expect(export.text.contains("{\"code\":\(code)}"), "\(export.text)")
        }
    }

    @Test func `what compares, patches, inspects and checks knows the same rules`() throws {
        let (model, one, two) = (try model(), folder.path("One.sqlite"), folder.path("Two.sqlite"))
        let file = try folder.file("in.json", input)
        let other = try folder.file("other.json", input.replacingOccurrences(of: "active", with: "retired"))
        try graft(["import", file, "--store", one, "--model", model] + rules).succeeded()
        try graft(["import", other, "--store", two, "--model", model] + rules).succeeded()
        let patch = try graft(
            ["diff", one, two, "--entity", "Hero", "--format", "json-patch"] + rules
        ).succeeded().text
        #expect(patch.contains(#""value":"retired""#), "\(patch)")
        let apply = ["apply", try folder.file("patch.json", patch), "--store", one, "--entity", "Hero"]
        try graft(apply + rules).succeeded()
        try graft(["diff", one, other, "--entity", "Hero", "--exit-code"] + rules).succeeded()
        // Of names that usually stand for a rule, nothing has to be said.
        #expect(try graft("inspect", one).succeeded().text.contains("id"))
        #expect(!(try graft("lint", model).text.contains("StringToInteger")))
        _ = try folder.file("Model.graft.json", #"{"transformers": {"Shout": "case:lower"}}"#)
        #expect(!(try graft("lint", model).text.contains("Shout")))
        try graft(apply + ["--transformer", "Shuot=text"]).failed(saying: "Shuot", "Did you mean 'Shout'?")
    }

    @Test(arguments: ["entity:kind", "entity:kind,Cat=Cat,hound=Dog"])
    func `what tells the sub-entities is a rule, too`(rule: String) throws {
        let model = try folder.model(
            """
            <entity name="Animal"><attribute name="id" optional="YES" attributeType="Integer 16"/>
              <userInfo><entry key="identityAttributes" value="id"/><entry key="entityMapperName" value="Kind"/></userInfo></entity>
            <entity name="Cat" parentEntity="Animal"/><entity name="Dog" parentEntity="Animal"/>
            """)
        let dog = rule.contains("hound") ? "hound" : "Dog"
        let file = try folder.file(
            "in.json", #"[{"id": 1, "kind": "Cat"}, {"id": 2, "kind": "\#(dog)"}, {"id": 3}]"#)
        let store = folder.path("Store.sqlite")
        let command = ["import", file, "--entity", "Animal", "--store", store, "--model", model]
        try graft(command).failed(saying: "entityMapperName", "--transformer Kind=entity:KEY")
        try graft(command + ["--transformer", "Kind=text"]).failed(saying: "Kind", "RULE is entity:KEY")
        try graft(command + ["--transformer", "Knd=\(rule)"]).failed(saying: "Did you mean 'Kind'?")
        for entity in ["Animal", "Cat", "Dog"] {
            try graft(command + ["--transformer", "Kind=\(rule)"]).succeeded()
            let export = try graft("export", "--store", store, "--entity", entity, "--transformer", "Kind=\(rule)")
            let count = export.endedWell().text.components(separatedBy: #""id""#).count - 1
            #expect(count == (entity == "Animal" ? 3 : 1), "\(entity): \(export.text)")
        }
        _ = try folder.file("Model.graft.json", #"{"transformers": {"Kind": "\#(rule)"}}"#)
        try graft(command).succeeded()
        _ = try folder.file("Model.graft.json", #"{"transformers": {"Knd": "\#(rule)"}}"#)
        try graft(command).failed(saying: "Model.graft.json", "Did you mean 'Kind'?")
    }

    @Test(arguments: [
        ("Double", "one=1,two=2.5", "1.0"), ("Decimal", "one=1.50,two=2", "1.5"),
        ("Boolean", "one=true,two=false", "1"),
        ("Float", "one=0.1,two=2", "0.100000001490116"), ("Integer 16", "one=02,two=3", "2"),
        ("Date", "one=2020-01-02T00:00:00Z,two=2021-01-02T00:00:00Z", "599616000"), ("String", "one=1,two=2", "1"),
        ("UUID", "one=6f9619ff-8b86-d011-b42d-00cf4fc964ff,two=00000000-0000-0000-0000-000000000000", nil),
    ])
    func `a map is read and written for each type`(type: String, map: String, stored: String?) throws {
        let model = try folder.model(
            """
            <entity name="Thing"><attribute name="id" optional="YES" attributeType="Integer 16"/>
              <attribute name="v" optional="YES" attributeType="\(type)">
                <userInfo><entry key="JSONTransformerName" value="V"/></userInfo></attribute>
              <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            """)
        let (store, file) = (folder.path("Store.sqlite"), try folder.file("in.json", #"[{"id":1,"v":"one"}]"#))
        let rule = ["--transformer", "V=map:\(map)"]
        try graft(["import", file, "--entity", "Thing", "--store", store, "--model", model] + rule).succeeded()
        if let stored {
            let found = try StoreFile(path: store).read { try String.fetchOne($0, sql: "SELECT ZV || '' FROM ZTHING") }
            #expect(found == stored)
        }
        let export = try graft(["export", "--store", store, "--entity", "Thing"] + rule).succeeded().text
        #expect(export.contains(#""v":"one""#), "\(export)")
    }

    @Test func `the configuration file beside the model, or beside the store, says the rules`() throws {
        let (model, store) = (try model(), folder.path("Store.sqlite"))
        let file = try folder.file("in.json", input)
        let configuration = """
            {"transformers": {"Shout": "case:lower", "BirthDate": "date:dd.MM.yyyy", "Status": "map:retired=0,active=1", \
            "Code": "text"}}
            """
        _ = try folder.file("Model.graft.json", configuration)
        try graft("import", file, "--store", store, "--model", model).succeeded()
        #expect(try StoreFile(path: store).count("ZHERO", where: "ZNAME = 'batman'") == 1)
        let alone = try graft("import", file, "--store", store)
        alone.failed(
            saying: "Hero.born", "BirthDate", "--transformer BirthDate=RULE", "Store.graft.json", "date:FORMAT")
        _ = try folder.file("Store.graft.json", configuration)
        try graft("import", file, "--store", store).succeeded()
        _ = try folder.file("Store.graft.json", #"{"transformer": {}}"#)
        try graft("import", file, "--store", store).failed(saying: "Store.graft.json", "the configuration")
    }

    @Test(arguments: [
        ("{\n  \"transformers\": {\"Shout\": }\n}", "line 2"), ("{\"transformers\": []}", "NAME"), ("[]", "NAME"),
        ("{\"transformers\": {\"Shout\": 1}}", "NAME"), ("{\"transformers\": {\"Shout\": \"loud\"}}", "'Shout'"),
    ])
    func `a slip in the configuration is an error with its place`(_ text: String, _ words: String) throws {
        let model = try model()
        _ = try folder.file("Model.graft.json", text)
        let run = try graft("inspect", model)
        run.failed(saying: "Model.graft.json", words)
        #expect(!run.diagnostics.contains("DecodingError") && !run.diagnostics.contains("Debug"), "\(run.diagnostics)")
    }

    @Test func `what is given goes before the configuration, in trials and comparisons as in an import`() throws {
        let (model, store) = (try model(), folder.path("Store.sqlite"))
        let file = try folder.file("in.json", input)
        for name in ["Model", "Store", "in"] {
            _ = try folder.file(
                "\(name).graft.json",
                #"{"transformers": {"Status": "map:retired=1,active=0", "BirthDate": "date:MM.dd.yyyy"}}"#)
        }
        try graft(["import", file, "--store", store, "--model", model] + rules).succeeded()
        #expect(try StoreFile(path: store).count("ZHERO", where: "ZSTATUS = 1 AND ZBORN = -1949011200") == 1)
        for options in [[], ["--model", model]] {
            let trial = try graft(["import", file, "--store", store, "--dry-run"] + options + rules).succeeded()
            #expect(trial.text.contains("Hero           0        0          1"), "\(trial.text)")
            for sides in [[store, file], [file, store]] {
                try graft(["diff"] + sides + ["--entity", "Hero", "--exit-code"] + options + rules).succeeded()
            }
            let export = try graft(["export", store, "--entity", "Hero"] + options + rules).succeeded().text
            #expect(export.contains(#""status":"active""#), "\(export)")
        }
    }

    @Test func `a value that a rule doesn't take is refused, with its place`() throws {
        let (model, store) = (try model(), folder.path("Store.sqlite"))
        for (text, place) in [
            (#"[{"id": "seven"}]"#, "$[0].id"), (#"[{"id": "1"}, {"id": "2", "status": "gone"}]"#, "$[1].status"),
            (#"[{"id": "1", "born": "1939-03-30"}]"#, "$[0].born"),
        ] {
            let file = try folder.file("in.json", text)
            let run = try graft(["import", file, "--store", store, "--model", model] + rules)
            run.failed(saying: place, "transformer")
            #expect(!FileManager.default.fileExists(atPath: store))
        }
    }

    private func run(_ rule: String) throws -> ToolRun {
        let file = try folder.file("in.json", input)
        let arguments = ["import", file, "--store", folder.path("Store.sqlite"), "--model", try model()]
        return try graft(arguments + rules + ["--transformer", rule])
    }

    @Test(arguments: ["Shout=louder", "Shout", "Status=map:a", "BirthDate=date:qq-ii"])
    func `what is no rule is a mistake of the command line`(_ rule: String) throws {
        let run = try run(rule)
        #expect(run.status == 64)
        #expect(run.diagnostics.contains("is no rule. Write NAME=RULE"), "\(run.diagnostics)")
    }

    @Test func `a rule with a date format that means other dates is a mistake of the command line`() throws {
        let run = try run("BirthDate=date:dd.MM.YYYY")
        #expect(run.status == 64)
        #expect(run.diagnostics.contains("yyyy has the year of a date"), "\(run.diagnostics)")
    }

    @Test func `a rule for a name that the model doesn't have is an error with a suggestion`() throws {
        try run("Shuot=case:upper").failed(saying: "Did you mean 'Shout'?")
    }
}
