// From the errors of Core Data to Graft's, and from an object or an offset to a place in the text.

import CoreData
import Foundation

enum CoreDataErrors {
    /// The error of data that was to fill an object and has none.
    static func noObject(for target: NSManagedObject) -> GraftError {
        GraftError(
            .other(finding: "the data has no object, and one is to be filled", remedy: "Give the data of one object."),
            at: .init(entity: target.entity.name))
    }

    /// The error as a ``GraftError``.
    static func graftError(_ error: any Error) -> GraftError {
        if let error = error as? GraftError { return error }
        guard let cocoa = cocoa(error) else { return GraftError(.storeFailure(reason: words(error))) }
        let details = cocoa.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
        switch cocoa.code {
        case NSValidationMultipleErrorsError:
            guard let first = details.first else { return validation(cocoa, others: 0) }
            return validation(first, others: details.count - 1)
        case 1550..<1700: return validation(cocoa, others: 0)
        case NSManagedObjectMergeError: return GraftError(.conflict(reason: reason(cocoa)))
        case NSManagedObjectConstraintMergeError, NSManagedObjectConstraintValidationError:
            return duplicate(cocoa)
        case CocoaError.fileReadCorruptFile.rawValue: return GraftError(.damagedStore(reason: reason(cocoa)))
        case 0..<1024 where cocoa.userInfo[NSLocalizedDescriptionKey] == nil:
            // A file's error of Foundation's, and none of a store.
            let words = reason(cocoa)
            return GraftError(cocoa.code < 512 ? .unreadableFile(reason: words) : .unwritableFile(reason: words))
        default: return GraftError(.storeFailure(reason: reason(cocoa)))
        }
    }

    /// The error, if it is of Cocoa's domain. A cast to `CocoaError` isn't enough: on Linux it takes any `NSError`.
    private static func cocoa(_ error: any Error) -> NSError? {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain ? error : nil
    }

    /// Whether a class's own validation may have thrown an error, or one that it stands for: it is none of Core Data's.
    static func isForeign(_ error: any Error) -> Bool {
        !(error is GraftError) && single(error).contains { cocoa($0) == nil }
    }

    /// What the validation of an object has thrown, as Core Data's own errors of validation are: with the object.
    static func refusal(_ error: any Error, of object: NSManagedObject, key: String? = nil) -> any Error {
        guard isForeign(error) else { return error }
        let refusals = single(error).map { error -> NSError in
            if let cocoa = cocoa(error) { return cocoa }
            var info: [String: Any] = [
                NSValidationObjectErrorKey: object, NSLocalizedDescriptionKey: words(error),
                NSUnderlyingErrorKey: error as NSError,
            ]
            info[NSValidationKeyErrorKey] = key
            return NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError, userInfo: info)
        }
        if refusals.count == 1 { return refusals[0] }
        return NSError(
            domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
            userInfo: [NSDetailedErrorsKey: refusals])
    }

    /// What an error of nobody knows whom says.
    private static func words(_ error: any Error) -> String {
        let says = error is any LocalizedError || type(of: error) is NSError.Type
        return says ? reason(error as NSError) : "\(error)"
    }

    /// Each of the validation errors that an error stands for.
    static func single(_ error: any Error) -> [any Error] {
        guard let cocoa = cocoa(error), cocoa.code == NSValidationMultipleErrorsError,
            let details = cocoa.userInfo[NSDetailedErrorsKey] as? [NSError], !details.isEmpty
        else { return [error] }
        return details
    }

    /// The value that a validation error is about, as text.
    static func value(of error: any Error) -> String? {
        guard let value = (error as NSError).userInfo[NSValidationValueErrorKey] else { return nil }
        return value is NSNull ? "null" : "\(value)"
    }

    /// Runs a closure; its errors come out as ``GraftError``.
    static func graftErrors<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch {
            throw graftError(error)
        }
    }

    private static func validation(_ error: NSError, others: Int) -> GraftError {
        let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
        let key = error.userInfo[NSValidationKeyErrorKey] as? String
        let more = others > 0 ? " (and \(others) more)" : ""
        return GraftError(
            .validation(code: error.code, reason: reason(error) + more),
            at: .init(entity: object?.entity.name, property: key))
    }

    /// The error of objects that share what a uniqueness constraint gives to one.
    private static func duplicate(_ error: NSError) -> GraftError {
        guard let conflict = conflicts(error).first else { return GraftError(.duplicateIdentity(reason(error))) }
        let values = conflict.constraint.map { name -> String in
            let value = conflict.constraintValues[name]
            return JSONValue(object: value ?? NSNull())?.description ?? "\(value ?? "null")"
        }
        let isStored = conflict.databaseObject != nil || !conflict.conflictingObjects.allSatisfy(\.isInserted)
        return GraftError(
            .duplicateIdentity(values.joined(separator: ", ") + (isStored ? ", one of them in the store" : "")),
            at: .init(
                entity: conflict.conflictingObjects.first?.entity.name,
                property: conflict.constraint.joined(separator: ", ")))
    }

    private static func conflicts(_ error: NSError) -> [NSConstraintConflict] {
        error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict] ?? []
    }

    private static func reason(_ error: NSError) -> String {
        let text = GraftError.words(of: error)
        // The remedy follows the reason in a sentence of its own.
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// The object that a validation error, or one of uniqueness, is about.
    static func object(of error: any Error) -> NSManagedObject? {
        let info = (error as NSError).userInfo
        if let shared = conflicts(error as NSError).first?.conflictingObjects {
            return shared.first(where: \.isInserted) ?? shared.first
        }
        let first = (info[NSDetailedErrorsKey] as? [NSError])?.first?.userInfo ?? info
        return first[NSValidationObjectErrorKey] as? NSManagedObject
    }
}

extension ImportSource {
    /// The places of several bytes, which are in order, in one go.
    func places(ofOffsets offsets: [Int], _ options: ImportOptions) -> [GraftError.Place] {
        var places = offsets.map { GraftError.Place(source: name, byteOffset: $0) }
        if case .handle = content { return places }
        do {
            var reader = try makeReader(options)
            for (index, offset) in offsets.enumerated() {
                while reader.tokenOffset < offset, try reader.next() != .endOfInput {}
                places[index] = reader.place
            }
        } catch {
            // The text has changed meanwhile; the offsets are what is left.
        }
        return places
    }

    /// The place of a byte, with path, line and column where the text can be read again.
    func place(ofOffset offset: Int, _ options: ImportOptions) -> GraftError.Place {
        var place = GraftError.Place(source: name, byteOffset: offset)
        if case .handle = content { return place }
        do {
            var reader = try makeReader(options)
            while reader.tokenOffset < offset, try reader.next() != .endOfInput {}
            place = reader.place
        } catch {
            // The text has changed meanwhile; the offset is what is left.
        }
        return place
    }
}
