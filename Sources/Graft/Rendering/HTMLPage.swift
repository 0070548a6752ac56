// The frame of a page: head, style, body. Colours are given as a light and a dark one; contrast is 4.5 to 1 or better
// in both.

/// A self-contained HTML page.
struct HTMLPage {
    var title: String
    var body = ""
    /// Rules beside those of all pages.
    var style = ""
    /// The one script of the page, if it has one.
    var script: Script?

    /// A script that is the same on every page, so that a policy can name it.
    struct Script {
        var text: String
        /// `sha256-` and the Base64 of its SHA-256 (CSP Level 3, section 2.3.1). A test holds it against the text.
        var hash: String
    }

    init(title: String) { self.title = title }

    /// The page. Its policy forbids everything from elsewhere, and scripts but for that one.
    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'\(script.map { "; script-src '\($0.hash)'" } ?? "")">
        <title>\(Self.escaped(DiffRendering.visible(title)))</title>
        <style>
        \(Self.style)
        \(style)
        </style>
        </head>
        <body>
        \(body)\(script.map { "<script>\($0.text)</script>\n" } ?? "")</body>
        </html>

        """
    }

    /// A text for contents and for attributes in quotes.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { html, scalar in
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            default: html.unicodeScalars.append(scalar)
            }
        }
    }

    private static let style = """
        :root {
          color-scheme: light dark;
          --text: #1c1e21; --quiet: #5c636b; --page: #ffffff; --box: #f5f6f7; --line: #d9dce0;
          --old: #fdecec; --old-text: #9a1c1c; --old-mark: #f6b8b8;
          --new: #e8f6ea; --new-text: #176329; --new-mark: #a9dfb3;
          --mid: #fdf3d8; --mid-text: #7a5200; --link: #1a56b0;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --text: #e6e7e9; --quiet: #a3a9b1; --page: #16181b; --box: #1f2226; --line: #3a3f45;
            --old: #3b1d20; --old-text: #ff9c9c; --old-mark: #7a2d33;
            --new: #17321e; --new-text: #8fdba0; --new-mark: #2c6a3c;
            --mid: #3a3115; --mid-text: #f0c766; --link: #8ab4f8;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: 1.5rem; max-width: 64rem; background: var(--page); color: var(--text);
          font: 16px/1.5 system-ui, sans-serif; }
        h1 { font-size: 1.4rem; margin: 0; overflow-wrap: anywhere; }
        h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
        header p, .arrow, .null { color: var(--quiet); }
        .null { font-style: italic; }
        table { border-collapse: collapse; }
        th, td { padding: .3rem .7rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
        thead th { border-top: 0; color: var(--quiet); font-weight: 500; font-size: .85rem; }
        .overview thead th + th { text-align: right; }
        .overview td { text-align: right; font-variant-numeric: tabular-nums; }
        .overview .none { color: var(--quiet); }
        .overview .inserted { color: var(--new-text); } .overview .deleted { color: var(--old-text); }
        .overview .changed { color: var(--mid-text); }
        .kinds { border: 0; margin: 1rem 0 0; padding: 0; } .kinds label { margin-right: .8rem; white-space: nowrap; }
        .kinds legend { float: left; margin-right: .6rem; color: var(--quiet); }
        body:has(#show-inserted:not(:checked)) .object.inserted, body:has(#show-changed:not(:checked)) .object.changed,
        body:has(#show-deleted:not(:checked)) .object.deleted { display: none; }
        .entity > summary { cursor: pointer; } .entity > summary h2 { display: inline-block; }
        .object { margin: .6rem 0; border: 1px solid var(--line); border-radius: 6px; overflow: hidden;
          content-visibility: auto; contain-intrinsic-block-size: auto 2.5rem; }
        .object summary { padding: .45rem .7rem; background: var(--box); cursor: pointer; overflow-wrap: anywhere; }
        summary:focus-visible { outline: 2px solid var(--link); outline-offset: -2px; }
        a { color: var(--link); } a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
        .properties { width: 100%; table-layout: fixed; }
        .properties th:first-child { width: 22%; }
        .properties th[scope] { font-weight: 500; }
        .properties td, .properties th { overflow-wrap: anywhere; }
        td.old { background: var(--old); } td.new { background: var(--new); }
        mark { color: inherit; } td.old mark { background: var(--old-mark); } td.new mark { background: var(--new-mark); }
        ul { margin: 0; padding: 0; list-style: none; }
        .badge { display: inline-block; padding: 0 .45rem; border-radius: 4px; font-size: .8rem; }
        .badge.deleted { background: var(--old); color: var(--old-text); }
        .badge.inserted { background: var(--new); color: var(--new-text); }
        .badge.changed, .badge.moved { background: var(--mid); color: var(--mid-text); }
        @media (max-width: 40rem) { body { padding: .8rem; } th, td { padding: .25rem .4rem; } }
        @media print { body { max-width: none; } .object { break-inside: avoid; } }
        """
}
