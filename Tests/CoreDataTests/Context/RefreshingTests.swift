import CoreData
import Testing

@Suite struct RefreshingTests {
    // Divergence 30: Core Data fills the object from its cache of rows, so that the batch update stays unseen.
    @Test(arguments: [-1, 0, 0.5, 3600])
    func `a refresh reads the store, whatever the staleness interval`(_ interval: TimeInterval) throws {
        let library = try Library(.sqlite)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        #expect(library.context.stalenessInterval == -1)
        library.context.stalenessInterval = interval
        #expect(library.context.stalenessInterval == interval && library.newContext().stalenessInterval == -1)
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["name": "Bea"]
        _ = try library.context.execute(update)
        #expect(author.text("name") == "Ada")
        library.context.refresh(author, mergeChanges: false)
        #expect(author.text("name") == "Bea")
    }

    enum Change: CaseIterable { case tagged, untagged, given, taken, freed, married, moved }

    // Apple, "refresh(_:mergeChanges:)": with false, pending changes are lost. A link is a change of both its ends, so it is lost once
    // both are refreshed, whichever comes first.
    @Test(arguments: StoreKind.allCases, Change.allCases)
    func `refreshing whatever has changes leaves none, in either order`(_ kind: StoreKind, _ change: Change) throws {
        for isBackwards in [false, true] {
            for isRead in [false, true] {
                try check(Library(kind), change, isBackwards, isRead)
            }
        }
    }

    private func check(_ library: Library, _ change: Change, _ isBackwards: Bool, _ isRead: Bool) throws {
        let author = library.insert("Author", ["name": "Ada"]), other = library.insert("Author", ["name": "Bea"])
        let passport = library.insert("Passport", ["owner": author])
        let book = library.insert("Book", ["author": author]), loose = library.insert("Book")
        let tag = library.insert("Tag"), free = library.insert("Tag")
        book.mutableSetValue(forKey: "tags").add(tag)
        try library.context.save()
        library.context.refreshAllObjects()
        if isRead { _ = (author.many("books"), book.many("tags"), tag.many("books"), author.one("passport")) }
        switch change {
        case .tagged: book.mutableSetValue(forKey: "tags").add(free)
        case .untagged: book.mutableSetValue(forKey: "tags").remove(tag)
        case .given: author.mutableSetValue(forKey: "books").add(loose)
        case .taken: author.mutableSetValue(forKey: "books").remove(book)
        case .freed: author.setValue(nil, forKey: "passport")
        case .married: other.setValue(passport, forKey: "passport")
        case .moved: book.setValue(other, forKey: "author")
        }
        let changed = library.context.updatedObjects.sorted {
            $0.objectID.uriRepresentation().path < $1.objectID.uriRepresentation().path
        }
        #expect(changed.count >= 2)
        for object in isBackwards ? changed.reversed() : changed {
            library.context.refresh(object, mergeChanges: false)
            library.context.checkInvariants()
        }
        #expect(!library.context.hasChanges)
        #expect(book.many("tags") == [tag] && tag.many("books") == [book] && free.many("books").isEmpty)
        #expect(author.many("books") == [book] && book.one("author") === author && loose.one("author") == nil)
        #expect(author.one("passport") === passport && passport.one("owner") === author)
        #expect(other.one("passport") == nil && other.many("books").isEmpty)
        library.context.checkInvariants()
        try library.context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func `a deleted object that is refreshed takes nothing along that it had let go`(_ kind: StoreKind) throws {
        let (library, owner, parts) = try Library.owned(kind)
        owner.setValue(nil, forKey: "part")
        owner.mutableSetValue(forKey: "parts").remove(parts[1])
        library.context.delete(owner)
        library.context.refreshAllObjects()
        try library.context.save()
        let stored = try library.fetch("Part", sortedBy: "name", in: library.newContext())
        #expect(stored.map { $0.text("name") } == ["a", "b", "d"])
    }
}
