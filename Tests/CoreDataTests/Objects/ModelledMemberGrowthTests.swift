// `addToBooks(_:)` and `removeFromBooks(_:)`, as the plugin and Xcode generate them, call `addModelled` and `removeModelled`. One member at a
// time, as in each importer's loop, is the usual way to call them.

import CoreData
import TestSupport
import Testing

@Suite struct ModelledMemberGrowthTests {
    @Test(arguments: ["books", "chapters"])
    func `members that are added and removed one by one take time in proportion to their number`(_ key: String) throws {
        let library = try Library(.inMemory)
        let isOrdered = key == "chapters"
        let owner = library.insert(isOrdered ? "Book" : "Author")
        func members(_ count: Int) -> [NSManagedObject] {
            (0..<count).map { _ in library.insert(isOrdered ? "Chapter" : "Book") }
        }
        func fillAndEmpty(_ members: [NSManagedObject]) {
            for member in members { owner.addModelled([member], forKey: key) }
            for member in members { owner.removeModelled([member], forKey: key) }
        }
        let small = members(250), large = members(1000)
        let ratio = Growth.ratio(small: { fillAndEmpty(small) }, large: { fillAndEmpty(large) })
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }
}
