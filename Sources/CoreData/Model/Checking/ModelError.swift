// What is wrong with a model, or with the file that it should come from. The words are in ModelError+Words.swift.

import Foundation

/// A model that can't be used, with all that was found wrong with it.
///
/// As `NSError`: domain `NSCocoaErrorDomain`; the code is a file-reading one where the file is to blame, else 134060
/// (`NSCoreDataError`).
package struct ModelError: Error, Equatable, Sendable {
    /// One thing that is wrong.
    package struct Problem: Equatable, Sendable {
        /// The entity, nil where the model as a whole is concerned.
        package var entity: String?
        package var property: String?
        package var finding: Finding

        package init(_ finding: Finding, entity: String? = nil, property: String? = nil) {
            self.entity = entity
            self.property = property
            self.finding = finding
        }
    }

    /// What was found. Texts are as they stand in the model; `closest` is the existing name that looks most like it.
    package enum Finding: Equatable, Sendable {
        // The file
        case missingFile
        case unreadableFile(reason: String)
        case notAModel
        case modelOfOldEditor
        case badXML(line: Int, column: Int, reason: String)
        case badArchive(reason: String)
        case badMappingModel(reason: String)
        case otherMappingModel
        case noCurrentVersion(available: [String])
        case unknownVersion(String, closest: String?)

        // Names
        case noName(what: String)
        case badName(String)
        case duplicateEntity
        case otherNamesake
        case duplicateProperty(declaredIn: String)
        case unknownParent(String, closest: String?)
        case inheritanceCycle([String])
        case unlistedSubentity(String)
        case unknownConfigurationMember(configuration: String, name: String, closest: String?)
        case unknownTemplateEntity(template: String, name: String, closest: String?)

        // Attributes
        case unknownType(String, closest: String?)
        case noType
        case badValue(of: String, text: String, expected: String)
        case badDefault(found: String, expected: String)
        case badPattern(String)
        case emptyRange(of: String, minimum: String, maximum: String)
        case unknownComposite(String, closest: String?)
        case compositeCycle(String)
        case tooManyElements(most: Int)
        case badExpression(text: String, reason: String)

        // Relationships
        case noDestination
        case unknownDestination(String, closest: String?)
        case foreignDestination(String)
        case unknownInverse(String, entity: String, closest: String?)
        case inverseElsewhere(inverse: String, found: String?)
        case inverseOfOtherEntity(inverse: String, found: String, expected: String)
        case unknownDeleteRule(String)
        case badCount(of: String, Int)

        // Combinations
        case unknownUniqueProperty(String, closest: String?)
        case unsuitableUniqueProperty(String, reason: String)
        case unknownIndexProperty(index: String, name: String, closest: String?)
        case unsuitableRangeProperty(index: String, name: String, found: String)
        case badPredicate(text: String, reason: String)
    }

    /// The path of the file, nil for a model that was built in code.
    package var source: String?
    /// In the order of the model; at least one.
    package var problems: [Problem]

    package init(source: String? = nil, problems: [Problem]) {
        self.source = source
        self.problems = problems
    }

    package init(_ finding: Finding, source: String? = nil) {
        self.init(source: source, problems: [Problem(finding)])
    }

    /// All that is wrong, in the midst of a sentence about where.
    package var reasons: String {
        problems.map { problem in
            if case .badArchive(let reason) = problem.finding { reason } else { problem.description }
        }.joined(separator: "; ")
    }
}

extension ModelError: CustomNSError {
    package static var errorDomain: String { NSCocoaErrorDomain }

    package var errorCode: Int {
        switch problems.first?.finding {
        case .missingFile: CocoaError.Code.fileReadNoSuchFile.rawValue
        case .unreadableFile: CocoaError.Code.fileReadUnknown.rawValue
        case .notAModel, .modelOfOldEditor, .badXML, .badArchive, .badMappingModel:
            CocoaError.Code.fileReadCorruptFile.rawValue
        default: 134060
        }
    }

    package var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        if let source { info[NSFilePathErrorKey] = source }
        return info
    }
}
