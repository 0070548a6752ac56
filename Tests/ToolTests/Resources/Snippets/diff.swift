import CoreData
import Graft

@MainActor func diff_page() throws {
    let (container, otherContainer) = (try heroes(), try heroes())
    let context = container.viewContext
    let hero = try object("Hero", "name", "Revontuli", in: context)
    let other = otherContainer.viewContext
    try object("Hero", "name", "La Brisa", in: other).setValue(113, forKey: "rescues")
    let (ours, theirs) = (try GraphSnapshot(of: context), try GraphSnapshot(of: other))
    other.rollback()
    // snippet
}
