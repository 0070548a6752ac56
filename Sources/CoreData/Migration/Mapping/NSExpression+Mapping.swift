// The expressions that mapping models are made of.

import Foundation

extension NSExpression {
    /// `$source.name`: a key of a migration's source object.
    convenience init(forSourceKey key: String) {
        self.init(
            node: .keyPath(operand: NSExpression(forVariable: NSMigrationSourceObjectKey), path: KeyPathSteps(key)))
    }

    /// The key of a migration's source object that the expression is; nil where it is something else.
    var sourceKey: String? {
        guard case .keyPath(let start, let path) = node, case .variable(NSMigrationSourceObjectKey) = start.node,
            path.steps.count == 1, case .key(let key) = path.steps[0]
        else { return nil }
        return key
    }

    private static var manager: NSExpression { NSExpression(forVariable: NSMigrationManagerKey) }

    /// What the objects in a source object's relationship have become, under whichever mapping.
    static func destinations(ofRelationship key: String) -> NSExpression {
        NSExpression(
            forFunction: manager, selectorName: "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
            arguments: [NSExpression(forConstantValue: key), NSExpression(forSourceKey: key)])
    }

    /// What the objects in a source object's relationship have become under a mapping.
    static func destinations(ofMapping name: String, sourceKey key: String) -> NSExpression {
        NSExpression(
            forFunction: manager, selectorName: "destinationInstancesForEntityMappingNamed:sourceInstances:",
            arguments: [NSExpression(forConstantValue: name), NSExpression(forSourceKey: key)])
    }

    /// The source's relationship whose objects the expression gives, as they have become; nil where it does something else.
    var carriedRelationship: String? {
        guard case .function(let call) = node, let target = call.target,
            case .variable(NSMigrationManagerKey) = target.node, call.arguments.count == 2,
            call.name == "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
                || call.name == "destinationInstancesForEntityMappingNamed:sourceInstances:"
        else { return nil }
        return call.arguments[1].sourceKey
    }

    /// The objects of a source entity for which a predicate holds.
    static func sources(of entity: String, predicate: String?) -> NSExpression {
        let request = NSExpression(
            forFunction: manager, selectorName: "fetchRequestForSourceEntityNamed:predicateString:",
            arguments: [
                NSExpression(forConstantValue: entity),
                NSExpression(forConstantValue: predicate?.isEmpty == false ? predicate : "TRUEPREDICATE"),
            ])
        let context = NSExpression(node: .keyPath(operand: manager, path: KeyPathSteps("sourceContext")))
        return NSFetchRequestExpression(request: request, context: context, isCount: false)
    }
}
