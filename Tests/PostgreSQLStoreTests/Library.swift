// A library that several processes import books into, and in which they move money from account to account: what has to hold in it
// whatever happens, and the processes' work.

#if PostgreSQL

    import CoreData
    import Foundation
    import Graft
    import Testing

    @testable import PostgreSQLStore

    /// Books with authors and tags, found by their identities, and accounts whose balances are the sums of their entries.
    final class Library {
        static let accountCount = 20
        static let bookCount = 600

        let container: NSPersistentContainer
        var context: NSManagedObjectContext { container.viewContext }

        init(at url: URL) throws {
            container = NSPersistentContainer(name: "Library", managedObjectModel: Self.model())
            let description = NSPersistentStoreDescription(url: url)
            description.type = NSPostgreSQLStoreType
            container.persistentStoreDescriptions = [description]
            var failure: (any Error)?
            container.loadPersistentStores { failure = $1 }
            if let failure { throw failure }
        }

        private static func model() -> NSManagedObjectModel {
            func entity(_ name: String, identity: String, _ attributes: [String: NSAttributeType])
                -> NSEntityDescription
            {
                let entity = NSEntityDescription()
                entity.name = name
                entity.userInfo = ["identityAttributes": identity]
                entity.properties = attributes.sorted { $0.key < $1.key }.map { name, type in
                    let attribute = NSAttributeDescription()
                    (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
                    return attribute
                }
                return entity
            }
            func connect(
                _ one: NSEntityDescription, _ name: String, max: Int, _ other: NSEntityDescription, _ back: String
            ) {
                let forth = NSRelationshipDescription(), inverse = NSRelationshipDescription()
                (forth.name, forth.destinationEntity, forth.maxCount) = (name, other, max)
                (inverse.name, inverse.destinationEntity, inverse.maxCount) = (back, one, 0)
                for relationship in [forth, inverse] { relationship.isOptional = true }
                (forth.inverseRelationship, inverse.inverseRelationship) = (inverse, forth)
                one.properties.append(forth)
                other.properties.append(inverse)
            }
            let number = NSAttributeType.integer64AttributeType, text = NSAttributeType.stringAttributeType
            let book = entity(
                "Book", identity: "id", ["id": number, "version": number, "title": text, "reads": number])
            let author = entity("Author", identity: "name", ["name": text])
            let tag = entity("Tag", identity: "label", ["label": text])
            let account = entity("Account", identity: "id", ["id": number, "balance": number])
            let entry = entity("Entry", identity: "id", ["id": number, "amount": number])
            let receipt = entity("Receipt", identity: "id", ["id": text])
            connect(book, "author", max: 1, author, "books")
            connect(book, "tags", max: 0, tag, "books")
            connect(entry, "from", max: 1, account, "outgoing")
            connect(entry, "to", max: 1, account, "incoming")
            let model = NSManagedObjectModel()
            model.entities = [book, author, tag, account, entry, receipt]
            return model
        }

        func makeAccounts() throws {
            for number in 0..<Self.accountCount {
                let account = NSEntityDescription.insertNewObject(forEntityName: "Account", into: context)
                account.setValuesForKeys(["id": number, "balance": 1000])
            }
            try context.save()
        }

        func fetch(_ entity: String, _ predicate: NSPredicate? = nil) throws -> [NSManagedObject] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = predicate
            return try context.fetch(request)
        }

        // MARK: What has to hold

        /// What a version of a book says, whoever imports it.
        static func authorName(_ book: Int, _ version: Int) -> String { "Author \((book + version) % 40)" }
        static func labels(_ book: Int, _ version: Int) -> Set<String> {
            Set((0...version % 3).map { "Tag \((book + version + $0) % 12)" })
        }

        func check(_ log: LibraryLog) throws {
            try checkBooks(log)
            try checkAccounts(log)
        }

        private func checkBooks(_ log: LibraryLog) throws {
            for (entity, key) in [("Book", "id"), ("Author", "name"), ("Tag", "label"), ("Receipt", "id")] {
                let identities = try fetch(entity).map { "\($0.value(forKey: key) ?? "none")" }
                #expect(Set(identities).count == identities.count, "\(entity): an identity is there twice")
            }
            var reads = 0
            for book in try fetch("Book") {
                let id = try #require(book.value(forKey: "id") as? Int)
                let version = try #require(book.value(forKey: "version") as? Int)
                let author = (book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String
                let tags = book.value(forKey: "tags") as? Set<NSManagedObject> ?? []
                #expect(book.value(forKey: "title") as? String == "Book \(id), version \(version)")
                #expect(author == Self.authorName(id, version), "book \(id), version \(version)")
                #expect(
                    Set(tags.compactMap { $0.value(forKey: "label") as? String }) == Self.labels(id, version),
                    "book \(id), version \(version)")
                reads += book.value(forKey: "reads") as? Int ?? 0
            }
            let known = log.saved.count { $0.hasPrefix("read ") }
            let possible = known + log.unknown.count { $0.hasPrefix("read ") }
            #expect((known...possible).contains(reads), "\(reads) reads of \(known) to \(possible)")
            let receipts = Set(try fetch("Receipt").compactMap { $0.value(forKey: "id") as? String })
            let imports = log.saved.filter { $0.hasPrefix("import ") }.map { String($0.dropFirst(7)) }
            #expect(Set(imports).subtracting(receipts) == [], "imports that were lost")
        }

        private func checkAccounts(_ log: LibraryLog) throws {
            func sum(_ account: NSManagedObject, _ key: String) -> Int {
                let entries = account.value(forKey: key) as? Set<NSManagedObject> ?? []
                return entries.reduce(0) { $0 + ($1.value(forKey: "amount") as? Int ?? 0) }
            }
            var total = 0
            for account in try fetch("Account") {
                let balance = try #require(account.value(forKey: "balance") as? Int)
                #expect(balance == 1000 + sum(account, "incoming") - sum(account, "outgoing"))
                total += balance
            }
            #expect(total == 1000 * Self.accountCount)
            func numbers(_ lines: [String]) -> Set<Int> {
                Set(lines.filter { $0.hasPrefix("entry ") }.compactMap { Int($0.dropFirst(6)) })
            }
            let entries = try fetch("Entry").map { $0.value(forKey: "id") as? Int ?? 0 }
            #expect(Set(entries).count == entries.count, "an entry is there twice")
            let saved = numbers(log.saved)
            #expect(saved.subtracting(entries) == [], "entries that were lost")
            #expect(Set(entries).subtracting(saved).subtracting(numbers(log.unknown)) == [], "entries nobody made")
        }
    }

    /// One process's work, and its log.
    final class LibraryWorker {
        private let number: Int
        private let url: URL
        private let log: FileHandle
        private let seconds: TimeInterval
        /// From the moment on in which the store is open.
        private var end = Date.distantFuture
        private var generator = SystemRandomNumberGenerator()

        init(_ number: Int, at address: String, log: String, seconds: TimeInterval) throws {
            guard let url = URL(string: address), FileManager.default.createFile(atPath: log, contents: nil),
                let handle = FileHandle(forWritingAtPath: log)
            else { throw CocoaError(.fileNoSuchFile) }
            (self.number, self.url, self.log) = (number, url, handle)
            self.seconds = seconds
        }

        private func note(_ kind: Character, _ text: String) {
            log.write(Data("\(kind) \(text.replacing("\n", with: " "))\n".utf8))
        }

        /// Opens the store; a server that is away comes back.
        private func open() throws -> Library {
            for _ in 0..<200 {
                if let library = try? Library(at: url) {
                    end = Date(timeIntervalSinceNow: seconds)
                    return library
                }
                Thread.sleep(forTimeInterval: 0.05)
            }
            return try Library(at: url)
        }

        // MARK: Importing

        /// Imports overlapping records again and again, every other time in batches.
        func importBooks() async throws {
            let library = try open()
            var run = 0
            while Date() < end {
                run += 1
                let version = run * 4 + number
                var records = (0..<Library.bookCount).shuffled(using: &generator).prefix(120).map { book in
                    let tags = Library.labels(book, version).sorted().map { #"{"label": "\#($0)"}"# }
                    return #"{"id": \#(book), "version": \#(version), "title": "Book \#(book), version \#(version)", "#
                        + #""author": {"name": "\#(Library.authorName(book, version))"}, "tags": [\#(tags.joined(separator: ", "))]}"#
                }
                var options = ImportOptions()
                options.savesEachBatch = run.isMultiple(of: 2)
                options.batchSize = 50
                let receipt = "\(number)-\(run)"
                do {
                    try await library.container.importJSON(
                        from: [.data(Data("[\(records.joined(separator: ","))]".utf8))], entity: "Book",
                        options: options)
                    records = [#"{"id": "\#(receipt)"}"#]
                    try await library.container.importJSON(
                        from: [.data(Data("[\(records[0])]".utf8))], entity: "Receipt")
                    note("+", "import \(receipt)")
                } catch {
                    note(Self.isExpected(error) ? "-" : "!", "\(error)")
                }
            }
        }

        // MARK: Editing

        func edit() async throws {
            let library = try open()
            library.context.mergePolicy = NSMergePolicy.error
            var step = 0
            while Date() < end {
                step += 1
                let what: String
                do {
                    if step.isMultiple(of: 3) {
                        what = try read(library)
                    } else {
                        what = try transfer(library, number * 1_000_000 + step)
                    }
                } catch {
                    library.context.reset()
                    note(Self.isExpected(error) ? "-" : "!", "\(error)")
                    continue
                }
                do {
                    if what.isEmpty { continue }
                    try library.context.save()
                    note("+", what)
                } catch {
                    let isUnknown = "\(error)".contains("can't be asked whether")
                    note(isUnknown ? "?" : Self.isExpected(error) ? "-" : "!", isUnknown ? what : "\(error)")
                }
                library.context.reset()
            }
        }

        private func transfer(_ library: Library, _ id: Int) throws -> String {
            let pair = (0..<Library.accountCount).shuffled(using: &generator).prefix(2)
            let accounts = try library.fetch("Account", NSPredicate(format: "id IN %@", Array(pair)))
            guard accounts.count == 2 else { throw CocoaError(.fileNoSuchFile) }
            let amount = Int.random(in: 1...50, using: &generator)
            for (account, sign) in zip(accounts, [-1, 1]) {
                account.setValue((account.value(forKey: "balance") as? Int ?? 0) + sign * amount, forKey: "balance")
            }
            let entry = NSEntityDescription.insertNewObject(forEntityName: "Entry", into: library.context)
            entry.setValuesForKeys(["id": id, "amount": amount, "from": accounts[0], "to": accounts[1]])
            return "entry \(id)"
        }

        private func read(_ library: Library) throws -> String {
            let id = Int.random(in: 0..<Library.bookCount, using: &generator)
            guard let book = try library.fetch("Book", NSPredicate(format: "id == %d", id)).first else { return "" }
            book.setValue((book.value(forKey: "reads") as? Int ?? 0) + 1, forKey: "reads")
            return "read \(id)"
        }

        /// What a server that is killed and others that write may lead to: nothing was saved then.
        private static func isExpected(_ error: any Error) -> Bool {
            if (error as? CocoaError)?.code == .managedObjectMerge { return true }
            let text = "\(error)"
            return ["server closed the connection", "Check that the server runs", "Try again"].contains {
                text.contains($0)
            }
        }
    }

#endif
