import CoreData
import Graft

@MainActor func sync_page() async throws {
    let container = try heroes()
    let context = container.viewContext
    let store = URL(fileURLWithPath: "Heroes.sqlite")
    let answer = try context.exportJSON()
    func send(_ change: GraphDiff) async throws {}
    // snippet
}
