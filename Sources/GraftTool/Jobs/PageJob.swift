// What `graft inspect --html` does.

import CoreData
import Foundation
import Graft

/// A page about a store.
struct PageJob {
    var store: String
    var model: String?
    var output: String

    func run(on console: Console) throws {
        try FileKind.require(.store, at: store)
        let destination = try OutputFile.destination(output, besides: [store, model], console)
        let report = try InspectJob(file: store, model: model, isJSON: false).storeReport()
        let container = try StoreAccess.openForReading(store, modelPath: model)
        var page = StorePage(title: StoreAccess.title(of: store))
        page.facts = ["\(report.type) store, \(report.size.formatted()) bytes", "UUID \(report.uuid)"]
        page.diagram = try Graphviz.svgIfInstalled(of: DiagramJob.diagram(container.managedObjectModel))
        if page.diagram == nil {
            page.facts.append("Without a picture of the model, because Graphviz isn't installed.")
        }
        try destination.write(Data(page.html(of: container.newBackgroundContext()).utf8))
        try OutputFile.report(output, console)
    }
}
