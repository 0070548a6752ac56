// A child's fetch is answered by its parent, which evaluates predicates on its own unsaved objects. Where a fault of the parent can't be
// read, the child's fetch throws, as the parent's own fetch does (divergence 70), instead of ending the process.

import CoreData
import Foundation
import TestSupport
import Testing

@Suite struct DamagedRowOfParentTests {
    @Test func `a child's fetch throws what a fault of its parent couldn't read`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let url = folder.url.appendingPathComponent("Heroes.sqlite")
            let library = try Library(at: url, model: TestModel.heroes())
            let parent = library.context
            let hero = library.insert("Hero", ["name": "Ann"])
            let sidekick = library.insert("Sidekick", ["name": "Al", "mentor": hero])
            try parent.save()
            parent.refreshAllObjects()
            sidekick.setValue("Bo", forKey: "name")
            try StoreSQL.run("UPDATE ZHERO SET ZAGE = 'x' WHERE ZMENTOR IS NULL", at: url)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Sidekick")
            request.predicate = NSPredicate(format: "mentor.name == 'Ann'")
            do {
                _ = try parent.fetch(request)
                exit(1)
            } catch {}
            let child = library.newChild()
            do {
                _ = try child.fetch(request)
                exit(2)
            } catch {}
            exit(0)
        }
    }
}
