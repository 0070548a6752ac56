// The words of a model error: place, finding, remedy; one line a problem.

import Foundation

extension ModelError: CustomStringConvertible {
    package var description: String {
        let source = source ?? "model"
        guard problems.count > 1 else { return problems.map { "\(source): \($0)" }.joined() }
        return (["\(source): \(problems.count) problems"] + problems.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension ModelError.Problem: CustomStringConvertible {
    /// Where: `entity 'Hero', relationship or attribute 'powers'`.
    package var description: String {
        switch (entity, property) {
        case (let entity?, let property?): "\(entity).\(property): \(finding)"
        case (let entity?, nil): "entity '\(entity)': \(finding)"
        case (nil, let property?): "'\(property)': \(finding)"
        case (nil, nil): "\(finding)"
        }
    }
}

extension ModelError.Finding: CustomStringConvertible {
    package var description: String { fileWords ?? nameWords ?? attributeWords ?? relationshipWords ?? otherWords }

    private var fileWords: String? {
        switch self {
        case .missingFile:
            "there is no such file. Check the path."
        case .unreadableFile(let reason):
            "the file can't be read (\(reason)). Check its permissions."
        case .notAModel:
            "this is no model. Name an .xcdatamodeld, .xcdatamodel, .momd or .mom."
        case .modelOfOldEditor:
            "the model is in the format of Xcode 3, which can't be read. Open and save it in Xcode 4 or later."
        case .badXML(let line, let column, let reason):
            "line \(line), column \(column): \(reason). Repair the XML, or restore the file."
        case .badArchive(let reason):
            "the compiled model is damaged: \(reason). Compile or restore it again."
        case .badMappingModel(let reason):
            "the mapping model can't be read: \(reason). Compile or restore it again."
        case .otherMappingModel:
            "the mapping model is for other versions than the store's and the model's. Name the one for these."
        case .noCurrentVersion(let available):
            "there are several versions and .xccurrentversion doesn't say which one is current. "
                + "Name one of them: \(available.joined(separator: ", "))."
        case .unknownVersion(let name, let closest):
            "there is no version '\(name)', which is said to be the current one.\(suggestion(closest))"
        default: nil
        }
    }

    private var nameWords: String? {
        switch self {
        case .noName(let what):
            "\(what) has no name. Give it one."
        case .badName(let name):
            "'\(name)' can't be a name. Names begin with a letter or _ and go on with letters, digits and _."
        case .duplicateEntity:
            "there are several entities of this name. Rename all but one."
        case .otherNamesake:
            "two of the models that are to be merged have an entity of this name each, and the two differ. Give one of the models, or rename one "
                + "of the entities."
        case .duplicateProperty(let entity):
            "'\(entity)' has a property of this name already. Rename one of them."
        case .unknownParent(let name, let closest):
            "the parent entity '\(name)' doesn't exist.\(suggestion(closest))"
        case .inheritanceCycle(let names):
            "the entity inherits from itself: \(names.joined(separator: " -> ")). Take one parent away."
        case .unlistedSubentity(let name):
            "the sub-entity '\(name)' isn't one of the model's entities. Add it to them."
        case .unknownConfigurationMember(let configuration, let name, let closest):
            "the configuration '\(configuration)' lists the entity '\(name)', which doesn't exist.\(suggestion(closest))"
        case .unknownTemplateEntity(let template, let name, let closest):
            "the fetch request '\(template)' is for the entity '\(name)', which doesn't exist.\(suggestion(closest))"
        default: nil
        }
    }

    private var attributeWords: String? {
        switch self {
        case .unknownType(let name, let closest):
            "'\(name)' is no attribute type.\(suggestion(closest))"
        case .noType:
            "the attribute is stored and has no type. Give it one, or make it transient."
        case .badValue(let setting, let text, let expected):
            "\(setting) is '\(text)' where \(expected) is expected. Correct it."
        case .badDefault(let found, let expected):
            "the default value is \(found) where the type takes \(expected). Correct the value or the type."
        case .badPattern(let pattern):
            "'\(pattern)' is no regular expression. Correct it."
        case .emptyRange(let what, let minimum, let maximum):
            "the smallest \(what), \(minimum), is above the largest, \(maximum). Exchange or correct them."
        case .unknownComposite(let name, let closest):
            "the composite type '\(name)' doesn't exist.\(suggestion(closest))"
        case .compositeCycle(let name):
            "the composite type '\(name)' contains itself, or is one of more than \(ModelLimits.compositeDepth) within each "
                + "other. Take the element away."
        case .tooManyElements(let most):
            "the composite attributes of the model have more than \(most) elements up to here. Use fewer composite types in each "
                + "other."
        case .badExpression(let text, let reason):
            "the expression '\(text)' can't be read (\(reason)). Correct it."
        default: nil
        }
    }

    private var relationshipWords: String? {
        switch self {
        case .noDestination:
            "the relationship has no destination. Name an entity."
        case .unknownDestination(let name, let closest):
            "the destination '\(name)' doesn't exist.\(suggestion(closest))"
        case .foreignDestination(let name):
            "the destination '\(name)' isn't one of the model's entities. Add it to them."
        case .unknownInverse(let name, let entity, let closest):
            "'\(entity)' has no relationship '\(name)', which should be the inverse.\(suggestion(closest))"
        case .inverseElsewhere(let inverse, let found):
            "the inverse is '\(inverse)', and its inverse is \(found.map { "'\($0)'" } ?? "not set"). "
                + "Make the two each other's inverse."
        case .inverseOfOtherEntity(let inverse, let found, let expected):
            "the inverse '\(inverse)' is a relationship of '\(found)', not of the destination '\(expected)'. "
                + "Correct the destination or the inverse."
        case .unknownDeleteRule(let name):
            "'\(name)' is no delete rule. Use Nullify, Cascade, Deny or No Action."
        case .badCount(let what, let count):
            "the \(what) number of objects is \(count). It has to be between 0 and 4294967295."
        default: nil
        }
    }

    private var otherWords: String {
        switch self {
        case .unknownUniqueProperty(let name, let closest):
            "the uniqueness constraint names '\(name)', which is no property of the entity.\(suggestion(closest))"
        case .unsuitableUniqueProperty(let name, let reason):
            "the uniqueness constraint names '\(name)', which \(reason). Name stored attributes or to-one relationships."
        case .unknownIndexProperty(let index, let name, let closest):
            "the index '\(index)' names '\(name)', which is no property of the entity.\(suggestion(closest))"
        case .unsuitableRangeProperty(let index, let name, let found):
            "the index '\(index)' is an R-tree and names '\(name)', whose type takes \(found) where a number or a date "
                + "is expected. Make its elements binary."
        case .badPredicate(let text, let reason):
            "the predicate '\(text)' can't be read (\(reason)). Correct it."
        default: ""
        }
    }

    private func suggestion(_ closest: String?) -> String {
        closest.map { " Did you mean '\($0)'?" } ?? " Add it or correct the name."
    }
}
