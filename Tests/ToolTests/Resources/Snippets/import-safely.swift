import CoreData
import Graft

@MainActor func import_safely_page() throws {
    let container = try people()
    let person = try ann(in: container.viewContext)
    // snippet
    // snippet
    // snippet
}
