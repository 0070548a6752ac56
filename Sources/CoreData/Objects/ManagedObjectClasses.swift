// From an entity to the class of its objects, and from a class to its entity. There is no Objective-C runtime to ask: a
// class name without a module is looked up in every module whose classes have been seen or registered.

import Foundation
import Synchronization

package enum ManagedObjectClasses {
    private struct State {
        var modules: [String] = []
        var classes: [String: AnyClass] = [:]
        var models: [WeakModel] = []
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
        state.withLock { state in
            state.models.removeAll { $0.model == nil || $0.model === model }
            state.models.append(WeakModel(model: model))
        }
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
            if let found = NSClassFromString(candidate), found is NSManagedObject.Type { return found }
        }
        return NSManagedObject.self
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
        fatalError(
            "No entity of the loaded models has the class '\(NSStringFromClass(cls))'. Set the entity's class in the "
                + "model, or load the model with a coordinator first.")
    }

    /// The entity whose objects are of a class; nil where no loaded model has one.
    static func knownEntity(for cls: NSManagedObject.Type, in context: NSManagedObjectContext?) -> NSEntityDescription?
    {
        guard let coordinator = context?.persistentStoreCoordinator else { return search(for: cls, in: loadedModels()) }
        return coordinator.entity(of: cls) { search(for: cls, in: [coordinator.managedObjectModel]) }
    }

    private static func search(
        for cls: NSManagedObject.Type, in models: [NSManagedObjectModel]
    ) -> NSEntityDescription? {
        let name = NSStringFromClass(cls)
        let parts = name.split(separator: ".")
        if parts.count > 1 { register(module: String(parts[0])) }
        for model in models {
            if let entity = entity(named: name, last: parts.last.map(String.init) ?? name, in: model) { return entity }
        }
        return nil
    }

    /// The entity of that name in the models that coordinators have loaded, the last one's first.
    static func entity(named name: String) -> NSEntityDescription? {
        loadedModels().reversed().lazy.compactMap { $0.entitiesByName[name] }.first
    }

    private static func loadedModels() -> [NSManagedObjectModel] {
        state.withLock { $0.models.compactMap(\.model) }
    }

    private static func entity(named name: String, last: String, in model: NSManagedObjectModel) -> NSEntityDescription?
    {
        let entities = model.entities
        return entities.first { $0.managedObjectClassName == name }
            ?? entities.first { $0.managedObjectClassName.map { $0 == last || $0 == "." + last } ?? false }
            ?? entities.first { $0.managedObjectClassName?.split(separator: ".").last.map(String.init) == last }
    }
}
