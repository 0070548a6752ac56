// From an entity to the class of its objects, and from a class to its entity. There is no Objective-C runtime to ask: a
// class name without a module is looked up in every module whose classes have been seen or registered, and then among all
// classes of the program (ClassNames.swift).

import Foundation
import Synchronization

package enum ManagedObjectClasses {
    private struct State {
        var modules: [String] = []
        var classes: [String: AnyClass] = [:]
        var models: [WeakModel] = []
        var reportsMissingClasses = true
        var bareEntities: [ObjectIdentifier: BareEntity] = [:]
    }

    private struct BareEntity: @unchecked Sendable {
        // Safe: made once under the lock, and only read from then on.
        let entity: NSEntityDescription
    }

    private struct WeakModel: @unchecked Sendable {
        // Safe: a weak reference is atomic, and a model is immutable once a coordinator uses it.
        weak var model: NSManagedObjectModel?
    }

    private static let state = Mutex(State())

    /// Tells in which module entity classes without a module name may be found.
    package static func register(module: String) {
        state.withLock { state in
            guard !state.modules.contains(module) else { return }
            state.modules.append(module)
            state.classes.removeAll()
        }
    }

    /// Remembers a model that a coordinator uses, for `entity()` of classes.
    static func register(_ model: NSManagedObjectModel) {
        let isKnown = state.withLock { state in
            let isKnown = state.models.contains { $0.model === model }
            state.models.removeAll { $0.model == nil || $0.model === model }
            state.models.append(WeakModel(model: model))
            return isKnown || !state.reportsMissingClasses
        }
        if !isKnown, let line = missingClasses(of: model) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
    }

    /// Keeps quiet about classes that models name and the program doesn't have: for programs that open others' stores.
    package static func ignoreMissingClasses() { state.withLock { $0.reportsMissingClasses = false } }

    /// What a coordinator writes to standard error where a model's classes aren't there, as Core Data does; nil where all are.
    package static func missingClasses(of model: NSManagedObjectModel) -> String? {
        let missing = model.entities.filter { entity in
            let name = entity.managedObjectClassName ?? ""
            return !["", "NSManagedObject"].contains(name) && objectClass(of: entity) == NSManagedObject.self
        }
        guard !missing.isEmpty else { return nil }
        let shown = missing.prefix(3).map { "\($0.name ?? "") (\(triedNames(for: $0)))" }.joined(separator: ", ")
        let rest = missing.count > 3 ? " and \(missing.count - 3) more" : ""
        return
            "CoreData: warning: the classes of some entities aren't in the program, so their objects are of the class "
            + "NSManagedObject: \(shown)\(rest)."
    }

    /// Under which names an entity's class was looked for, for messages.
    static func triedNames(for entity: NSEntityDescription) -> String {
        let name = entity.managedObjectClassName ?? ""
        let several = ClassNames.classes(endingIn: name).filter { $0 is NSManagedObject.Type }
        if several.count > 1 {
            let names = several.map { "'\(ClassNames.name(of: $0))'" }.sorted().joined(separator: ", ")
            return "'\(name)' may be \(names): give the entity's class with its module"
        }
        return "tried " + candidates(for: name).map { "'\($0)'" }.joined(separator: ", ")
            + (name.contains(".") ? "" : ", and '\(name)' in every module")
    }

    /// The class of an entity's objects: the one named by the model, or `NSManagedObject` where it doesn't exist here.
    static func objectClass(of entity: NSEntityDescription) -> NSManagedObject.Type {
        guard let name = entity.managedObjectClassName, !name.isEmpty, name != "NSManagedObject" else {
            return NSManagedObject.self
        }
        let found: AnyClass = state.withLock { state in
            if let known = state.classes[name] { return known }
            let found: AnyClass = lookUp(name, modules: state.modules)
            state.classes[name] = found
            return found
        }
        return found as? NSManagedObject.Type ?? NSManagedObject.self
    }

    private static func lookUp(_ name: String, modules: [String]) -> AnyClass {
        for candidate in candidates(for: name, modules: modules) {
            if let found = ClassNames.classNamed(candidate), found is NSManagedObject.Type { return found }
        }
        // Two of the same name in different modules: neither is meant for certain.
        let plain = name.hasPrefix(".") ? String(name.dropFirst()) : name
        let found = ClassNames.classes(endingIn: plain).filter { $0 is NSManagedObject.Type }
        return found.count == 1 ? found[0] : NSManagedObject.self
    }

    private static func candidates(for name: String, modules: [String]) -> [String] {
        let plain = name.hasPrefix(".") ? String(name.dropFirst()) : name
        let last = plain.split(separator: ".").last.map(String.init) ?? plain
        return [plain] + modules.map { "\($0).\(last)" }
    }

    /// What a class named in a model or mapping may be called in full.
    static func candidates(for name: String) -> [String] {
        candidates(for: name, modules: state.withLock { $0.modules })
    }

    /// The entity whose objects are of a class.
    static func entity(for cls: NSManagedObject.Type, in context: NSManagedObjectContext?) -> NSEntityDescription {
        if let entity = knownEntity(for: cls, in: context) { return entity }
        fatalError(unclaimed(cls))
    }

    /// The entity whose objects are of a class, or one without a name, and a line on standard error, where no loaded model has it.
    static func entityOrNone(for cls: NSManagedObject.Type) -> NSEntityDescription {
        if let entity = knownEntity(for: cls, in: nil) { return entity }
        FileHandle.standardError.write(Data("CoreData: warning: \(unclaimed(cls))\n".utf8))
        return NSEntityDescription()
    }

    private static func unclaimed(_ cls: NSManagedObject.Type) -> String {
        let names = Set(loadedModels().flatMap(\.entities).compactMap(\.managedObjectClassName))
        let closest = ClosestName.to(ClassNames.name(of: cls), among: names)
        return "No entity of the \(loadedModels().count) loaded models has the class '\(ClassNames.name(of: cls))'"
            + (closest.map { " (one has '\($0)')" } ?? "") + ". Set the entity's class in the model, or load the "
            + "model with a coordinator first."
    }

    /// The entity whose objects are of a class; nil where no loaded model has one.
    static func knownEntity(for cls: NSManagedObject.Type, in context: NSManagedObjectContext?) -> NSEntityDescription?
    {
        guard let coordinator = context?.persistentStoreCoordinator else { return search(for: cls, in: loadedModels()) }
        return coordinator.entity(of: cls) { search(for: cls, in: [coordinator.managedObjectModel]) }
    }

    /// The entity whose objects are of a class, or one without properties where no loaded model has it.
    static func someEntity(for cls: NSManagedObject.Type) -> NSEntityDescription {
        if let entity = knownEntity(for: cls, in: nil) { return entity }
        return state.withLock { state in
            // Kept, because objects don't keep their entity.
            if let known = state.bareEntities[ObjectIdentifier(cls)] { return known.entity }
            let entity = NSEntityDescription()
            entity.name = ClassNames.name(of: cls)
            state.bareEntities[ObjectIdentifier(cls)] = BareEntity(entity: entity)
            return entity
        }
    }

    private static func search(
        for cls: NSManagedObject.Type, in models: [NSManagedObjectModel]
    ) -> NSEntityDescription? {
        let path = ClassNames.name(of: cls).split(separator: ".").map(String.init)
        if path.count > 1 { register(module: path[0]) }
        return entity(ofClass: path, in: models.map(\.entities))
    }

    /// The entity of that name in the models that coordinators have loaded, the last one's first.
    static func entity(named name: String) -> NSEntityDescription? {
        loadedModels().reversed().lazy.compactMap { $0.entitiesByName[name] }.first
    }

    private static func loadedModels() -> [NSManagedObjectModel] {
        state.withLock { $0.models.compactMap(\.model) }
    }

    /// The entity whose class's name is the path, the path without the module, or the last step of it: in this order, so that
    /// another model's class of the same name in another module is the last to be taken.
    private static func entity(
        ofClass path: [String], in models: [[NSEntityDescription]]
    ) -> NSEntityDescription? {
        let last = path.last ?? ""
        for name in [path.joined(separator: "."), path.dropFirst().joined(separator: "."), last] where !name.isEmpty {
            for entities in models {
                let found = entities.first {
                    $0.managedObjectClassName == name || $0.managedObjectClassName == "." + name
                }
                if let found { return found }
            }
        }
        return models.joined().first { $0.managedObjectClassName?.split(separator: ".").last.map(String.init) == last }
    }
}
