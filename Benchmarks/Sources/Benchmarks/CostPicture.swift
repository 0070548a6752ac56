// A picture of what a record costs at several sizes, as SVG that a page shows as it is, in light and in dark.

import Foundation

/// Lines of processor time for each record, in microseconds, over numbers of records; both scales are logarithmic.
struct CostPicture {
    let counts: [Int]
    /// A name, and a time for each count.
    let lines: [(name: String, times: [Double])]

    private let size = (width: 720.0, height: 380.0)
    private let area = (left: 60.0, top: 20.0, right: 500.0, bottom: 330.0)
    private static let colors = ["#0b6bcb", "#c2410c", "#15803d", "#a21caf", "#b45309", "#0e7490"]

    var svg: String {
        let times = lines.flatMap(\.times)
        let lowest = pow(10, floor(log10(times.min() ?? 1))), highest = pow(10, ceil(log10(times.max() ?? 1)))
        func x(_ index: Int) -> Double {
            area.left + (area.right - area.left) * Double(index) / Double(max(1, counts.count - 1))
        }
        func y(_ time: Double) -> Double {
            area.bottom - (area.bottom - area.top) * log(time / lowest) / log(highest / lowest)
        }
        func text(_ x: Double, _ y: Double, _ anchor: String, _ text: String, _ color: String = "currentColor")
            -> String
        {
            "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor)\" fill=\"\(color)\">\(text)</text>"
        }
        var parts: [String] = []
        for step in sequence(first: lowest, next: { $0 * 10 }).prefix(while: { $0 <= highest * 1.01 }) {
            parts.append(Self.line(area.left, y(step), area.right, y(step)))
            parts.append(text(area.left - 8, y(step) + 4, "end", "\(Self.number(step)) µs"))
        }
        for (index, count) in counts.enumerated() {
            parts.append(Self.line(x(index), area.top, x(index), area.bottom))
            parts.append(
                text(x(index), area.bottom + 20, "middle", count.formatted(.number.locale(.init(identifier: "en")))))
        }
        parts.append(text((area.left + area.right) / 2, area.bottom + 42, "middle", "records"))
        // Names that would lie on each other are moved down.
        var lowestName = -Double.infinity
        for (number, line) in lines.enumerated().sorted(by: {
            y($0.element.times.last ?? 1) < y($1.element.times.last ?? 1)
        }) {
            let color = Self.colors[number % Self.colors.count]
            let points = line.times.enumerated().map { "\(Self.number(x($0))),\(Self.number(y($1)))" }
            parts.append(
                "<polyline points=\"\(points.joined(separator: " "))\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\"/>"
            )
            lowestName = max(lowestName + 17, y(line.times.last ?? 1) + 4)
            parts.append(text(area.right + 10, lowestName, "start", line.name, color))
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.number(size.width)) \(Self.number(size.height))" \
            width="\(Self.number(size.width))" font-family="system-ui, sans-serif" font-size="13" role="img">
            <title>Processor time of a record</title>
            <style>svg { color: #222; background: #fff } @media (prefers-color-scheme: dark) { svg { color: #ddd; background: #1b1b1f } }</style>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    private static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        "<line x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\" stroke=\"currentColor\" "
            + "stroke-opacity=\"0.2\"/>"
    }

    private static func number(_ number: Double) -> String {
        number == number.rounded() ? "\(Int(number))" : String(format: "%.1f", number)
    }
}
