// Our pages in a browser: nothing on the console, light and dark, on a phone, by keyboard. `make test-browser` runs this and
// leaves a picture of each in .build/screenshots, to be looked at.

import Foundation
import Testing

@Suite(.needsBrowser, .serialized) struct PageInBrowserTests {
    private let folder: TemporaryFolder
    private let browser: Browser

    init() throws {
        folder = try TemporaryFolder()
        browser = try Browser()
    }

    // MARK: Pages

    private func page(of store: String) throws -> URL {
        let path = Project.data.appending(path: store).path
        try graft("inspect", path, "--html", "page.html", in: folder).succeeded()
        return folder.url.appending(path: "page.html")
    }

    /// Two stores of books with 10,000 differences: 1,000 new, 8,000 changed, 1,000 deleted.
    private func tenThousandChanges() throws -> URL {
        func book(_ id: Int, _ price: Int) -> String {
            #"{"id": \#(id), "title": "Book \#(id)", "price": \#(price).5, "author": {"id": \#(id % 50), "name": "Author"}}"#
        }
        _ = try folder.file("a.json", (0..<12_000).map { book($0, 1) }.joined(separator: "\n"))
        _ = try folder.file("b.json", (1000..<13_000).map { book($0, $0 < 9000 ? 2 : 1) }.joined(separator: "\n"))
        try graft("infer", "a.json", "--entity", "Book", "--output", "M.xcdatamodeld", in: folder).succeeded()
        for name in ["a", "b"] {
            try graft(
                "import", "\(name).json", "--entity", "Book", "--store", "\(name).sqlite", "--model", "M.xcdatamodeld",
                in: folder
            ).succeeded()
        }
        try shell(#""$GRAFT" diff a.sqlite b.sqlite --format html >diff.html"#, in: folder).succeeded()
        return folder.url.appending(path: "diff.html")
    }

    /// Shows a page in each view, and checks what holds for every page.
    private func look(at page: URL, _ name: String) throws {
        var backgrounds: [String] = []
        for view in Browser.View.allCases {
            try browser.open(page, as: view)
            try browser.screenshot("\(name)-\(view.rawValue)")
            #expect(browser.messages.isEmpty, "\(view)")
            // Wide parts are scrolled by themselves, and the page isn't.
            #expect(try browser.number("document.documentElement.scrollWidth - innerWidth") <= 0, "\(view)")
            backgrounds.append(try browser.text("getComputedStyle(document.body).backgroundColor"))
        }
        #expect(backgrounds[0] != backgrounds[1] && backgrounds[0] == backgrounds[2], "\(backgrounds)")
    }

    // MARK: Stores

    @Test(
        .needsReferenceData,
        arguments: [
            ("photos", "more-stores/Photos-26.1/Photos.sqlite"), ("notes", "more-stores/Notes/NoteStore.sqlite"),
        ])
    func `a store's page shows in light, in dark and on a phone`(_ name: String, _ store: String) throws {
        try look(at: page(of: store), "store-\(name)")
    }

    @Test(.needsReferenceData) func `a store's page is used by keyboard alone`() throws {
        try browser.open(page(of: "more-stores/Notes/NoteStore.sqlite"), as: .light)
        // A link of the overview leads to its entity.
        try browser.tab(to: "e.tagName == 'A'")
        let target = try browser.text("document.activeElement.getAttribute('href')")
        try browser.press(.enter)
        #expect(try browser.text("location.hash") == target)

        // The diagram is as wide as the page, and at full size where that is wanted; then it is scrolled.
        try browser.open(folder.url.appending(path: "page.html"), as: .light)
        let width = "document.querySelector('.scroll > svg').getBoundingClientRect().width"
        let small = try browser.number(width)
        #expect(small <= 1280)
        try browser.tab(to: "e.id == 'full-size'")
        try browser.press(.space)
        #expect(try browser.number(width) > small)
        try browser.tab(to: "e.classList.contains('scroll')", atMost: 1)
        try browser.press(.right)
        // Scrolling comes with one of the next frames.
        let scrolled = """
            new Promise(done => {
                const part = document.activeElement
                const look = frames => part.scrollLeft > 0 || frames == 0
                    ? done(part.scrollLeft) : requestAnimationFrame(() => look(frames - 1))
                look(300)
            })
            """
        #expect(try browser.number(scrolled) > 0)
        try browser.screenshot("store-notes-full-size")
    }

    // MARK: Diffs

    @Test func `a page of ten thousand changes shows in light, in dark and on a phone`() throws {
        try look(at: tenThousandChanges(), "diff")
        #expect(try browser.number("document.querySelectorAll('.object').length") == 10_000)
        #expect(try browser.number("document.querySelectorAll('.object[open]').length") == 0)
    }

    // MARK: Diagrams

    @Test(arguments: Browser.View.allCases)
    func `a diagram shows by itself`(_ view: Browser.View) throws {
        try graft("diagram", Project.heroesModel, "--output", "heroes.svg", in: folder).succeeded()
        try browser.open(folder.url.appending(path: "heroes.svg"), as: view)
        try browser.screenshot("diagram-\(view.rawValue)")
        #expect(browser.messages.isEmpty)
    }
}
