import CoreData
import Testing

@Suite struct RefreshingTests {
    // Divergence 30: Core Data fills the object from its cache of rows, so that the batch update stays unseen.
    @Test func `a refresh reads the store, whatever the staleness interval`() throws {
        let library = try Library(.sqlite)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        #expect(library.context.stalenessInterval == -1)
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["name": "Bea"]
        _ = try library.context.execute(update)
        #expect(author.text("name") == "Ada")
        library.context.refresh(author, mergeChanges: false)
        #expect(author.text("name") == "Bea")
    }
}
