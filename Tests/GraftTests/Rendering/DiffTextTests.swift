// What people are shown of a diff, as text and as a page.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct DiffTextTests {
    private static let hero = ObjectKey("Hero", [.integer(101)])
    private static let flight = ObjectKey("Power", [.integer(9)])
    private static let tides = ObjectKey("Power", [.integer(11)])

    private static let diff = GraphDiff(
        deleted: [
            ObjectContents(
                ObjectKey("Villain", [.string("x")]), [.init("name", .attribute(.string("Un\u{1B}[31mdertow")))])
        ],
        inserted: [
            ObjectContents(
                tides,
                [
                    .init("name", .attribute(.string("Tides"))), .init("note", .attribute(.null)),
                    .init("heroes", .toMany([hero], isOrdered: false)),
                ])
        ],
        changed: [
            ObjectChange(
                hero,
                [
                    PropertyChange("motto", .attribute(old: .string("Every night\nends."), new: .null)),
                    PropertyChange("publisher", .toOne(old: nil, new: ObjectKey("Publisher", [.integer(1)]))),
                    PropertyChange(
                        "powers",
                        .toMany(
                            MembersChange(
                                removed: [.init(ObjectKey("Power", [.integer(4)]), at: 0)],
                                added: [.init(tides, at: 2)], moved: [.init(flight, from: 1, to: 0)]))),
                ])
        ])

    @Test func `with a model, a link is shown at the end that says more`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Hero", info: ["id": "id"],
            [
                .attribute("id"), .toMany("powers", "Power", inverse: "heroes", json: "powers"),
                .toOne("team", "Team", inverse: "members"),
                .toMany("medals", "Medal", inverse: "hero", isOrdered: true),
            ])
        sketch.entity("Power", info: ["id": "id"], [.attribute("id"), .toMany("heroes", "Hero", inverse: "powers")])
        sketch.entity("Team", info: ["id": "id"], [.attribute("id"), .toMany("members", "Hero", inverse: "team")])
        sketch.entity("Medal", info: ["id": "id"], [.attribute("id"), .toOne("hero", "Hero", inverse: "medals")])
        let stack = try TestStack(sketch.model())
        let diff = try stack.perform { context in
            let objects = ["Hero", "Power", "Team", "Medal"].map { context.make($0, ["id": $0.lowercased()]) }
            let before = try GraphSnapshot(of: context)
            objects[0].mutableSetValue(forKey: "powers").add(objects[1])
            objects[0].setValue(objects[2], forKey: "team")
            objects[0].mutableOrderedSetValue(forKey: "medals").add(objects[3])
            context.make("Power", ["id": "new"]).mutableSetValue(forKey: "heroes").add(objects[0])
            return try GraphDiff(from: before, to: GraphSnapshot(of: context))
        }
        let rendering = DiffRendering(linkSides: DiffRendering.LinkSides(of: stack.container.managedObjectModel))
        #expect(
            diff.text(rendering) == #"""
                --- old
                +++ new
                @@ Hero "hero" changed @@
                  medals:
                +   Medal "medal" at 0
                  powers:
                +   Power "new"
                +   Power "power"
                + team: Team "team"
                @@ Power "new" new @@
                + id: "new"

                3 objects changed only at the other end of a link that is shown.
                1 new, 4 changed, 0 deleted

                """#)
        #expect(
            diff.html(rendering).contains("<p>3 objects changed only at the other end of a link that is shown.</p>"))
        #expect(diff.text().contains(#"@@ Team "team" changed @@"#))
        // What the other end doesn't say is shown here.
        let half = GraphDiff(changed: diff.changed.filter { $0.key.entity == "Team" })
        #expect(half.text(rendering).contains(#"+   Hero "hero""#))
    }

    @Test func `the text says what was and what is, object by object`() {
        let rendering = DiffRendering(
            oldName: "a.sqlite", newName: "b.sqlite", labels: [Self.flight: "Flight", Self.hero: "Revontuli"])
        #expect(
            Self.diff.text(rendering) == #"""
                --- a.sqlite
                +++ b.sqlite
                @@ Hero 101 (Revontuli) changed @@
                - motto: "Every night\nends."
                + motto: null
                  powers:
                -   Power 4 at 0
                +   Power 11 at 2
                ~   Power 9 (Flight) from 1 to 0
                + publisher: Publisher 1
                @@ Power 11 new @@
                  heroes:
                +   Hero 101 (Revontuli)
                + name: "Tides"
                @@ Villain "x" deleted @@
                - name: "Un\u{1b}[31mdertow"

                1 new, 1 changed, 1 deleted

                """#)
        #expect(GraphDiff().text().isEmpty)
    }

    @Test func `colours are added only where they are asked for, and values can't add any`() {
        #expect(!Self.diff.text().contains("\u{1B}"))
        let text = Self.diff.text(DiffRendering(isColored: true))
        #expect(text.contains("\u{1B}[31m- motto: \"Every night\\nends.\"\u{1B}[0m\n"))
        #expect(text.contains("\u{1B}[32m+ motto: null\u{1B}[0m\n"))
        #expect(text.contains("Un\\u{1b}[31mdertow"))
    }

    @Test func `long values are shortened unless all is wanted`() {
        let long = String(repeating: "x", count: 1000)
        let diff = GraphDiff(changed: [
            ObjectChange(Self.hero, [PropertyChange("motto", .attribute(old: .null, new: .string(long)))])
        ])
        #expect(diff.text().contains("\"\(String(repeating: "x", count: 199))…\""))
        #expect(diff.text(DiffRendering(maximumValueLength: nil)).contains(long))
    }

    @Test func `the page has everything, is well-formed, loads nothing and runs only its own script`() throws {
        let evil = "<script>alert('1')</script>&\"\u{202E}"
        var diff = Self.diff
        diff.changed.append(
            ObjectChange(
                ObjectKey("Hero", [.string(evil)]),
                [
                    PropertyChange(
                        evil, .attribute(old: .string("The quick fox"), new: .string("The slow \(evil) fox")))
                ]))
        let html = diff.html(DiffRendering(oldName: evil, newName: "b"))
        let script = "<script>\(DiffFilter.script.text)</script>"
        #expect(html.components(separatedBy: "<script").count == 2 && html.contains(script))
        #expect(
            html.contains(
                "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src '\(DiffFilter.script.hash)'\""))
        #expect(!html.contains("\u{202E}"))
        #expect(!html.contains("src=") && !html.contains("http:") && !html.contains("https:"))
        #expect(html.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;"))
        #expect(html.contains("&quot;The <mark>quick</mark> fox&quot;"))
        #expect(html.contains("<td class=\"none\">0</td><td class=\"changed\">2</td><td class=\"none\">0</td>"))
        #expect(html.contains("<ul><li><span class=\"key\">Hero 101</span></li></ul>"))
        #expect(html.contains("prefers-color-scheme: dark"))
        #expect(html.contains("<details open class=\"object changed\">"))
        for kind in ["inserted", "changed", "deleted"] { #expect(html.contains("id=\"show-\(kind)\"")) }
        #expect(Self.isBalanced(html))
        let none = GraphDiff().html()
        #expect(none.contains("No differences.") && !none.contains("<script") && !none.contains("script-src"))
    }

    @Test func `the page can be searched, and filtered by entity and kind`() {
        let html = Self.diff.html()
        for part in [
            "<div class=\"filters\" role=\"search\" aria-label=\"Differences\">",
            "<label class=\"scripted\" hidden>Search <input type=\"search\" id=\"words\"",
            "<option value=\"\">all</option><option value=\"entity-Hero\">Hero</option>"
                + "<option value=\"entity-Power\">Power</option><option value=\"entity-Villain\">Villain</option></select>",
            "id=\"count\" role=\"status\" hidden",
            "<details open class=\"entity\" id=\"entity-Power\">",
        ] {
            #expect(html.contains(part), "\(part)")
        }
    }

    /// Whether each element that is opened is closed, in order.
    private static func isBalanced(_ html: String) -> Bool {
        var open: [Substring] = []
        for part in html.split(separator: "<").dropFirst() {
            let name = part.prefix { $0.isLetter || $0.isNumber || $0 == "/" || $0 == "!" }
            if name.hasPrefix("!") || name == "meta" || name == "input" { continue }
            if name.hasPrefix("/") {
                guard open.popLast() == name.dropFirst() else { return false }
            } else {
                open.append(name)
            }
        }
        return open.isEmpty
    }
}
