import CoreData
import Synchronization
import Testing

@Suite struct UndoManagerTests {
    private final class Counter: @unchecked Sendable {
        // Each test uses its own on one thread.
        let manager = UndoManager()
        private(set) var value = 0

        init(byHand: Bool = true) { manager.groupsByEvent = !byHand }

        func set(_ new: Int) {
            let old = value
            value = new
            manager.registerUndo(withTarget: self) { $0.set(old) }
        }

        func group(_ body: () -> Void) {
            manager.beginUndoGrouping()
            body()
            manager.endUndoGrouping()
        }
    }

    @Test func `a group is undone and redone as one, again and again`() {
        let counter = Counter(), manager = counter.manager
        counter.group {
            counter.set(1)
            counter.set(2)
        }
        counter.group { counter.set(3) }
        #expect(manager.canUndo && !manager.canRedo && manager.undoCount == 2)
        manager.undo()
        #expect(counter.value == 2)
        manager.undo()
        #expect(counter.value == 0 && !manager.canUndo && manager.redoCount == 2)
        manager.redo()
        #expect(counter.value == 2)
        manager.redo()
        #expect(counter.value == 3 && !manager.canRedo)
        manager.undo()
        manager.redo()
        #expect(counter.value == 3)
        manager.undo()
        manager.undo()
        manager.undo()
        #expect(counter.value == 0)
    }

    // swift-corelibs-foundation's tests of Apple's undo manager (TestUndoManager).
    @Test func `a group that was opened by hand, and what an undo or a redo leaves, counts without actions`() {
        let counter = Counter(), manager = counter.manager
        counter.group {}
        #expect(manager.canUndo)
        manager.undo()
        #expect(!manager.canUndo && manager.canRedo)
        manager.redo()
        #expect(manager.canUndo && manager.undoCount == 1)
    }

    // WinObjC's tests, which say what Apple's undo manager does (NSUndoManagerTests.mm, GroupingLevel, IndividualUndoRedoOperations).
    @Test func `groups of one event are undone together, or one by one as nested ones`() {
        let counter = Counter(byHand: false), manager = counter.manager
        manager.beginUndoGrouping()
        #expect(manager.groupingLevel == 2)
        counter.set(1)
        manager.endUndoGrouping()
        #expect(manager.groupingLevel == 1)
        for value in 2...4 { counter.group { counter.set(value) } }
        manager.undoNestedGroup()
        manager.undoNestedGroup()
        #expect(counter.value == 2)
        manager.redo()
        manager.redo()
        #expect(counter.value == 4)
        manager.undoNestedGroup()
        #expect(counter.value == 3 && manager.groupingLevel == 1)
        manager.undo()
        #expect(counter.value == 0 && manager.groupingLevel == 0 && !manager.canUndo)
    }

    @Test func `a new action forgets what could be redone`() {
        let counter = Counter()
        counter.group { counter.set(1) }
        counter.manager.undo()
        #expect(counter.manager.canRedo)
        counter.group { counter.set(2) }
        #expect(!counter.manager.canRedo)
    }

    @Test func `groups nest, and a nested one can be undone alone`() {
        let counter = Counter(), manager = counter.manager
        manager.beginUndoGrouping()
        counter.set(1)
        counter.group { counter.set(2) }
        #expect(manager.groupingLevel == 1)
        manager.undoNestedGroup()
        #expect(counter.value == 1)
        manager.endUndoGrouping()
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test func `without a run loop a group by event lasts until the undo`() {
        let counter = Counter(byHand: false), manager = counter.manager
        counter.set(1)
        counter.set(2)
        #expect(manager.groupingLevel == 1 && manager.canUndo)
        manager.undo()
        #expect(counter.value == 0 && manager.groupingLevel == 0 && manager.canRedo)
    }

    @Test func `a run loop's turn ends a group by event`() async {
        let values: [Int] = await withCheckedContinuation { continuation in
            Thread {
                let counter = Counter(byHand: false)
                func turn(_ value: Int) {
                    let timer = Timer(timeInterval: 0.001, repeats: false) { _ in counter.set(value) }
                    RunLoop.current.add(timer, forMode: .default)
                    RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.05))
                }
                turn(1)
                let level = counter.manager.groupingLevel
                turn(2)
                counter.manager.undo()
                let first = counter.value
                counter.manager.undo()
                continuation.resume(returning: [level, first, counter.value])
            }.start()
        }
        #expect(values == [0, 1, 0])
    }

    @Test func `nothing is registered while that is switched off, and calls nest`() {
        let counter = Counter(), manager = counter.manager
        manager.disableUndoRegistration()
        manager.disableUndoRegistration()
        manager.enableUndoRegistration()
        #expect(!manager.isUndoRegistrationEnabled)
        counter.set(1)
        manager.enableUndoRegistration()
        #expect(manager.isUndoRegistrationEnabled && !manager.canUndo)
    }

    @Test func `only so many groups are kept as levels are asked for`() {
        let counter = Counter(), manager = counter.manager
        for value in 1...5 { counter.group { counter.set(value) } }
        manager.levelsOfUndo = 2
        #expect(manager.undoCount == 2)
        counter.group { counter.set(6) }
        for _ in 0..<5 { manager.undo() }
        #expect(counter.value == 4)
    }

    @Test func `actions are named, and the name goes along`() {
        let counter = Counter(), manager = counter.manager
        #expect(manager.undoMenuItemTitle == "Undo" && manager.undoActionName.isEmpty)
        counter.group {
            counter.set(1)
            manager.setActionName("Count")
        }
        #expect(manager.undoActionName == "Count" && manager.undoMenuItemTitle == "Undo Count")
        manager.undo()
        #expect(manager.redoMenuItemTitle == "Redo Count" && manager.undoActionName.isEmpty)
        manager.setActionIsDiscardable(true)
        #expect(!manager.undoActionIsDiscardable)
    }

    @Test func `a target's actions can be removed, and die with it`() {
        let manager = UndoManager()
        manager.groupsByEvent = false
        let log = Log(), kept = NSObject()
        var gone: NSObject? = NSObject()
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: kept) { _ in log.entries.append("kept") }
        if let gone { manager.registerUndo(withTarget: gone) { _ in log.entries.append("gone") } }
        manager.endUndoGrouping()
        gone = nil
        manager.undo()
        #expect(log.entries == ["kept"])
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: kept) { _ in }
        manager.endUndoGrouping()
        manager.removeAllActions(withTarget: kept)
        #expect(!manager.canUndo)
    }

    private final class Log { var entries: [String] = [] }

    @Test func `groups of others that counted without actions stay when a target's actions are removed`() {
        let counter = Counter(), manager = counter.manager
        counter.group {}
        counter.group { counter.set(1) }
        counter.group { counter.group { counter.set(2) } }
        manager.removeAllActions(withTarget: counter)
        #expect(manager.undoCount == 1)
        manager.undo()
        #expect(counter.value == 2 && manager.redoCount == 1)
        manager.removeAllActions(withTarget: counter)
        #expect(manager.redoCount == 1)
    }

    @Test func `it announces what it does`() {
        let counter = Counter(), manager = counter.manager
        let log = Mutex<[String]>([])
        let names: [Notification.Name] = [
            .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup, .NSUndoManagerDidCloseUndoGroup,
            .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange, .NSUndoManagerWillRedoChange,
            .NSUndoManagerDidRedoChange,
        ]
        let tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { note in
                let text = note.name.rawValue.dropFirst("NSUndoManager".count).dropLast("Notification".count)
                log.withLock { $0.append(String(text)) }
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        counter.group { counter.set(1) }
        manager.undo()
        manager.redo()
        #expect(
            log.withLock { $0 } == [
                "DidOpenUndoGroup", "WillCloseUndoGroup", "DidCloseUndoGroup", "WillUndoChange", "DidUndoChange",
                "WillRedoChange", "DidRedoChange",
            ])
    }

    @Test func `an action outside a group stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager(), target = NSObject()
            manager.groupsByEvent = false
            manager.registerUndo(withTarget: target) { _ in }
        }
    }
}
