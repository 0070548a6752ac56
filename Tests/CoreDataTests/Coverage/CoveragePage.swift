// docs/coverage.md, made from the list of Core Data's API and from what the module declares. By hand are only the words
// about what a declared symbol lacks (CoverageNotes.swift).

import Foundation

/// The page.
struct CoveragePage {
    let declarations: [SpecDeclaration]
    let symbols: ModuleSymbols
    /// The number of tests in Tests/ClientTests/Idioms.
    let idioms: Int

    enum State {
        case done
        case partial(String)
        case absent
    }

    func state(of declaration: SpecDeclaration) -> State {
        guard symbols.has(declaration.path) else { return .absent }
        return CoverageNotes.missing[declaration.path].map(State.partial) ?? .done
    }

    var text: String {
        """
        # Coverage

        Which of Core Data's symbols the module `CoreData` has. The list is that of the API which public code uses, ranked by use: what most
        code uses first. *Done* is there, with Core Data's spelling and, as far as it is known, its behaviour; *partial* says what is
        missing; *absent* isn't declared, so that code which needs it doesn't compile.

        A test makes this page from the list and from the module's symbol graph, and fails where they differ (CoverageTests; `GRAFT_WRITE_COVERAGE=1
        scripts/test --filter CoverageTests` writes the page anew).

        | | done | partial | absent |
        | --- | ---: | ---: | ---: |
        \(row("what most code uses", tier: 1))
        \(row("what some code uses", tier: 2))

        What was run, beyond the module's own tests:

        | what | tests | passed | failed | why |
        | --- | ---: | ---: | ---: | --- |
        | eight public clients of Core Data, compiled and linked with the module on Linux, with their own tests | 388 | 277 | 111 | 97 because of the module, 14 because of the platform |
        | a part of CoreDataPlus' tests, shortened (history, notifications, fetched results, stores on disk, migrations of models in code) | 86 | 84 | 2 | staleness and refetching: divergences 30 and 58; 78 passed before the last mending |
        | tests of other clients, shortened: MIOCoreData's tests of Apple's framework, PredicateKit, QueryKit, CoreDataQueryInterface, RCDataKit, Sworm, CoreDataRepository, CoreDataEvolution, Big Nerd Ranch's CoreDataStack, BrowserServicesKit, an atomic store, mocks | 68 | 68 | 0 | before the mending 4 failed and 6 didn't compile; `@objc`, `#keyPath`, private `@NSManaged` properties and overriding in extensions don't compile on Linux |
        | tests of still more clients, shortened: objc.io's Moody, PeakCoreData, JSQCoreDataKit, Sync with DATAStack and DataFilter, CoreStore, Groot's own suite, WooCommerce's storage, stacks as MagicalRecord, SugarRecord and Skopelos have them | 108 | 106 | 2 | two of JSQCoreDataKit's want binary stores, which stay an error; before the mending 6 more failed and one suite didn't compile; the same things as above don't compile on Linux |
        | tests of further clients, shortened, on both stores: EncryptedCoreData, CDTIncrementalStore's and CouchbaseLite's stores, Wire's data model, RestKit, MagicalRecord, Ensembles' save monitor, PersistentHistoryTrackingKit, Proton, CoconutKit, DataStore's constraints, the tests of three replacements for the fetched results controller (MRFetchedResultsController, MRTFetchedResultsController, DungeonMaster's) | 68 | 68 | 0 | before the mending 2 failed: deleting what a reset let go of stopped the program, and deleting one author's history deleted all; 32 probes of our own beside them (undo, children, merges and lists at random) found 4 more |
        | tests of more clients yet, shortened, on both stores where it applies: the rest of CoreDataPlus' (faulting, transients, undo, two stores), Graph, CoreModel, SwiftDatastore, INCoreData, Crush, Cadmium, Embrace, Stream's chat client, LoopKit, Wikipedia's, WordPress' and The Blue Alliance's stacks, Mantle, CoreDataKit, DTModelStorage, RHBKit, Simperium | 79 | 76 | 3 | two of Crush's make subclasses of `NSPredicate` from formats: divergence 62; one of Graph's compares a transformable attribute with a value, which stays an error for SQLite stores; before the mending 8 more failed, one of them by stopping the process, and one suite didn't compile |
        | tests and idioms of some thirty more, shortened, on both stores: CoreStore's queries and list observers, Barrel, AlecrimCoreData, Simplenote, SyncKit, CloudCore, Operation_iOS, coherence, the certificate apps of the EU, Movie DB and others | 115 | 111 | 4 | what fails: `distinct:`, `objectID` beside what is grouped, a `HAVING` by an expression's name, and then the order in which a section's deletion is told, mended since; before the mending 7 more failed, `entity IN` and mutable sets of members among them |
        | tests of clients, shortened: DuckDuckGo's bookmarks, WooCommerce's results controller, FFCoreData, ManuallyManagedObject, Mastodon's stack, CoreStore's version locks, merge policies of AltStore and Harmony, ported | 34 | 32 | 2 | 2 because of the module (divergences 34 and 65) |
        | suites once more, rebuilt as probes of what they rely on: CoreDataPlus, PersistentHistoryTrackingKit, CoreDataEvolution, CoreDataRepository, Sync, PeakCoreData, JSQCoreDataKit, CoreDataKit, Coredatable, Big Nerd Ranch, CoreDataQueryInterface, CoreStore, AERecord, Skopelos, SwiftRecord, DuckDuckGo, WooCommerce, WordPress, Wikipedia, Pulse, Wire, Bitwarden, LoopKit, Proton, kiwix; samples of Apple's, Kodeco's and objc.io's | about 700 | about 690 | about 10 | two of CoreDataKit's (divergence 67), one of CoreStore's (63), those of kiwix that cast a request (34), one of ReactiveCocoa's (observers aren't told when a fault is filled); before the mending some 25 more failed or didn't compile |
        | the suite of FreeCoreData, an implementation for GNUstep that is run against Apple's Core Data as well, and idioms of sixteen others (CareKit, MagicalRecord, Matrix, DashSync, SuperRecord, FastEasyMapping, Ensembles, …), rebuilt as probes on both stores | about 970 | about 960 | about 10 | divergences 71, 73 to 78; `mergedModel(from: [])`, an object inserted and deleted within one event, one that a merge brings and nobody holds; before the mending some 20 more failed |
        | suites that were written against Apple's frameworks (Xamarin's, coredata-rs; of Foundation the undo managers of swift-corelibs-foundation and WinObjC, the predicates of Cappuccino and GNUstep, Apportable's key-value coding), reported bugs (Open Radar), and idioms of eight clients (Alicerce, MoreData, ManagedObject, SPLManagedObjectContextSnapshot, FBFetchedResultsController, GFFetchedResultsController, Submariner, Iron), rebuilt as probes on both stores | about 2,300 | about 2,290 | about 10 | aggregates over several stores, `nil >= nil`, `lastPathComponent` as a function, names of functions in printed formats; before the mending some 30 more failed, one of them by ending the process |
        | clients and suites that weren't looked at before (ManagedModels, Stairtree's CoreDataSupport, the CoreDataStack of Jano, CoreDataModelActor, core-data-candy, Brave's data layer, BookPlayer's sorting, Seam3), idioms of tutorials, and the whole of the interface as client code names it, rebuilt as probes on both stores | 935 | 932 | 3 | compounds that code makes print as Foundation's where the plugin isn't used (divergence 52); before the mending some 10 more failed, three of them by ending the process, and four names weren't declared |
        | a record of what Core Data of iOS 18.3 answers (models, tables, delete rules, IDs, faults, migrations, aggregates, batches), more clients (davbeck's FetchedResultsController, Stitch's mirroring store, JSONStore, MOCloner, DCTManagedObjectSerialization), and 18 models of public apps rebuilt, rebuilt as probes | 305 | 277 | 28 | 11 are sets of keys in errors that aren't exactly Core Data's, 12 other answers (an attribute beside an aggregate, a sum as text, a timeout of 60 s and the like, several of them on both stores), one is an error of the probe, and 4 wait for a run of the mending of batches in custom stores; 267 passed before the mending |
        | idioms of clients, one a test, compiled as for Apple's platforms (Tests/ClientTests/Idioms) | \(idioms) | \(idioms) | 0 | |

        The first were run once, before what they ran into was mended; the next five again afterwards, the sixth while it was. Their suites aren't part of this
        repository. What stays of it is in [divergences.md](divergences.md).

        The accessors of `@NSManaged` are made by a plugin ([managed-object-classes.md](managed-object-classes.md)).

        ## What most code uses

        \(sections(tier: 1))

        ## What some code uses

        \(sections(tier: 2))

        ## Never

        CloudKit mirroring, iCloud document stores, Spotlight, and what belongs to Apple's user-interface frameworks (diffable data
        sources, `@FetchRequest`).

        """
    }

    private func row(_ title: String, tier: Int) -> String {
        var done = 0, partial = 0, absent = 0
        for declaration in declarations where declaration.tier == tier {
            switch state(of: declaration) {
            case .done: done += 1
            case .partial: partial += 1
            case .absent: absent += 1
            }
        }
        return "| \(title) | \(done) | \(partial) | \(absent) |"
    }

    private func sections(tier: Int) -> String {
        var owners: [String] = [], members: [String: [SpecDeclaration]] = [:]
        for declaration in declarations where declaration.tier == tier {
            if members[declaration.owner] == nil { owners.append(declaration.owner) }
            members[declaration.owner, default: []].append(declaration)
        }
        return owners.map { section($0, members[$0] ?? []) }.joined(separator: "\n\n")
    }

    private func section(_ owner: String, _ members: [SpecDeclaration]) -> String {
        var done: [String] = [], partial: [String] = [], absent: [String] = []
        for declaration in members {
            let name = declaration.name.isEmpty ? "the type" : "`\(declaration.name)`"
            switch state(of: declaration) {
            case .done: done.append(name)
            case .partial(let missing): partial.append("* partial: \(name): \(missing)")
            case .absent: absent.append(name)
            }
        }
        var lines = ["### " + (owner.isEmpty ? "Global" : "`\(owner)`"), ""]
        if !done.isEmpty { lines.append("* done: " + done.joined(separator: ", ")) }
        lines += partial
        if !absent.isEmpty { lines.append("* absent: " + absent.joined(separator: ", ")) }
        return lines.joined(separator: "\n")
    }
}
