// What `graft inspect --html` does.

import CoreData
import Foundation
import Graft

/// A page about a store.
struct PageJob {
    var store: String
    var model: String?
    var output: String

    /// How many findings of a check are on the page.
    private static let findingLimit = 100

    func run(on console: Console) throws {
        try FileKind.require(.store, at: store)
        let destination = try OutputFile.destination(output, besides: [store, model], console)
        let report = try InspectJob(file: store, model: model, isJSON: false).storeReport()
        let container = try StoreAccess.openForReading(store, modelPath: model)
        var page = StorePage(title: StoreAccess.title(of: store))
        let size = report.size.map { ", \($0.formatted()) bytes" } ?? ""
        page.facts = ["\(report.type) store\(size)", "UUID \(report.uuid)"]
        page.diagram = try Graphviz.svgIfInstalled(of: DiagramJob.diagram(container.managedObjectModel))
        if page.diagram == nil {
            page.facts.append("Without a picture of the model, because Graphviz isn't installed.")
        }
        page.check = check()
        if let sizes = try StoreAccess.tableSizes(store, model: container.managedObjectModel) {
            page.tables = sizes.tables.map { StorePage.Table(entities: $0.entities, bytes: $0.bytes) }
            page.facts.append(
                "\(sizes.tables.reduce(0) { $0 + $1.bytes }.formatted()) bytes are in tables of objects, "
                    + "\(sizes.otherBytes.formatted()) in tables of links, of the history and of Core Data")
        }
        try destination.write(Data(page.html(of: container.newBackgroundContext()).utf8))
        try OutputFile.report(output, console)
    }

    /// What `graft check` says, damages first. A store that can't be checked has a page all the same.
    private func check() -> StorePage.Check {
        var (damages, notes): ([String], [String]) = ([], [])
        var findings: [String] { Array((damages + notes).prefix(Self.findingLimit)) }
        do {
            let summary = try CheckJob.check(of: store, model: model).run { finding in
                let line = CheckText.line(finding)
                if finding.kind.isNote {
                    if notes.count < Self.findingLimit { notes.append(line) }
                } else if damages.count < Self.findingLimit {
                    damages.append(line)
                }
            }
            var remarks: [String] = []
            if summary.findings > findings.count {
                remarks.append("\(summary.findings - findings.count) more are listed by graft check.")
            }
            return StorePage.Check(
                summary: CheckText.counts(summary), findings: findings,
                remarks: remarks + [CheckText.scope(summary)] + CheckText.unread(summary))
        } catch {
            return StorePage.Check(
                summary: "not possible", findings: findings, remarks: [StoreAccess.shown(Tool.words(of: error))])
        }
    }
}
