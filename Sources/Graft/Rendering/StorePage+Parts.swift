// The parts of a page about a store: the overview, the model, and for each entity its attributes, relationships and first rows.

import Foundation

extension StorePage {
    // MARK: The whole

    /// All entities with their numbers of objects and sizes; those that have some lead to their part, and to the others links lead here.
    func overview(_ samples: [EntitySample], _ schema: GraphSchema, _ sizes: [String: String]) -> String {
        let counts = Dictionary(samples.map { ($0.entity.name, $0.count) }) { first, _ in first }
        let items = schema.entities.map(\.name).sorted().map { name in
            guard let count = counts[name], count > 0 else {
                let words = counts[name] == nil ? "abstract" : "0"
                return "<li class=\"none\" id=\"\(Self.anchor(name))\">\(Self.text(name)) \(words)</li>\n"
            }
            let size = sizes[name].map { ", <span class=\"quiet\">\(Self.text($0))</span>" } ?? ""
            return "<li><a href=\"#\(Self.anchor(name))\">\(Self.text(name))</a> \(count)\(size)</li>\n"
        }
        return
            "<nav aria-label=\"Entities\">\n<h2>Entities</h2>\n<ul class=\"names\">\n\(items.joined())</ul>\n</nav>\n"
    }

    /// The diagram, as wide as the page at first: what is where shows before what each has.
    static func picture(_ svg: String) -> String {
        "<h2>Model</h2>\n<p><label><input type=\"checkbox\" id=\"full-size\"> Full size</label></p>\n"
            + scroll("Diagram of the model", svg)
    }

    /// The relationships of the model, where there is no picture of them.
    static func relationships(_ model: ModelDiagram) -> String {
        if model.links.isEmpty { return "" }
        let rows = model.links.map { link in
            "<tr><th scope=\"row\">\(text(link.source))</th><td>\(text(link.forward.words))</td>"
                + "<td>\(text(link.forward.count)) \(text(link.destination))</td>"
                + "<td>\(text(link.backward.map { "\($0.words) (\($0.count))" } ?? ""))</td></tr>\n"
        }
        let head = "<thead><tr><th>Entity</th><th>Relationship</th><th>Leads to</th><th>Inverse</th></tr></thead>"
        return "<h2>Model</h2>\n"
            + scroll("Relationships", "<table>\n\(head)\n<tbody>\n\(rows.joined())</tbody>\n</table>")
    }

    // MARK: An entity

    func section(
        _ sample: EntitySample, _ schema: GraphSchema, _ shown: Set<EntitySample.ObjectLink>,
        _ rendering: DiffRendering, _ sizes: [String: String]
    ) -> String {
        let name = Self.text(sample.entity.name)
        let count = sample.count == 1 ? "1 object" : "\(sample.count) objects"
        let size = sizes[sample.entity.name].map { ", \(Self.text($0))" } ?? ""
        var remark =
            sample.isPart ? "; numbers and sizes of values are those of \(sample.sampleCount), spread evenly" : ""
        if sample.damagedCount > 0 { remark += "; without \(sample.damagedCount) that can't be read: see the check" }
        var html = "<section aria-labelledby=\"\(Self.anchor(sample.entity.name))\">\n"
        html += "<h2 id=\"\(Self.anchor(sample.entity.name))\">\(name)</h2>\n"
        html += "<p class=\"quiet\">\(count)\(size)\(remark)</p>\n"
        html += attributes(sample, rendering) + links(sample, schema) + rows(sample, shown)
        return html + "</section>\n"
    }

    private func attributes(_ sample: EntitySample, _ rendering: DiffRendering) -> String {
        let rows = zip(sample.entity.properties, sample.statistics).compactMap { property, statistics -> String? in
            guard case .attribute(let kind) = property.kind else { return nil }
            return "<tr><th scope=\"row\">\(Self.text(property.name))</th><td class=\"quiet\">\(kind.modelName)</td>"
                + "<td class=\"number\">\(Self.percent(statistics))</td><td class=\"number\">\(statistics.distinct)</td>"
                + "<td class=\"number\">\(Self.words(bytes: statistics.bytes))</td>"
                + "<td>\(Self.text(statistics.range(rendering.text(of:)) ?? ""))</td>"
                + "<td>\(Self.distribution(statistics, rendering))</td></tr>\n"
        }
        if rows.isEmpty { return "" }
        let head =
            "<thead><tr><th>Attribute</th><th>Type</th><th class=\"number\">Filled</th><th class=\"number\">Distinct</th><th class=\"number\">Size</th><th>Range</th><th>Values</th></tr></thead>"
        return Self.scroll(
            "Attributes of \(sample.entity.name)", "<table>\n\(head)\n<tbody>\n\(rows.joined())</tbody>\n</table>")
    }

    private func links(_ sample: EntitySample, _ schema: GraphSchema) -> String {
        let rows = zip(sample.entity.properties, sample.statistics).compactMap { property, statistics -> String? in
            guard let destination = property.destination else { return nil }
            let name = schema.entities[destination].name
            let filled = property.isToMany ? "" : Self.percent(statistics)
            return "<tr><th scope=\"row\">\(Self.text(property.name))</th>"
                + "<td>\(property.isToMany ? "many" : "one") <a href=\"#\(Self.anchor(name))\">\(Self.text(name))</a></td>"
                + "<td>\(property.isOwning ? "owned" : "")</td><td class=\"number\">\(filled)</td></tr>\n"
        }
        if rows.isEmpty { return "" }
        let head =
            "<thead><tr><th>Relationship</th><th>Leads to</th><th>Ownership</th><th class=\"number\">Filled</th></tr></thead>"
        return Self.scroll(
            "Relationships of \(sample.entity.name)", "<table>\n\(head)\n<tbody>\n\(rows.joined())</tbody>\n</table>")
    }

    private func rows(_ sample: EntitySample, _ shown: Set<EntitySample.ObjectLink>) -> String {
        let names = sample.entity.properties.map { "<th>\(Self.text($0.name))</th>" }.joined()
        let rows = sample.rows.map { row in
            let cells = row.cells.map { "<td>\(Self.cell($0, shown))</td>" }.joined()
            return "<tr id=\"\(Self.anchor(row.link))\"><th scope=\"row\">\(row.link.key)</th>\(cells)</tr>\n"
        }
        let caption =
            sample.count > sample.rows.count ? "The first \(sample.rows.count) of \(sample.count)" : "All objects"
        return Self.scroll(
            "Objects of \(sample.entity.name)",
            "<table class=\"rows\">\n<caption>\(caption)</caption>\n<thead><tr><th>Key</th>\(names)</tr></thead>\n<tbody>\n"
                + "\(rows.joined())</tbody>\n</table>")
    }

    private static func cell(_ cell: EntitySample.Cell, _ shown: Set<EntitySample.ObjectLink>) -> String {
        let links = cell.links.map { link in
            // Where the object itself isn't on the page, its entity is.
            let target = shown.contains(link) ? anchor(link) : anchor(link.entity)
            return "<a href=\"#\(target)\">\(text(link.entity)) \(link.key)</a>"
        }
        return (links + (cell.text.isEmpty ? [] : [text(cell.text)])).joined(separator: ", ")
    }

    // MARK: Numbers

    private static func percent(_ statistics: ValueStatistics) -> String {
        guard statistics.total > 0 else { return "" }
        if statistics.filled == statistics.total { return "100 %" }
        // Neither all nor nothing is rounded to either.
        let percent = min(99, max(1, statistics.filled * 100 / statistics.total))
        return statistics.filled == 0 ? "0 %" : "\(percent) %"
    }

    private static func distribution(_ statistics: ValueStatistics, _ rendering: DiffRendering) -> String {
        if let bins = statistics.histogram(), let most = bins.max() {
            let bars = bins.enumerated().map { index, count in
                let height = count == 0 ? 0 : max(1, count * 24 / most)
                return "<rect x=\"\(index * 10)\" y=\"\(24 - height)\" width=\"9\" height=\"\(height)\"/>"
            }
            let words = bins.map { "\($0)" }.joined(separator: ", ")
            return
                "<svg class=\"bars\" width=\"120\" height=\"24\" role=\"img\" aria-label=\"In equal steps: \(words)\">"
                + "\(bars.joined())</svg>"
        }
        let shares = statistics.mostFrequent { rendering.text(of: $0) }
        if shares.isEmpty { return "" }
        let items = shares.map { share in
            let width = max(2, share.count * 60 / statistics.filled)
            return
                "<li><span class=\"share\" style=\"width: \(width)px\"></span>\(text(share.label)) × \(share.count)</li>"
        }
        return "<ul class=\"shares\">\(items.joined())</ul>"
    }

    // MARK: HTML

    /// A part that is scrolled sideways, also by keyboard.
    private static func scroll(_ name: String, _ contents: String) -> String {
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(text(name))\">\n\(contents)\n</div>\n"
    }

    private static func anchor(_ entity: String) -> String { "entity-\(text(entity))" }

    private static func anchor(_ link: EntitySample.ObjectLink) -> String { "\(text(link.entity))-\(text(link.key))" }
}
