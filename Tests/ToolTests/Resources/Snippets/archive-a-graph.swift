import CoreData
import Foundation
import Graft

@MainActor func archive_a_graph_page() throws {
    let container = try people()
    let person = try ann(in: container.viewContext)
    // snippet
    let other = try people()
    let otherContext = other.viewContext
    // snippet
}
