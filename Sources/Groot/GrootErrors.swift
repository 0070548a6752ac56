// Groot's errors: its own domain with two codes, Cocoa's for what Core Data or the parser refuses.

import CoreData
import Foundation
import Graft

/// The domain of Groot's errors.
public let GRTErrorDomain = "com.groot.error"

/// The codes of Groot's errors.
public enum GRTError: Int, Sendable {
    /// The model has no entity of the name.
    case entityNotFound = 0
    /// The JSON doesn't fit the model. The description says where and why, and so does the `GraftError` under
    /// `NSUnderlyingErrorKey`.
    case invalidJSONObject = 1
}

enum GrootErrors {
    /// An error of Groot's.
    static func error(_ code: GRTError, _ cause: GraftError) -> NSError {
        NSError(domain: GRTErrorDomain, code: code.rawValue, userInfo: userInfo(cause))
    }

    /// Runs a closure and throws Groot's errors in place of Graft's.
    static func translating<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as GraftError {
            throw translated(error)
        }
    }

    private static func translated(_ error: GraftError) -> any Error {
        switch error.problem {
        case .unknownEntity: self.error(.entityNotFound, error)
        case .wrongType, .outOfRange, .missingIdentity, .unresolvedReference, .unknownProperty, .notRepresentable:
            self.error(.invalidJSONObject, error)
        case .invalidJSON, .tooDeep, .tooLarge: CocoaError(.propertyListReadCorrupt, userInfo: userInfo(error))
        case .validation(let code, _): CocoaError(CocoaError.Code(rawValue: code), userInfo: validation(error))
        // Whatever else doesn't fit is Groot's, too: nobody who uses Groot looks for another library's errors.
        default: self.error(.invalidJSONObject, error)
        }
    }

    private static func validation(_ error: GraftError) -> [String: Any] {
        var userInfo = userInfo(error)
        userInfo[NSValidationKeyErrorKey] = error.place.property
        return userInfo
    }

    private static func userInfo(_ error: GraftError) -> [String: Any] {
        [NSLocalizedDescriptionKey: error.description, NSUnderlyingErrorKey: error]
    }
}
