import CoreData
import Foundation
import Graft

// declarations

@MainActor func decode_and_encode_page() throws {
    let container = try people()
    let context = container.viewContext
    // snippet
}
