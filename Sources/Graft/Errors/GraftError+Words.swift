// The words of every error, in one file: what was found, and what to do about it.

import Foundation

extension GraftError {
    /// The whole error in one line.
    func sentence(wholeValues: Bool) -> String {
        let words = words(wholeValues: wholeValues)
        let start = place.isEmpty ? Self.capitalized(words.finding) : "\(place): \(words.finding)"
        let cause = underlying.map { " (\(Self.shown($0, whole: wholeValues, limit: 300)))" } ?? ""
        let others = others.map { " \($0.sentence(wholeValues: wholeValues))" }.joined()
        return Self.oneLine("\(start)\(cause). \(words.remedy)") + others
    }

    /// What was found where what was expected, without a full stop, and the remedy as sentences.
    func words(wholeValues: Bool) -> (finding: String, remedy: String) {
        func shown(_ text: String) -> String { Self.shown(text, whole: wholeValues) }
        return switch problem {
        case .invalidJSON(let found, let expected):
            (
                "found \(shown(found)) where JSON has \(expected)",
                place.isBeginning
                    ? "Give JSON: other formats, such as CSV and YAML, have to be converted first."
                    : "Correct the text there."
            )
        case .tooDeep(let limit):
            ("arrays and objects are nested deeper than \(limit) levels", "Flatten the data or raise the limit.")
        case .tooLarge(let what, let limit):
            ("\(what) exceeds the limit of \(limit)", "Split the data or raise the limit.")
        case .wrongType(let found, let expected):
            (
                "found \(shown(found)) where the model expects \(expected)",
                Self.remedy(found: found, expected: expected)
            )
        case .outOfRange(let found, let type, let range):
            (
                "found \(shown(found)), which \(type) can't hold (\(range))",
                range == AttributeKind.plainYears
                    ? "If they are milliseconds, say so: JSONDateFormat=unixMilliseconds; unixSeconds takes any year."
                    : "Change the data or the attribute's type."
            )
        case .notRepresentable(let value, let format):
            ("\(shown(value)) has no form in \(format)", "Change the value or name a transformer.")
        case .missingIdentity(let attributes):
            (
                "an object has no value for \(Self.list(attributes)), which identifies it",
                "Add it to the data, or declare another identity in the model."
            )
        case .unknownKeys(let keys, let closest, let known, let areAll):
            Self.wordsForUnknownKeys(keys, closest, known, areAll)
        case .duplicateIdentity(let identity):
            ("several objects have the identity \(shown(identity))", "Make the identity unique.")
        case .unresolvedReference(let entity, let identity):
            (
                "found a reference to \(entity) \(shown(identity)), which is neither in the data nor in the store",
                "Import that object too, or correct the reference."
            )
        case .validation(let code, let reason):
            ("\(shown(reason)) (Core Data error \(code))", "Change the data or the model's rule.")
        case .cancelled:
            ("the work was cancelled and nothing has changed", "Start it again when it suits.")
        case .other(let finding, let remedy):
            (Self.shown(finding, whole: wholeValues, limit: 300), remedy)
        default:
            wordsForFilesAndModels(shown)
        }
    }

    /// What a record says that the mapping doesn't know: one key in a strict import, or all of them.
    private static func wordsForUnknownKeys(
        _ keys: [String], _ closest: [String], _ known: [String], _ areAll: Bool
    ) -> (finding: String, remedy: String) {
        let found = "\(list(Array(keys.prefix(8))))\(keys.count > 8 ? " and \(keys.count - 8) more" : "")"
        let mapped = "the keys of the mapping are \(list(Array(known.prefix(12))))\(known.count > 12 ? ", ..." : "")"
        let hint = closest.isEmpty ? "" : "Did you mean \(list(closest))? "
        if !areAll {
            return (
                "found the unknown key \(found); \(mapped)", hint + "Correct or map it, or import without --strict."
            )
        }
        return (
            "found an object of which no key is known: \(found); \(mapped)",
            hint + "If the objects are below a key, name it with JSONRootKeyPath; if the data is right, map its keys."
        )
    }

    private func wordsForFilesAndModels(_ shown: (String) -> String) -> (finding: String, remedy: String) {
        switch problem {
        case .unknownEntity(let name, let closest):
            ("the model has no entity '\(name)'", Self.suggestion(closest) ?? "Name an entity of the model.")
        case .ambiguousEntity(let candidates):
            ("several entities are possible: \(Self.list(candidates))", "Name one of them.")
        case .unknownProperty(let name, let closest):
            ("the entity has no property '\(name)'", Self.suggestion(closest) ?? "Name a property of the entity.")
        case .missingObject(let uri):
            (
                "the object \(shown(uri)) is gone: it was deleted, its context was released or reset, or a link leads nowhere",
                "Fetch what is there now, and keep the container while its objects are in use; graft check finds such links."
            )
        case .unreadableFile(let reason):
            ("the file can't be read: \(reason)", "Check its name, its contents and its permissions.")
        case .unwritableFile(let reason):
            ("the file can't be written: \(reason)", "Check the folder, its permissions and the free space.")
        case .wrongKind(let found, let expected, let remedy):
            ("it is \(found), and \(expected) is needed here", remedy)
        case .notAStore(let reason):
            ("the file isn't a store: \(reason)", "Name a store that Core Data or Graft has written.")
        case .missingModel(let reason):
            ("there is no model: \(reason)", "Give the model that the store was made with.")
        case .modelMismatch(let reason):
            ("the store and the model don't fit: \(reason)", "Give the model that the store was made with.")
        case .damagedArchive(let found, let expected):
            (
                "the archive is damaged: found \(shown(found)) where it should have \(shown(expected))",
                "Use another copy of it."
            )
        case .otherModel(let differences):
            (
                "the archive was made with another model: \(differences.joined(separator: "; "))",
                "Use the model in the archive, or restore it with what differs left out (graft restore --fit partial, ModelFit)."
            )
        case .invalidModel(let reason):
            ("the model is invalid: \(reason)", "Correct the model.")
        case .invalidMapping(let reason, let remedy):
            ("the mapping is invalid: \(reason)", remedy)
        case .conflict(let reason):
            ("someone else changed the store meanwhile: \(reason)", "Read the objects again and repeat the work.")
        case .changesDoNotFit(let conflicts):
            (
                conflicts.count == 1
                    ? shown(conflicts[0].finding)
                    : "\(conflicts.count) changes don't fit, the first one because \(shown(conflicts.first?.finding ?? ""))",
                "Make the changes anew from the present state, merge, or skip or force what doesn't fit."
            )
        case .tooManyDeletions(let count, let total, let limit):
            (
                ExceededDeletionLimit.finding(count, of: total, limit: limit),
                "Check that the data is complete. To allow it, raise the limit: --max-deletions of the tool, "
                    + "deletionLimit in code, or JSONDeletionLimit in the model."
            )
        case .damagedStore(let reason):
            (reason.contains("graft check") ? Self.findingAndRemedy(reason) : nil)
                ?? (reason, "Restore it from a copy; graft check lists all that is damaged.")
        case .storeFailure(let reason):
            Self.findingAndRemedy(reason).map { (Self.failure($0), $1) }
                ?? (
                    Self.failure(reason),
                    "Check the free space, the permissions and who else uses the store."
                )
        default:
            wordsForPatches(shown)
        }
    }

    /// A text of the runtime's may begin with the store itself.
    private static func failure(_ text: String) -> String {
        text.hasPrefix("The store ") ? "the" + text.dropFirst(3) : "the store failed: \(text)"
    }

    /// A text of the runtime's ends with the remedy, where it has one.
    private static func findingAndRemedy(_ text: String) -> (finding: String, remedy: String)? {
        guard let end = text.range(of: ". ", options: .backwards) else { return nil }
        return (String(text[..<end.lowerBound]), "\(text[end.upperBound...]).")
    }

    private func wordsForPatches(_ shown: (String) -> String) -> (finding: String, remedy: String) {
        switch problem {
        case .invalidPointer(let pointer, let reason):
            (
                "'\(shown(pointer))' isn't a JSON Pointer: \(reason)",
                "Begin each step with '/', and write '~1' for '/' and '~0' for '~' (RFC 6901)."
            )
        case .invalidPatch(let found, let expected):
            ("found \(shown(found)) where a JSON Patch has \(shown(expected))", "Correct the patch (RFC 6902).")
        case .inapplicablePatch(let operation, let pointer, let found, let expected):
            (
                "\(operation.map { "operation \($0)" } ?? "the pointer") at '\(shown(pointer))' found \(shown(found)) "
                    + "where it needs \(shown(expected))",
                "Make the patch from the document that it is applied to."
            )
        default:
            ("\(problem)", "Correct the data.")
        }
    }
}

extension GraftError {
    /// What to do about a value of another type than the model's.
    private static func remedy(found: String, expected: String) -> String {
        guard AttributeKind.isNamed(in: expected) else { return "Change the data." }
        let isOtherForm = expected == "\(AttributeKind.date)" && found.hasPrefix("the string")
        return isOtherForm
            ? "Change the data, or give the attribute the form of its dates: JSONDateFormat, such as dd/MM/yyyy."
            : "Change the data or name a transformer."
    }

    /// Any error in words for people. How Foundation's errors describe themselves is for programmers.
    package static func words(of error: any Error) -> String {
        guard error is CocoaError || error is POSIXError || type(of: error) is NSError.Type else { return "\(error)" }
        let error = error as NSError
        if let text = error.userInfo[NSLocalizedDescriptionKey] as? String { return text }
        if let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error { return words(of: cause) }
        if let code = POSIXErrorCode(rawValue: Int32(truncatingIfNeeded: error.code)),
            error.domain == NSPOSIXErrorDomain
        {
            // Safe: `strerror` returns a text that stays valid until the next call, and it is copied at once.
            return unsafe String(cString: strerror(code.rawValue))
        }
        let path = error.userInfo[NSFilePathErrorKey] as? String ?? (error.userInfo[NSURLErrorKey] as? URL)?.path
        return FileErrorWords.words(of: error) + (path.map { " (\($0))" } ?? "")
    }

    /// A value as an error shows it: not longer than the limit unless the whole is asked for.
    private static func shown(_ text: String, whole: Bool, limit: Int = 80) -> String {
        whole || text.count <= limit ? text : "\(text.prefix(limit - 1))…"
    }

    /// The text with control characters made visible: names and values come from elsewhere, and end in logs.
    package static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            switch scalar {
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
    }

    private static func suggestion(_ closest: String?) -> String? {
        closest.map { "Did you mean '\($0)'?" }
    }

    private static func list(_ names: [String]) -> String {
        names.map { "'\($0)'" }.joined(separator: ", ")
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}
