// The copies of a store that jobs make before they change it: where they are asked for, and by themselves before what can't be made
// good again.

import Foundation
import Graft

/// What becomes of a store as it is now.
enum StoreBackup {
    /// It is copied only before what can't be made good again, to a new file beside it.
    case beside
    /// It is copied to a file in any case.
    case file(String)
    /// It isn't copied.
    case no

    init(_ path: String?, isOff: Bool = false) { self = isOff ? .no : path.map { .file($0) } ?? .beside }

    /// Where the copy was asked to be.
    var path: String? { if case .file(let path) = self { path } else { nil } }

    /// Copies a store where that is asked for.
    func makeIfAsked(of store: String) throws {
        if let path { try StoreAccess.backUp(store, to: path) }
    }

    /// Copies a store before what can't be made good again.
    ///
    /// - Parameter occasion: Part of the name of a new file: `Heroes-before-repair.sqlite`.
    /// - Returns: Where the copy is, if there is one.
    func make(of store: String, before occasion: String) throws -> String? {
        let path: String
        switch self {
        case .no: return nil
        case .file(let file): path = file
        case .beside: path = Self.freePath(beside: store, before: occasion)
        }
        try StoreAccess.backUp(store, to: path)
        return path
    }

    /// Whether a job that may delete so much is to be tried within the usual limit first.
    func triesTwice(_ limit: MappingOptions.DeletionLimit?, in store: String) -> Bool {
        guard limit != nil, case .beside = self else { return false }
        return StoreAccess.server(path: store) == nil
    }

    /// Does what may delete more than usual: first within the usual limit as well as the one that was given; where that is too much,
    /// the store is copied, and the one that was given is all that counts.
    ///
    /// - Parameters:
    ///   - savesParts: Whether the job may fail with a part of it saved: then the store is copied before, whatever will be deleted.
    ///   - body: Is given the limits; may be called twice. What exceeds a limit leaves the store as it was, unless parts are saved.
    func deleting<T>(
        _ limit: MappingOptions.DeletionLimit?, in store: String, savesParts: Bool = false, _ console: Console,
        _ body: (DeletionLimits) throws -> T
    ) throws -> T {
        guard triesTwice(limit, in: store) else { return try body(DeletionLimits(given: limit)) }
        if !savesParts {
            do {
                return try body(DeletionLimits(given: limit, isBesideUsual: true))
            } catch let error as GraftError where error.isAboutDeletions {}
        }
        let copy = try make(of: store, before: "deletions")
        do {
            let result = try body(DeletionLimits(given: limit))
            if let copy { console.note("graft: the store as it was before so much could be deleted: \(copy)") }
            return result
        } catch {
            guard let copy else { throw error }
            if !savesParts, (error as? GraftError)?.isAboutDeletions ?? false {
                try Self.remove(copy)
            } else {
                console.note("graft: the store as it was: \(copy)")
            }
            throw error
        }
    }

    private static func remove(_ copy: String) throws {
        if case .archive = try FileKind.contents(of: copy) {
            try FileManager.default.removeItem(atPath: copy)
        } else {
            Draft.removeFiles(of: copy)
        }
    }

    /// A name of a file that isn't there, with a number where there is one already.
    private static func freePath(beside store: String, before occasion: String) -> String {
        let url = URL(fileURLWithPath: store)
        let ending = url.pathExtension.isEmpty ? "" : ".\(url.pathExtension)"
        let start = url.deletingPathExtension().path + "-before-\(occasion)"
        var path = start + ending
        var number = 2
        // A store's external data are beside it, whatever its name ends with.
        func isTaken(_ path: String) -> Bool {
            let url = URL(fileURLWithPath: path)
            let support = ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT"
            return [path, url.deletingLastPathComponent().appending(path: support).path].contains {
                FileKind(ofPath: $0) != .missing
            }
        }
        while isTaken(path) {
            path = "\(start)-\(number)\(ending)"
            number += 1
        }
        return path
    }
}

/// How much a job may delete.
struct DeletionLimits {
    /// What the user says; nil for nothing.
    var given: MappingOptions.DeletionLimit?
    /// Whether what the tool and the model say counts, too.
    var isBesideUsual = false

    /// What a dry run says of a limit that is exceeded.
    static func advice(_ exceeded: String) -> String { "\(exceeded): --max-deletions allows more" }

    /// What a diff is applied with.
    func options(_ conflicts: GraphDiff.ConflictPolicy, _ diff: DiffOptions) -> GraphDiff.ApplyingOptions {
        var options = GraphDiff.ApplyingOptions(
            conflicts: conflicts, diff: diff, deletionLimit: isBesideUsual ? .ofTool : given ?? .ofTool)
        options.deletionCeiling = isBesideUsual ? given : nil
        return options
    }
}

extension GraftError {
    fileprivate var isAboutDeletions: Bool { if case .tooManyDeletions = problem { true } else { false } }
}
