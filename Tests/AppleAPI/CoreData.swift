// swift-format-ignore-file
// A signature stub of the Core Data API as seen from Swift: declarations alone, bodies trap.
// Used to type-check code against the public API on Linux (scripts/check-apple); not an implementation.

// Foundation on Apple's platforms shows the C library and Core Foundation.
@_exported public import Darwin
@_exported public import Foundation

@usableFromInline func _x() -> Never { fatalError("stub") }

// MARK: - Foundation gaps on Linux that Core Data code relies on

public typealias AutoreleasingUnsafeMutablePointer = UnsafeMutablePointer
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
extension NSObject: @retroactive CVarArg { public var _cVarArgEncoding: [Int] { _x() } }
extension Date: @retroactive CVarArg { public var _cVarArgEncoding: [Int] { _x() } }
extension UUID: @retroactive CVarArg { public var _cVarArgEncoding: [Int] { _x() } }
extension URL: @retroactive CVarArg { public var _cVarArgEncoding: [Int] { _x() } }
extension Data: @retroactive CVarArg { public var _cVarArgEncoding: [Int] { _x() } }
extension Decimal: @retroactive CVarArg { public var _cVarArgEncoding: [Int] { _x() } }
extension Array: @retroactive CVarArg { public var _cVarArgEncoding: [Int] { _x() } }
extension Set: @retroactive CVarArg { public var _cVarArgEncoding: [Int] { _x() } }
extension Dictionary: @retroactive CVarArg { public var _cVarArgEncoding: [Int] { _x() } }

extension NSPredicate {
    public convenience init(format predicateFormat: String, _ args: any CVarArg...) { self.init(value: true) }
    public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) { self.init(value: true) }
    public convenience init(format predicateFormat: String, arguments argList: CVaListPointer) { self.init(value: true) }
    public convenience init?<Input>(_ predicate: Predicate<Input>) { self.init(value: true) }
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self { _x() }
    public func allowEvaluation() { _x() }
}
public struct Selector: Hashable, ExpressibleByStringLiteral, Sendable {
    public init(_ str: String) {}
    public init(stringLiteral value: String) {}
}
public func NSStringFromSelector(_ s: Selector) -> String { _x() }
public func NSSelectorFromString(_ s: String) -> Selector { _x() }
extension NSSortDescriptor {
    public convenience init(key: String?, ascending: Bool) { self.init(keyPath: \String.count, ascending: ascending) }
    public convenience init(key: String?, ascending: Bool, selector: Selector?) { self.init(keyPath: \String.count, ascending: ascending) }
    public convenience init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) { self.init(keyPath: \String.count, ascending: ascending) }
    public convenience init<Compared>(_ sort: SortDescriptor<Compared>) { self.init(keyPath: \String.count, ascending: true) }
    public convenience init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) { self.init(keyPath: \String.count, ascending: ascending) }
    public var key: String? { _x() }
    public var selector: Selector? { _x() }
    public func allowEvaluation() { _x() }
}
extension SortDescriptor where Compared: NSObject {
    public init?(_ descriptor: NSSortDescriptor, comparing comparedType: Compared.Type) { return nil }
}
open class NSExpression: NSObject, NSCopying, NSSecureCoding {
    public enum ExpressionType: UInt, Sendable { case constantValue, evaluatedObject, variable, keyPath, function, unionSet, intersectSet, minusSet, subquery = 13, aggregate = 14, anyKey = 15, block = 19, conditional = 20 }
    public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) { _x() }
    public convenience init(format expressionFormat: String, _ args: any CVarArg...) { _x() }
    public convenience init(forConstantValue obj: Any?) { _x() }
    open class func expressionForEvaluatedObject() -> NSExpression { _x() }
    public convenience init(forVariable string: String) { _x() }
    public convenience init(forKeyPath keyPath: String) { _x() }
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) { _x() }
    public convenience init(forFunction name: String, arguments parameters: [Any]) { _x() }
    public convenience init(forAggregate subexpressions: [Any]) { _x() }
    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) { _x() }
    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) { _x() }
    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) { _x() }
    public convenience init(forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate) { _x() }
    public convenience init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) { _x() }
    open class func expressionForAnyKey() -> NSExpression { _x() }
    public init(block: @escaping (Any?, [NSExpression], NSMutableDictionary?) -> Any, arguments: [NSExpression]?) { _x() }
    public convenience init(forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression) { _x() }
    public init(expressionType type: ExpressionType) { _x() }
    public required init?(coder: NSCoder) { _x() }
    open var expressionType: ExpressionType { _x() }
    open var constantValue: Any? { _x() }
    open var keyPath: String { _x() }
    open var function: String { _x() }
    open var variable: String { _x() }
    open var operand: NSExpression { _x() }
    open var arguments: [NSExpression]? { _x() }
    open var collection: Any { _x() }
    open var predicate: NSPredicate { _x() }
    open var left: NSExpression { _x() }
    open var right: NSExpression { _x() }
    open var `true`: NSExpression { _x() }
    open var `false`: NSExpression { _x() }
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? { _x() }
    public func copy(with zone: NSZone? = nil) -> Any { _x() }
    public func encode(with coder: NSCoder) { _x() }
    public static var supportsSecureCoding: Bool { true }
}
open class NSComparisonPredicate: NSPredicate {
    public struct Options: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let caseInsensitive = Options(rawValue: 1)
        public static let diacriticInsensitive = Options(rawValue: 2)
        public static let normalized = Options(rawValue: 4)
    }
    public enum Modifier: UInt, Sendable { case direct, all, any }
    public enum Operator: UInt, Sendable { case lessThan, lessThanOrEqualTo, greaterThan, greaterThanOrEqualTo, equalTo, notEqualTo, matches, like, beginsWith, endsWith, `in`, customSelector, contains = 99, between }
    public init(leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier, type: Operator, options: Options = []) { super.init(value: true) }
    open var predicateOperatorType: Operator { _x() }
    open var comparisonPredicateModifier: Modifier { _x() }
    open var leftExpression: NSExpression { _x() }
    open var rightExpression: NSExpression { _x() }
    open var options: Options { _x() }
}
open class UndoManager: NSObject {
    public override init() { super.init() }
    open func undo() { _x() }
    open func redo() { _x() }
    open var canUndo: Bool { _x() }
    open var canRedo: Bool { _x() }
    open func beginUndoGrouping() { _x() }
    open func endUndoGrouping() { _x() }
    open func removeAllActions() { _x() }
    open func disableUndoRegistration() { _x() }
    open func enableUndoRegistration() { _x() }
    open var groupsByEvent: Bool { get { _x() } set {} }
    open func registerUndo<T: AnyObject>(withTarget target: T, handler: @escaping (T) -> Void) { _x() }
}
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
    public static let unarchiveFromDataTransformerName = NSValueTransformerName("NSUnarchiveFromData")
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
}
open class ValueTransformer: NSObject {
    public override init() { super.init() }
    public convenience init?(forName name: NSValueTransformerName) { _x() }
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) { _x() }
    open class func valueTransformerNames() -> [NSValueTransformerName] { _x() }
    open class func transformedValueClass() -> AnyClass { _x() }
    open class func allowsReverseTransformation() -> Bool { _x() }
    open func transformedValue(_ value: Any?) -> Any? { _x() }
    open func reverseTransformedValue(_ value: Any?) -> Any? { _x() }
}
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    open class var allowedTopLevelClasses: [AnyClass] { _x() }
}
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let newKey = Self(rawValue: "new"), oldKey = Self(rawValue: "old"), kindKey = Self(rawValue: "kind"), indexesKey = Self(rawValue: "indexes")
}
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let new = Self(rawValue: 1), old = Self(rawValue: 2), initial = Self(rawValue: 4), prior = Self(rawValue: 8)
}
public enum NSKeyValueSetMutationKind: UInt, Sendable { case union = 1, minus, intersect, set }
public enum NSKeyValueChange: UInt, Sendable { case setting = 1, insertion, removal, replacement }
public class NSKeyValueObservation: NSObject { public func invalidate() { _x() } }
public struct NSKeyValueObservedChange<Value> {
    public var newValue: Value? { _x() }
    public var oldValue: Value? { _x() }
    public var isPrior: Bool { _x() }
}

// MARK: - Result protocol

@_marker public protocol NSFetchRequestResult: AnyObject {}  // marker: the existential must conform to itself
extension NSNumber: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}

// MARK: - NSManagedObject

public struct NSSnapshotEventType: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let undoInsertion = Self(rawValue: 1 << 1), undoDeletion = Self(rawValue: 1 << 2), undoUpdate = Self(rawValue: 1 << 3), rollback = Self(rawValue: 1 << 4), refresh = Self(rawValue: 1 << 5), mergePolicy = Self(rawValue: 1 << 6)
}

open class NSManagedObject: NSObject {
    // NSObject's own.
    open class func description() -> String { _x() }
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { _x() }
    open class func entity() -> NSEntityDescription { _x() }
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> { _x() }
    #if CLIENTS
        public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) { _x() }
    #else
        // An initialiser of Objective-C can be called through a metatype, and be overridden without `required`; Swift's can't be both.
        public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) { _x() }
    #endif
    public required convenience init(context moc: NSManagedObjectContext) { _x() }  // `required` so that generic code may call Self(context:)
    open var managedObjectContext: NSManagedObjectContext? { _x() }
    open var entity: NSEntityDescription { _x() }
    open var objectID: NSManagedObjectID { _x() }
    open var isInserted: Bool { _x() }
    open var isUpdated: Bool { _x() }
    open var isDeleted: Bool { _x() }
    open var hasChanges: Bool { _x() }
    open var hasPersistentChangedValues: Bool { _x() }
    open var isFault: Bool { _x() }
    open var faultingState: Int { _x() }
    open func hasFault(forRelationshipNamed key: String) -> Bool { _x() }
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] { _x() }
    open func willAccessValue(forKey key: String?) { _x() }
    open func didAccessValue(forKey key: String?) { _x() }
    open func willChangeValue(forKey key: String) { _x() }
    open func didChangeValue(forKey key: String) { _x() }
    open func willChangeValue(forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind, using inObjects: Set<AnyHashable>) { _x() }
    open func didChangeValue(forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind, using inObjects: Set<AnyHashable>) { _x() }
    open func willChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) { _x() }
    open func didChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) { _x() }
    open func awakeFromFetch() { _x() }
    open func awakeFromInsert() { _x() }
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) { _x() }
    open func prepareForDeletion() { _x() }
    open func willSave() { _x() }
    open func didSave() { _x() }
    open func willTurnIntoFault() { _x() }
    open func didTurnIntoFault() { _x() }
    open func value(forKey key: String) -> Any? { _x() }
    open func setValue(_ value: Any?, forKey key: String) { _x() }
    open func primitiveValue(forKey key: String) -> Any? { _x() }
    open func setPrimitiveValue(_ value: Any?, forKey key: String) { _x() }
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { _x() }
    open func changedValues() -> [String: Any] { _x() }
    open func changedValuesForCurrentEvent() -> [String: Any] { _x() }
    open func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws { _x() }
    open func validateForDelete() throws { _x() }
    open func validateForInsert() throws { _x() }
    open func validateForUpdate() throws { _x() }
    // NSKeyValueCoding part (NSObject on Apple's platforms)
    open func value(forKeyPath keyPath: String) -> Any? { _x() }
    open func setValue(_ value: Any?, forKeyPath keyPath: String) { _x() }
    open func value(forUndefinedKey key: String) -> Any? { _x() }
    open func setValue(_ value: Any?, forUndefinedKey key: String) { _x() }
    open func setNilValueForKey(_ key: String) { _x() }
    open func mutableSetValue(forKey key: String) -> NSMutableSet { _x() }
    open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet { _x() }
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet { _x() }
    open func mutableArrayValue(forKey key: String) -> NSMutableArray { _x() }
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] { _x() }
    open func setValuesForKeys(_ keyedValues: [String: Any]) { _x() }
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { _x() }
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { _x() }
    open func addObserver(_ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?) { _x() }
    open func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) { _x() }
    open func removeObserver(_ observer: NSObject, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?) { _x() }
    open func observeValue(forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?) { _x() }
}
public protocol _KVO: NSObject {}
extension NSManagedObject: _KVO {}
extension _KVO {
    public func observe<Value>(_ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [], changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void) -> NSKeyValueObservation { _x() }
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) { _x() }
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) { _x() }
}

extension NSArray {
    public func value(forKey key: String) -> Any { _x() }
    public func value(forKeyPath keyPath: String) -> Any? { _x() }
}
extension NSSet {
    public func value(forKey key: String) -> Any { _x() }
    public func value(forKeyPath keyPath: String) -> Any? { _x() }
}
extension NSOrderedSet {
    public func value(forKey key: String) -> Any { _x() }
    public func value(forKeyPath keyPath: String) -> Any? { _x() }
}
extension NSDictionary {
    public func value(forKey key: String) -> Any? { _x() }
    public func value(forKeyPath keyPath: String) -> Any? { _x() }
}
extension NSMutableDictionary { public func setValue(_ value: Any?, forKey key: String) { _x() } }

// MARK: - NSManagedObjectID

open class NSManagedObjectID: NSObject, NSCopying, @unchecked Sendable {
    open var entity: NSEntityDescription { _x() }
    open weak var persistentStore: NSPersistentStore? { _x() }
    open var isTemporaryID: Bool { _x() }
    open func uriRepresentation() -> URL { _x() }
    public func copy(with zone: NSZone? = nil) -> Any { _x() }
}

// MARK: - NSManagedObjectContext

public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    case confinementConcurrencyType = 0, privateQueueConcurrencyType, mainQueueConcurrencyType
}

open class NSManagedObjectContext: NSObject, NSCoding, NSLocking, @unchecked Sendable {
    public required init(concurrencyType ct: NSManagedObjectContextConcurrencyType) { _x() }
    public convenience init(_ type: ConcurrencyType) { _x() }
    public convenience override init() { self.init(concurrencyType: .confinementConcurrencyType) }  // deprecated, still called
    public required init?(coder: NSCoder) { _x() }
    open func encode(with coder: NSCoder) { _x() }
    @preconcurrency open func perform(_ block: @escaping @Sendable () -> Void) { _x() }
    @preconcurrency open func performAndWait(_ block: @Sendable () -> Void) { _x() }
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? { get { _x() } set {} }
    open var parent: NSManagedObjectContext? { get { _x() } set {} }
    open var name: String? { get { _x() } set {} }
    open var undoManager: UndoManager? { get { _x() } set {} }
    open var hasChanges: Bool { _x() }
    open var userInfo: NSMutableDictionary { _x() }
    open var concurrencyType: NSManagedObjectContextConcurrencyType { _x() }
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? { _x() }
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject { _x() }
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject { _x() }
    @_disfavoredOverload open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] { _x() }
    @_disfavoredOverload open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int { _x() }
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult { _x() }
    open func insert(_ object: NSManagedObject) { _x() }
    open func delete(_ object: NSManagedObject) { _x() }
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) { _x() }
    open func detectConflicts(for object: NSManagedObject) { _x() }
    open func processPendingChanges() { _x() }
    open func assign(_ object: Any, to store: NSPersistentStore) { _x() }
    open var insertedObjects: Set<NSManagedObject> { _x() }
    open var updatedObjects: Set<NSManagedObject> { _x() }
    open var deletedObjects: Set<NSManagedObject> { _x() }
    open var registeredObjects: Set<NSManagedObject> { _x() }
    open func undo() { _x() }
    open func redo() { _x() }
    open func reset() { _x() }
    open func rollback() { _x() }
    open func save() throws { _x() }
    open func refreshAllObjects() { _x() }
    open func lock() { _x() }
    open func unlock() { _x() }
    open var propagatesDeletesAtEndOfEvent: Bool { get { _x() } set {} }
    open var retainsRegisteredObjects: Bool { get { _x() } set {} }
    open var shouldDeleteInaccessibleFaults: Bool { get { _x() } set {} }
    open func shouldHandleInaccessibleFault(_ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?) -> Bool { _x() }
    open var stalenessInterval: TimeInterval { get { _x() } set {} }
    open var mergePolicy: Any { get { _x() } set {} }
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { _x() }
    open func mergeChanges(fromContextDidSave notification: Notification) { _x() }
    open class func mergeChanges(fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]) { _x() }
    open var queryGenerationToken: NSQueryGenerationToken? { _x() }
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws { _x() }
    open var automaticallyMergesChangesFromParent: Bool { get { _x() } set {} }
    open var transactionAuthor: String? { get { _x() } set {} }
}
extension NSManagedObjectContext {
    public func fetch<T: NSFetchRequestResult>(_ request: NSFetchRequest<T>) throws -> [T] { _x() }
    public func count<T: NSFetchRequestResult>(for request: NSFetchRequest<T>) throws -> Int { _x() }
    public enum ScheduledTaskType: Hashable, Sendable { case immediate, enqueued }
    public struct ConcurrencyType: Hashable, Sendable { public static var privateQueue: ConcurrencyType { _x() }; public static var mainQueue: ConcurrencyType { _x() } }
    @preconcurrency public func perform<T>(schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws -> T) async rethrows -> T { _x() }
    @preconcurrency public func performAndWait<T>(_ block: @Sendable () throws -> T) rethrows -> T { _x() }
    public static var willSaveObjectsNotification: Notification.Name { _x() }
    public static var didSaveObjectsNotification: Notification.Name { _x() }
    public static var didChangeObjectsNotification: Notification.Name { _x() }
    public static var didSaveObjectIDsNotification: Notification.Name { _x() }
    public static var didMergeChangesObjectIDsNotification: Notification.Name { _x() }
    public enum NotificationKey: String, Sendable {
        case sourceContext, queryGeneration, invalidatedAllObjects
        case insertedObjects, updatedObjects, deletedObjects, refreshedObjects, invalidatedObjects
        case insertedObjectIDs, updatedObjectIDs, deletedObjectIDs, refreshedObjectIDs, invalidatedObjectIDs
    }
    public func addObserver(_ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?) { _x() }
    public func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) { _x() }
}
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    open class var current: NSQueryGenerationToken { _x() }
    public required init?(coder: NSCoder) { _x() }
    public func encode(with coder: NSCoder) { _x() }
    public func copy(with zone: NSZone? = nil) -> Any { _x() }
    public static var supportsSecureCoding: Bool { true }
}
public let NSManagedObjectContextQueryGenerationKey = ""
public let NSInsertedObjectsKey = "", NSUpdatedObjectsKey = "", NSDeletedObjectsKey = "", NSRefreshedObjectsKey = "", NSInvalidatedObjectsKey = "", NSInvalidatedAllObjectsKey = ""
public let NSInsertedObjectIDsKey = "", NSUpdatedObjectIDsKey = "", NSDeletedObjectIDsKey = "", NSRefreshedObjectIDsKey = "", NSInvalidatedObjectIDsKey = ""
extension Notification.Name {
    public static let NSManagedObjectContextWillSave = Notification.Name(""), NSManagedObjectContextDidSave = Notification.Name(""), NSManagedObjectContextObjectsDidChange = Notification.Name("")
    public static let NSManagedObjectContextDidSaveObjectIDs = Notification.Name(""), NSManagedObjectContextDidMergeChangesObjectIDs = Notification.Name("")
    public static let NSPersistentStoreCoordinatorStoresWillChange = Notification.Name(""), NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(""), NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(""), NSPersistentStoreRemoteChange = Notification.Name("")
    public static let NSPersistentStoreDidImportUbiquitousContentChanges = Notification.Name("")
}

// MARK: - Requests and results

public struct NSFetchRequestResultType: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var managedObjectResultType: Self { _x() }
    public static var managedObjectIDResultType: Self { _x() }
    public static var dictionaryResultType: Self { _x() }
    public static var countResultType: Self { _x() }
}
public enum NSPersistentStoreRequestType: UInt, Sendable { case fetchRequestType = 1, saveRequestType, batchInsertRequestType = 5, batchUpdateRequestType = 6, batchDeleteRequestType = 7 }
open class NSPersistentStoreRequest: NSObject, NSCopying {
    public override init() { super.init() }
    open var affectedStores: [NSPersistentStore]? { get { _x() } set {} }
    open var requestType: NSPersistentStoreRequestType { _x() }
    open func copy(with zone: NSZone? = nil) -> Any { _x() }
}
open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest, NSSecureCoding {
    public override init() { super.init() }
    public convenience init(entityName: String) { _x() }
    public required init?(coder: NSCoder) { _x() }
    public func encode(with coder: NSCoder) { _x() }
    public static var supportsSecureCoding: Bool { true }
    open func execute() throws -> [ResultType] { _x() }
    open var entity: NSEntityDescription? { get { _x() } set {} }
    open var entityName: String? { _x() }
    open var predicate: NSPredicate? { get { _x() } set {} }
    open var sortDescriptors: [NSSortDescriptor]? { get { _x() } set {} }
    open var fetchLimit: Int { get { _x() } set {} }
    open var resultType: NSFetchRequestResultType { get { _x() } set {} }
    open var includesSubentities: Bool { get { _x() } set {} }
    open var includesPropertyValues: Bool { get { _x() } set {} }
    open var returnsObjectsAsFaults: Bool { get { _x() } set {} }
    open var relationshipKeyPathsForPrefetching: [String]? { get { _x() } set {} }
    open var includesPendingChanges: Bool { get { _x() } set {} }
    open var returnsDistinctResults: Bool { get { _x() } set {} }
    open var propertiesToFetch: [Any]? { get { _x() } set {} }
    open var fetchOffset: Int { get { _x() } set {} }
    open var fetchBatchSize: Int { get { _x() } set {} }
    open var shouldRefreshRefetchedObjects: Bool { get { _x() } set {} }
    open var propertiesToGroupBy: [Any]? { get { _x() } set {} }
    open var havingPredicate: NSPredicate? { get { _x() } set {} }
}
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock = (NSAsynchronousFetchResult<any NSFetchRequestResult>) -> Void
open class NSAsynchronousFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
    public init(fetchRequest request: NSFetchRequest<ResultType>, completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil) { _x() }
    open var fetchRequest: NSFetchRequest<ResultType> { _x() }
    open var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)? { _x() }
    open var estimatedResultCount: Int { get { _x() } set {} }
}
open class NSPersistentStoreResult: NSObject {}
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    open var managedObjectContext: NSManagedObjectContext { _x() }
    open var operationError: (any Error)? { _x() }
    open var progress: Progress? { _x() }
    open func cancel() { _x() }
}
open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>: NSPersistentStoreAsynchronousResult {
    open var fetchRequest: NSAsynchronousFetchRequest<ResultType> { _x() }
    open var finalResult: [ResultType]? { _x() }
}
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    public init(inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?, deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?) { _x() }
    open var insertedObjects: Set<NSManagedObject>? { _x() }
    open var updatedObjects: Set<NSManagedObject>? { _x() }
    open var deletedObjects: Set<NSManagedObject>? { _x() }
    open var lockedObjects: Set<NSManagedObject>? { _x() }
}
public enum NSBatchInsertRequestResultType: UInt, Sendable { case statusOnly = 0, objectIDs, count }
public enum NSBatchUpdateRequestResultType: UInt, Sendable { case statusOnlyResultType = 0, updatedObjectIDsResultType, updatedObjectsCountResultType }
public enum NSBatchDeleteRequestResultType: UInt, Sendable { case resultTypeStatusOnly = 0, resultTypeObjectIDs, resultTypeCount }
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    public override init() { super.init() }
    public convenience init(entityName: String, objects dictionaries: [[String: Any]]) { _x() }
    public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) { _x() }
    public convenience init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) { _x() }
    public convenience init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) { _x() }
    public init(entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) { _x() }
    public init(entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) { _x() }
    open var entityName: String { _x() }
    open var entity: NSEntityDescription? { _x() }
    open var objectsToInsert: [[String: Any]]? { get { _x() } set {} }
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)? { get { _x() } set {} }
    open var managedObjectHandler: ((NSManagedObject) -> Bool)? { get { _x() } set {} }
    open var resultType: NSBatchInsertRequestResultType { get { _x() } set {} }
}
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    public convenience init(entityName: String) { _x() }
    public init(entity: NSEntityDescription) { _x() }
    open var entityName: String { _x() }
    open var entity: NSEntityDescription { _x() }
    open var predicate: NSPredicate? { get { _x() } set {} }
    open var includesSubentities: Bool { get { _x() } set {} }
    open var resultType: NSBatchUpdateRequestResultType { get { _x() } set {} }
    open var propertiesToUpdate: [AnyHashable: Any]? { get { _x() } set {} }
}
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) { _x() }
    public convenience init(objectIDs objects: [NSManagedObjectID]) { _x() }
    open var resultType: NSBatchDeleteRequestResultType { get { _x() } set {} }
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult> { _x() }
}
open class NSBatchInsertResult: NSPersistentStoreResult { open var result: Any? { _x() }; open var resultType: NSBatchInsertRequestResultType { _x() } }
open class NSBatchUpdateResult: NSPersistentStoreResult { open var result: Any? { _x() }; open var resultType: NSBatchUpdateRequestResultType { _x() } }
open class NSBatchDeleteResult: NSPersistentStoreResult { open var result: Any? { _x() }; open var resultType: NSBatchDeleteRequestResultType { _x() } }

// MARK: - Persistent history

public enum NSPersistentHistoryResultType: Int, Sendable { case statusOnly = 0, objectIDs, count, transactionsOnly, changesOnly, transactionsAndChanges }
public enum NSPersistentHistoryChangeType: Int, Sendable { case insert = 0, update, delete }
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    public required init?(coder: NSCoder) { _x() }
    public func encode(with coder: NSCoder) { _x() }
    public func copy(with zone: NSZone? = nil) -> Any { _x() }
    public static var supportsSecureCoding: Bool { true }
}
open class NSPersistentHistoryChange: NSObject, NSCopying {
    open class var entityDescription: NSEntityDescription? { _x() }
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? { _x() }
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { _x() }
    open var changeID: Int64 { _x() }
    open var changedObjectID: NSManagedObjectID { _x() }
    open var changeType: NSPersistentHistoryChangeType { _x() }
    open var tombstone: [AnyHashable: Any]? { _x() }
    open var transaction: NSPersistentHistoryTransaction? { _x() }
    open var updatedProperties: Set<NSPropertyDescription>? { _x() }
    public func copy(with zone: NSZone? = nil) -> Any { _x() }
}
open class NSPersistentHistoryTransaction: NSObject, NSCopying {
    open class var entityDescription: NSEntityDescription? { _x() }
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? { _x() }
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { _x() }
    open var timestamp: Date { _x() }
    open var changes: [NSPersistentHistoryChange]? { _x() }
    open var transactionNumber: Int64 { _x() }
    open var storeID: String { _x() }
    open var bundleID: String { _x() }
    open var processID: String { _x() }
    open var contextName: String? { _x() }
    open var author: String? { _x() }
    open var token: NSPersistentHistoryToken { _x() }
    open func objectIDNotification() -> Notification { _x() }
    public func copy(with zone: NSZone? = nil) -> Any { _x() }
}
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    open class func fetchHistory(after date: Date) -> Self { _x() }
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self { _x() }
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self { _x() }
    open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>) -> Self { _x() }
    open class func deleteHistory(before date: Date) -> Self { _x() }
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self { _x() }
    open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self { _x() }
    open var resultType: NSPersistentHistoryResultType { get { _x() } set {} }
    open var token: NSPersistentHistoryToken? { _x() }
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { get { _x() } set {} }
}
open class NSPersistentHistoryResult: NSPersistentStoreResult { open var result: Any? { _x() }; open var resultType: NSPersistentHistoryResultType { _x() } }

// MARK: - Model

open class NSManagedObjectModel: NSObject, NSCoding, NSCopying, NSFastEnumerationLike {
    open class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? { _x() }
    open class func mergedModel(from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]) -> NSManagedObjectModel? { _x() }
    public convenience init?(byMerging models: [NSManagedObjectModel]?) { _x() }
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) { _x() }
    public override init() { super.init() }
    public convenience init?(contentsOf url: URL) { _x() }
    public required init?(coder: NSCoder) { _x() }
    open func encode(with coder: NSCoder) { _x() }
    open func copy(with zone: NSZone? = nil) -> Any { _x() }
    open var entitiesByName: [String: NSEntityDescription] { _x() }
    open var entities: [NSEntityDescription] { get { _x() } set {} }
    open var configurations: [String] { _x() }
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? { _x() }
    open func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) { _x() }
    open func setFetchRequestTemplate(_ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String) { _x() }
    open func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? { _x() }
    open func fetchRequestFromTemplate(withName name: String, substitutionVariables variables: [String: Any]) -> NSFetchRequest<any NSFetchRequestResult>? { _x() }
    open var localizationDictionary: [String: String]? { get { _x() } set {} }
    open var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] { _x() }
    open var versionIdentifiers: Set<AnyHashable> { get { _x() } set {} }
    open func isConfiguration(withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]) -> Bool { _x() }
    open var entityVersionHashesByName: [String: Data] { _x() }
    open var versionChecksum: String { _x() }
}
public protocol NSFastEnumerationLike {}
open class NSManagedObjectModelReference: NSObject {
    public init(model: NSManagedObjectModel, versionChecksum: String) { _x() }
    public init(fileURL: URL, versionChecksum: String) { _x() }
    public init(entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String) { _x() }
    public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) { _x() }
    open var resolvedModel: NSManagedObjectModel { _x() }
    open var versionChecksum: String { _x() }
}
open class NSEntityDescription: NSObject, NSCoding, NSCopying {
    open class func entity(forEntityName entityName: String, in context: NSManagedObjectContext) -> NSEntityDescription? { _x() }
    open class func insertNewObject(forEntityName entityName: String, into context: NSManagedObjectContext) -> NSManagedObject { _x() }
    public override init() { super.init() }
    public required init?(coder: NSCoder) { _x() }
    open func encode(with coder: NSCoder) { _x() }
    open func copy(with zone: NSZone? = nil) -> Any { _x() }
    open var managedObjectModel: NSManagedObjectModel { _x() }
    open var managedObjectClassName: String! { get { _x() } set {} }
    open var name: String? { get { _x() } set {} }
    open var isAbstract: Bool { get { _x() } set {} }
    open var subentitiesByName: [String: NSEntityDescription] { _x() }
    open var subentities: [NSEntityDescription] { get { _x() } set {} }
    open var superentity: NSEntityDescription? { _x() }
    open var propertiesByName: [String: NSPropertyDescription] { _x() }
    open var properties: [NSPropertyDescription] { get { _x() } set {} }
    open var userInfo: [AnyHashable: Any]? { get { _x() } set {} }
    open var attributesByName: [String: NSAttributeDescription] { _x() }
    open var relationshipsByName: [String: NSRelationshipDescription] { _x() }
    open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] { _x() }
    open func isKindOf(entity: NSEntityDescription) -> Bool { _x() }
    open var versionHash: Data { _x() }
    open var versionHashModifier: String? { get { _x() } set {} }
    open var renamingIdentifier: String? { get { _x() } set {} }
    open var indexes: [NSFetchIndexDescription] { get { _x() } set {} }
    open var uniquenessConstraints: [[Any]] { get { _x() } set {} }
    open var compoundIndexes: [[Any]] { get { _x() } set {} }
    open var coreSpotlightDisplayNameExpression: NSExpression { get { _x() } set {} }
}
open class NSPropertyDescription: NSObject, NSCoding, NSCopying {
    public override init() { super.init() }
    public required init?(coder: NSCoder) { _x() }
    open func encode(with coder: NSCoder) { _x() }
    open func copy(with zone: NSZone? = nil) -> Any { _x() }
    open var entity: NSEntityDescription { _x() }
    open var name: String { get { _x() } set {} }
    open var isOptional: Bool { get { _x() } set {} }
    open var isTransient: Bool { get { _x() } set {} }
    open var validationPredicates: [NSPredicate] { _x() }
    open var validationWarnings: [Any] { _x() }
    open func setValidationPredicates(_ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?) { _x() }
    open var userInfo: [AnyHashable: Any]? { get { _x() } set {} }
    open var isIndexed: Bool { get { _x() } set {} }
    open var versionHash: Data { _x() }
    open var versionHashModifier: String? { get { _x() } set {} }
    open var isIndexedBySpotlight: Bool { get { _x() } set {} }
    open var isStoredInExternalRecord: Bool { get { _x() } set {} }
    open var renamingIdentifier: String? { get { _x() } set {} }
}
public enum NSAttributeType: UInt, Sendable {
    case undefinedAttributeType = 0, integer16AttributeType = 100, integer32AttributeType = 200, integer64AttributeType = 300, decimalAttributeType = 400, doubleAttributeType = 500, floatAttributeType = 600, stringAttributeType = 700, booleanAttributeType = 800, dateAttributeType = 900, binaryDataAttributeType = 1000, UUIDAttributeType = 1100, URIAttributeType = 1200, transformableAttributeType = 1800, objectIDAttributeType = 2000, compositeAttributeType = 2100
}
open class NSAttributeDescription: NSPropertyDescription {
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var undefined: Self { _x() }
        public static var integer16: Self { _x() }
        public static var integer32: Self { _x() }
        public static var integer64: Self { _x() }
        public static var decimal: Self { _x() }
        public static var double: Self { _x() }
        public static var float: Self { _x() }
        public static var string: Self { _x() }
        public static var boolean: Self { _x() }
        public static var date: Self { _x() }
        public static var binaryData: Self { _x() }
        public static var uuid: Self { _x() }
        public static var uri: Self { _x() }
        public static var transformable: Self { _x() }
        public static var objectID: Self { _x() }
        public static var composite: Self { _x() }
    }
    open var attributeType: NSAttributeType { get { _x() } set {} }
    open var type: AttributeType { get { _x() } set {} }
    open var attributeValueClassName: String? { get { _x() } set {} }
    open var defaultValue: Any? { get { _x() } set {} }
    open var valueTransformerName: String? { get { _x() } set {} }
    open var allowsExternalBinaryDataStorage: Bool { get { _x() } set {} }
    open var preservesValueInHistoryOnDeletion: Bool { get { _x() } set {} }
    open var allowsCloudEncryption: Bool { get { _x() } set {} }
}
open class NSDerivedAttributeDescription: NSAttributeDescription { open var derivationExpression: NSExpression? { get { _x() } set {} } }
open class NSCompositeAttributeDescription: NSAttributeDescription { open var elements: [NSAttributeDescription] { get { _x() } set {} } }
public enum NSDeleteRule: UInt, Sendable { case noActionDeleteRule = 0, nullifyDeleteRule, cascadeDeleteRule, denyDeleteRule }
open class NSRelationshipDescription: NSPropertyDescription {
    open var destinationEntity: NSEntityDescription? { get { _x() } set {} }
    open var inverseRelationship: NSRelationshipDescription? { get { _x() } set {} }
    open var maxCount: Int { get { _x() } set {} }
    open var minCount: Int { get { _x() } set {} }
    open var deleteRule: NSDeleteRule { get { _x() } set {} }
    open var isToMany: Bool { _x() }
    open var isOrdered: Bool { get { _x() } set {} }
}
open class NSFetchedPropertyDescription: NSPropertyDescription { open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { get { _x() } set {} } }
open class NSExpressionDescription: NSPropertyDescription {
    open var expression: NSExpression? { get { _x() } set {} }
    open var expressionResultType: NSAttributeType { get { _x() } set {} }
    open var resultType: NSAttributeDescription.AttributeType { get { _x() } set {} }
}
public enum NSFetchIndexElementType: UInt, Sendable { case binary, rTree }
open class NSFetchIndexDescription: NSObject, NSCoding, NSCopying {
    public init(name: String, elements: [NSFetchIndexElementDescription]?) { _x() }
    public required init?(coder: NSCoder) { _x() }
    open func encode(with coder: NSCoder) { _x() }
    open func copy(with zone: NSZone? = nil) -> Any { _x() }
    open var name: String { get { _x() } set {} }
    open var elements: [NSFetchIndexElementDescription] { get { _x() } set {} }
    open var entity: NSEntityDescription? { _x() }
    open var partialIndexPredicate: NSPredicate? { get { _x() } set {} }
}
open class NSFetchIndexElementDescription: NSObject, NSCoding, NSCopying {
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) { _x() }
    public required init?(coder: NSCoder) { _x() }
    open func encode(with coder: NSCoder) { _x() }
    open func copy(with zone: NSZone? = nil) -> Any { _x() }
    open var property: NSPropertyDescription? { _x() }
    open var propertyName: String? { _x() }
    open var collationType: NSFetchIndexElementType { get { _x() } set {} }
    open var isAscending: Bool { get { _x() } set {} }
    open var indexDescription: NSFetchIndexDescription? { _x() }
}

// MARK: - Coordinator, container, stores

open class NSPersistentStoreCoordinator: NSObject, NSLocking, @unchecked Sendable {
    public required init(managedObjectModel model: NSManagedObjectModel) { _x() }
    open var managedObjectModel: NSManagedObjectModel { _x() }
    open var persistentStores: [NSPersistentStore] { _x() }
    open var name: String? { get { _x() } set {} }
    open func persistentStore(for URL: URL) -> NSPersistentStore? { _x() }
    open func url(for store: NSPersistentStore) -> URL { _x() }
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { _x() }
    @discardableResult open func addPersistentStore(ofType storeType: String, configurationName configuration: String?, at storeURL: URL?, options: [AnyHashable: Any]? = nil) throws -> NSPersistentStore { _x() }
    open func addPersistentStore(with storeDescription: NSPersistentStoreDescription, completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void) { _x() }
    open func remove(_ store: NSPersistentStore) throws { _x() }
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) { _x() }
    open func metadata(for store: NSPersistentStore) -> [String: Any] { _x() }
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? { _x() }
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any { _x() }
    open class var registeredStoreTypes: [String: NSValue] { _x() }
    open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) { _x() }
    open class func metadataForPersistentStore(ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil) throws -> [String: Any] { _x() }
    open class func metadataForPersistentStore(ofType storeType: String?, at url: URL) throws -> [String: Any] { _x() }
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil) throws { _x() }
    open func migratePersistentStore(_ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String) throws -> NSPersistentStore { _x() }
    open func destroyPersistentStore(at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil) throws { _x() }
    open func replacePersistentStore(at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil, withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String) throws { _x() }
    open func perform(_ block: @escaping () -> Void) { _x() }
    open func performAndWait(_ block: () -> Void) { _x() }
    open func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? { _x() }
    open func finishDeferredLightweightMigration() throws { _x() }
    open func finishDeferredLightweightMigrationTask() throws { _x() }
    open func lock() { _x() }
    open func unlock() { _x() }
}
extension NSPersistentStoreCoordinator {
    public func perform<T>(_ block: @escaping () throws -> T) async rethrows -> T { _x() }
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T { _x() }
    @discardableResult public func addPersistentStore(type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL, options: [AnyHashable: Any]? = nil) throws -> NSPersistentStore { _x() }
    public class func registerStoreClass(_ storeClass: AnyClass, type: NSPersistentStore.StoreType) { _x() }
    public class func metadataForPersistentStore(type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil) throws -> [String: Any] { _x() }
    public class func setMetadata(_ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil) throws { _x() }
    public func migratePersistentStore(_ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil, type: NSPersistentStore.StoreType) throws -> NSPersistentStore { _x() }
    public func destroyPersistentStore(at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil) throws { _x() }
    public func replacePersistentStore(at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil, withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, type: NSPersistentStore.StoreType) throws { _x() }
}
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    open class func defaultDirectoryURL() -> URL { _x() }
    open var name: String { _x() }
    open var viewContext: NSManagedObjectContext { _x() }
    open var managedObjectModel: NSManagedObjectModel { _x() }
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator { _x() }
    open var persistentStoreDescriptions: [NSPersistentStoreDescription] { get { _x() } set {} }
    public convenience init(name: String) { _x() }
    public convenience init(name: String, bundle: Bundle) { _x() }
    public init(name: String, managedObjectModel model: NSManagedObjectModel) { _x() }
    open func loadPersistentStores(completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void) { _x() }
    open func newBackgroundContext() -> NSManagedObjectContext { _x() }
    @preconcurrency open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) { _x() }
    public func performBackgroundTask<T>(_ block: @escaping (NSManagedObjectContext) throws -> T) async rethrows -> T { _x() }
}
open class NSPersistentStoreDescription: NSObject, NSCopying {
    public convenience override init() { _x() }
    public init(url: URL) { _x() }
    open var type: String { get { _x() } set {} }
    open var configuration: String? { get { _x() } set {} }
    open var url: URL? { get { _x() } set {} }
    open var options: [String: NSObject] { _x() }
    open func setOption(_ option: NSObject?, forKey key: String) { _x() }
    open var isReadOnly: Bool { get { _x() } set {} }
    open var timeout: TimeInterval { get { _x() } set {} }
    open var sqlitePragmas: [String: NSObject] { _x() }
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) { _x() }
    open var shouldAddStoreAsynchronously: Bool { get { _x() } set {} }
    open var shouldMigrateStoreAutomatically: Bool { get { _x() } set {} }
    open var shouldInferMappingModelAutomatically: Bool { get { _x() } set {} }
    open var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions? { get { _x() } set {} }
    open func copy(with zone: NSZone? = nil) -> Any { _x() }
}
open class NSPersistentStore: NSObject {
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var sqlite: StoreType { _x() }
        public static var xml: StoreType { _x() }
        public static var binary: StoreType { _x() }
        public static var inMemory: StoreType { _x() }
    }
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] { _x() }
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws { _x() }
    open class func migrationManagerClass() -> AnyClass { _x() }
    public required init(persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL, options: [AnyHashable: Any]? = nil) { _x() }
    open func loadMetadata() throws { _x() }
    open weak var persistentStoreCoordinator: NSPersistentStoreCoordinator? { _x() }
    open var configurationName: String { _x() }
    open var options: [AnyHashable: Any]? { _x() }
    open var url: URL? { get { _x() } set {} }
    open var identifier: String! { get { _x() } set {} }
    open var type: String { _x() }
    open var isReadOnly: Bool { get { _x() } set {} }
    open var metadata: [String: Any]! { get { _x() } set {} }
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) { _x() }
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) { _x() }
}
open class NSIncrementalStore: NSPersistentStore {
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any { _x() }
    open func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext) throws -> NSIncrementalStoreNode { _x() }
    open func newValue(forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?) throws -> Any { _x() }
    open class func identifierForNewStore(at storeURL: URL) -> Any { _x() }
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] { _x() }
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) { _x() }
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) { _x() }
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID { _x() }
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { _x() }
}
open class NSIncrementalStoreNode: NSObject {
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) { _x() }
    open func update(withValues values: [String: Any], version: UInt64) { _x() }
    open var objectID: NSManagedObjectID { _x() }
    open var version: UInt64 { _x() }
    open func value(for prop: NSPropertyDescription) -> Any? { _x() }
}
open class NSAtomicStore: NSPersistentStore {
    open func load() throws { _x() }
    open func save() throws { _x() }
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode { _x() }
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) { _x() }
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { _x() }
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) { _x() }
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) { _x() }
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? { _x() }
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID { _x() }
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any { _x() }
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { _x() }
}
open class NSAtomicStoreCacheNode: NSObject {
    public init(objectID moid: NSManagedObjectID) { _x() }
    open var objectID: NSManagedObjectID { _x() }
    open var propertyCache: NSMutableDictionary? { get { _x() } set {} }
    open func value(forKey key: String) -> Any? { _x() }
    open func setValue(_ value: Any?, forKey key: String) { _x() }
}

// MARK: - Merge policies

public enum NSMergePolicyType: UInt, Sendable { case errorMergePolicyType = 0, mergeByPropertyStoreTrumpMergePolicyType, mergeByPropertyObjectTrumpMergePolicyType, overwriteMergePolicyType, rollbackMergePolicyType }
public var NSErrorMergePolicy: AnyObject { _x() }
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject { _x() }
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject { _x() }
public var NSOverwriteMergePolicy: AnyObject { _x() }
public var NSRollbackMergePolicy: AnyObject { _x() }
open class NSMergePolicy: NSObject {
    open class var error: NSMergePolicy { _x() }
    open class var rollback: NSMergePolicy { _x() }
    open class var overwrite: NSMergePolicy { _x() }
    open class var mergeByPropertyObjectTrump: NSMergePolicy { _x() }
    open class var mergeByPropertyStoreTrump: NSMergePolicy { _x() }
    public init(merge ty: NSMergePolicyType) { _x() }
    open var mergeType: NSMergePolicyType { _x() }
    open func resolve(mergeConflicts list: [Any]) throws { _x() }
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws { _x() }
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws { _x() }
}
open class NSMergeConflict: NSObject {
    public init(source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int, cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?) { _x() }
    open var sourceObject: NSManagedObject { _x() }
    open var objectSnapshot: [String: Any]? { _x() }
    open var cachedSnapshot: [String: Any]? { _x() }
    open var persistedSnapshot: [String: Any]? { _x() }
    open var newVersionNumber: Int { _x() }
    open var oldVersionNumber: Int { _x() }
}
open class NSConstraintConflict: NSObject {
    public override init() { super.init() }
    public init(constraint contraint: [String], database databaseObject: NSManagedObject?, databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject], conflictingSnapshots: [Any]) { _x() }
    open var constraint: [String] { _x() }
    open var constraintValues: [String: Any] { _x() }
    open var databaseObject: NSManagedObject? { _x() }
    open var databaseSnapshot: [String: Any]? { _x() }
    open var conflictingObjects: [NSManagedObject] { _x() }
    open var conflictingSnapshots: [[AnyHashable: Any]] { _x() }
}

// MARK: - Fetched results controller

public enum NSFetchedResultsChangeType: UInt, Sendable { case insert = 1, delete, move, update }
public protocol NSFetchedResultsSectionInfo {
    var name: String { get }
    var indexTitle: String? { get }
    var numberOfObjects: Int { get }
    var objects: [Any]? { get }
}
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
    func controller(_ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)
    func controller(_ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType)
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)
    func controller(_ controller: NSFetchedResultsController<any NSFetchRequestResult>, sectionIndexTitleForSectionName sectionName: String) -> String?
    func controller(_ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)
}
extension NSFetchedResultsControllerDelegate {
    public func controller(_ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?) {}
    public func controller(_ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType) {}
    public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
    public func controller(_ controller: NSFetchedResultsController<any NSFetchRequestResult>, sectionIndexTitleForSectionName sectionName: String) -> String? { nil }
    public func controller(_ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChangeContentWith diff: CollectionDifference<NSManagedObjectID>) {}
}
open class NSFetchedResultsController<ResultType: NSFetchRequestResult>: NSObject {
    public init(fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext, sectionNameKeyPath: String?, cacheName name: String?) { _x() }
    open func performFetch() throws { _x() }
    open var fetchRequest: NSFetchRequest<ResultType> { _x() }
    open var managedObjectContext: NSManagedObjectContext { _x() }
    open var sectionNameKeyPath: String? { _x() }
    open var cacheName: String? { _x() }
    open weak var delegate: (any NSFetchedResultsControllerDelegate)? { get { _x() } set {} }
    open class func deleteCache(withName name: String?) { _x() }
    open var fetchedObjects: [ResultType]? { _x() }
    open func object(at indexPath: IndexPath) -> ResultType { _x() }
    open func indexPath(forObject object: ResultType) -> IndexPath? { _x() }
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? { _x() }
    open var sectionIndexTitles: [String] { _x() }
    open var sections: [any NSFetchedResultsSectionInfo]? { _x() }
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int { _x() }
}
extension IndexPath {
    public init(row: Int, section: Int) { _x() }
    public init(item: Int, section: Int) { _x() }
    public var section: Int { get { _x() } set {} }
    public var row: Int { get { _x() } set {} }
    public var item: Int { get { _x() } set {} }
}

// MARK: - Migration

open class NSMappingModel: NSObject {
    public init?(from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?, destinationModel: NSManagedObjectModel?) { _x() }
    public init?(contentsOf url: URL?) { _x() }
    public override init() { super.init() }
    open class func inferredMappingModel(forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) throws -> NSMappingModel { _x() }
    open var entityMappings: [NSEntityMapping]! { get { _x() } set {} }
    open var entityMappingsByName: [String: NSEntityMapping] { _x() }
}
public enum NSEntityMappingType: UInt, Sendable { case undefinedEntityMappingType = 0, customEntityMappingType, addEntityMappingType, removeEntityMappingType, copyEntityMappingType, transformEntityMappingType }
open class NSEntityMapping: NSObject {
    public override init() { super.init() }
    open var name: String! { get { _x() } set {} }
    open var mappingType: NSEntityMappingType { get { _x() } set {} }
    open var sourceEntityName: String? { get { _x() } set {} }
    open var sourceEntityVersionHash: Data? { get { _x() } set {} }
    open var destinationEntityName: String? { get { _x() } set {} }
    open var destinationEntityVersionHash: Data? { get { _x() } set {} }
    open var attributeMappings: [NSPropertyMapping]? { get { _x() } set {} }
    open var relationshipMappings: [NSPropertyMapping]? { get { _x() } set {} }
    open var sourceExpression: NSExpression? { get { _x() } set {} }
    open var userInfo: [AnyHashable: Any]? { get { _x() } set {} }
    open var entityMigrationPolicyClassName: String? { get { _x() } set {} }
}
open class NSPropertyMapping: NSObject {
    public override init() { super.init() }
    open var name: String? { get { _x() } set {} }
    open var valueExpression: NSExpression? { get { _x() } set {} }
    open var userInfo: [AnyHashable: Any]? { get { _x() } set {} }
}
open class NSEntityMigrationPolicy: NSObject {
    public override init() { super.init() }
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws { _x() }
    open func createDestinationInstances(forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager) throws { _x() }
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws { _x() }
    open func createRelationships(forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager) throws { _x() }
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws { _x() }
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws { _x() }
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws { _x() }
}
open class NSMigrationManager: NSObject {
    // NSObject's own.
    public override init() { _x() }
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) { _x() }
    open func migrateStore(from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil, with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String, destinationOptions dOptions: [AnyHashable: Any]? = nil) throws { _x() }
    public func migrateStore(from sourceURL: URL, type sourceType: NSPersistentStore.StoreType, options sOptions: [AnyHashable: Any]? = nil, mapping: NSMappingModel, to destinationURL: URL, type destinationType: NSPersistentStore.StoreType, options dOptions: [AnyHashable: Any]? = nil) throws { _x() }
    open var usesStoreSpecificMigrationManager: Bool { get { _x() } set {} }
    open func reset() { _x() }
    open var mappingModel: NSMappingModel { _x() }
    open var sourceModel: NSManagedObjectModel { _x() }
    open var destinationModel: NSManagedObjectModel { _x() }
    open var sourceContext: NSManagedObjectContext { _x() }
    open var destinationContext: NSManagedObjectContext { _x() }
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? { _x() }
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? { _x() }
    open func associate(sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject, for entityMapping: NSEntityMapping) { _x() }
    open func destinationInstances(forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?) -> [NSManagedObject] { _x() }
    open func sourceInstances(forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?) -> [NSManagedObject] { _x() }
    open var currentEntityMapping: NSEntityMapping { _x() }
    open var migrationProgress: Float { _x() }
    open var userInfo: [AnyHashable: Any]? { get { _x() } set {} }
    open func cancelMigrationWithError(_ error: any Error) { _x() }
}
open class NSMigrationStage: NSObject { open var label: String? { get { _x() } set {} } }
open class NSLightweightMigrationStage: NSMigrationStage { public init(_ versionChecksums: [String]) { _x() }; open var versionChecksums: [String] { _x() } }
open class NSCustomMigrationStage: NSMigrationStage {
    public init(migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference) { _x() }
    open var currentModel: NSManagedObjectModelReference { _x() }
    open var nextModel: NSManagedObjectModelReference { _x() }
    open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)? { get { _x() } set {} }
    open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)? { get { _x() } set {} }
}
open class NSStagedMigrationManager: NSObject {
    public init(_ stages: [NSMigrationStage]) { _x() }
    open var stages: [NSMigrationStage] { _x() }
    open var container: NSPersistentContainer? { _x() }
}

// MARK: - CloudKit-related (present only so that code naming them can be indexed)

public enum NSPersistentCloudKitContainerSchemaInitializationOptions_: UInt { case none }
open class NSPersistentCloudKitContainerOptions: NSObject {
    public init(containerIdentifier: String) { _x() }
    open var containerIdentifier: String { _x() }
}
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    public static let eventChangedNotification = Notification.Name("")
    open func initializeCloudKitSchema(options: Int = 0) throws { _x() }
}

// MARK: - Constants

public let NSSQLiteStoreType = "SQLite", NSXMLStoreType = "XML", NSBinaryStoreType = "Binary", NSInMemoryStoreType = "InMemory"
public let NSStoreTypeKey = "", NSStoreUUIDKey = "", NSStoreModelVersionHashesKey = "", NSStoreModelVersionIdentifiersKey = "", NSPersistentStoreOSCompatibility = ""
public let NSReadOnlyPersistentStoreOption = "", NSValidateXMLStoreOption = "", NSPersistentStoreTimeoutOption = "", NSSQLitePragmasOption = "", NSSQLiteAnalyzeOption = "", NSSQLiteManualVacuumOption = "", NSIgnorePersistentStoreVersioningOption = "", NSMigratePersistentStoresAutomaticallyOption = "", NSInferMappingModelAutomaticallyOption = "", NSPersistentStoreForceDestroyOption = "", NSPersistentStoreFileProtectionKey = "", NSPersistentHistoryTrackingKey = "", NSPersistentStoreRemoteChangeNotificationPostOptionKey = "", NSBinaryStoreSecureDecodingClasses = "", NSBinaryStoreInsecureDecodingCompatibilityOption = "", NSPersistentStoreConnectionPoolMaxSizeKey = "", NSPersistentStoreStagedMigrationManagerOptionKey = "", NSPersistentStoreDeferredLightweightMigrationOptionKey = "", NSCoreDataCoreSpotlightExporter = ""
public let NSPersistentStoreURLKey = "", NSPersistentHistoryTokenKey = "", NSAddedPersistentStoresKey = "", NSRemovedPersistentStoresKey = "", NSUUIDChangedPersistentStoresKey = ""
public let NSMigrationManagerKey = "", NSMigrationSourceObjectKey = "", NSMigrationDestinationObjectKey = "", NSMigrationEntityMappingKey = "", NSMigrationPropertyMappingKey = "", NSMigrationEntityPolicyKey = ""
public let NSDetailedErrorsKey = "", NSValidationObjectErrorKey = "", NSValidationKeyErrorKey = "", NSValidationPredicateErrorKey = "", NSValidationValueErrorKey = "", NSAffectedStoresErrorKey = "", NSAffectedObjectsErrorKey = "", NSPersistentStoreSaveConflictsErrorKey = "", NSSQLiteErrorDomain = ""
public let NSCoreDataVersionNumber: Double = 0
public var NSManagedObjectValidationError: Int { 1550 }
public var NSManagedObjectConstraintValidationError: Int { 1551 }
public var NSValidationMultipleErrorsError: Int { 1560 }
public var NSValidationMissingMandatoryPropertyError: Int { 1570 }
public var NSValidationRelationshipLacksMinimumCountError: Int { 1580 }
public var NSValidationRelationshipExceedsMaximumCountError: Int { 1590 }
public var NSValidationRelationshipDeniedDeleteError: Int { 1600 }
public var NSValidationNumberTooLargeError: Int { 1610 }
public var NSValidationNumberTooSmallError: Int { 1620 }
public var NSValidationDateTooLateError: Int { 1630 }
public var NSValidationDateTooSoonError: Int { 1640 }
public var NSValidationInvalidDateError: Int { 1650 }
public var NSValidationStringTooLongError: Int { 1660 }
public var NSValidationStringTooShortError: Int { 1670 }
public var NSValidationStringPatternMatchingError: Int { 1680 }
public var NSValidationInvalidURIError: Int { 1690 }
public var NSManagedObjectContextLockingError: Int { 132000 }
public var NSPersistentStoreCoordinatorLockingError: Int { 132010 }
public var NSManagedObjectReferentialIntegrityError: Int { 133000 }
public var NSManagedObjectExternalRelationshipError: Int { 133010 }
public var NSManagedObjectMergeError: Int { 133020 }
public var NSManagedObjectConstraintMergeError: Int { 133021 }
public var NSPersistentStoreInvalidTypeError: Int { 134000 }
public var NSPersistentStoreTypeMismatchError: Int { 134010 }
public var NSPersistentStoreIncompatibleSchemaError: Int { 134020 }
public var NSPersistentStoreSaveError: Int { 134030 }
public var NSPersistentStoreIncompleteSaveError: Int { 134040 }
public var NSPersistentStoreSaveConflictsError: Int { 134050 }
public var NSCoreDataError: Int { 134060 }
public var NSPersistentStoreOperationError: Int { 134070 }
public var NSPersistentStoreOpenError: Int { 134080 }
public var NSPersistentStoreTimeoutError: Int { 134090 }
public var NSPersistentStoreUnsupportedRequestTypeError: Int { 134091 }
public var NSPersistentStoreIncompatibleVersionHashError: Int { 134100 }
public var NSMigrationError: Int { 134110 }
public var NSMigrationConstraintViolationError: Int { 134111 }
public var NSMigrationCancelledError: Int { 134120 }
public var NSMigrationMissingSourceModelError: Int { 134130 }
public var NSMigrationMissingMappingModelError: Int { 134140 }
public var NSMigrationManagerSourceStoreError: Int { 134150 }
public var NSMigrationManagerDestinationStoreError: Int { 134160 }
public var NSEntityMigrationPolicyError: Int { 134170 }
public var NSSQLiteError: Int { 134180 }
public var NSInferredMappingModelError: Int { 134190 }
public var NSExternalRecordImportError: Int { 134200 }
public var NSPersistentHistoryTokenExpiredError: Int { 134301 }
public var NSManagedObjectModelReferenceNotFoundError: Int { 134504 }
public var NSStagedMigrationFrameworkVersionMismatchError: Int { 134505 }
public var NSStagedMigrationBackwardMigrationError: Int { 134506 }
extension CocoaError.Code {
    public static var managedObjectValidation: CocoaError.Code { _x() }
    public static var managedObjectConstraintValidation: CocoaError.Code { _x() }
    public static var validationMultipleErrors: CocoaError.Code { _x() }
    public static var validationMissingMandatoryProperty: CocoaError.Code { _x() }
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code { _x() }
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code { _x() }
    public static var validationRelationshipDeniedDelete: CocoaError.Code { _x() }
    public static var validationNumberTooLarge: CocoaError.Code { _x() }
    public static var validationNumberTooSmall: CocoaError.Code { _x() }
    public static var validationDateTooLate: CocoaError.Code { _x() }
    public static var validationDateTooSoon: CocoaError.Code { _x() }
    public static var validationInvalidDate: CocoaError.Code { _x() }
    public static var validationStringTooLong: CocoaError.Code { _x() }
    public static var validationStringTooShort: CocoaError.Code { _x() }
    public static var validationStringPatternMatching: CocoaError.Code { _x() }
    public static var managedObjectReferentialIntegrity: CocoaError.Code { _x() }
    public static var managedObjectMerge: CocoaError.Code { _x() }
    public static var managedObjectConstraintMerge: CocoaError.Code { _x() }
    public static var managedObjectExternalRelationship: CocoaError.Code { _x() }
    public static var managedObjectContextLocking: CocoaError.Code { _x() }
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { _x() }
    public static var persistentStoreInvalidType: CocoaError.Code { _x() }
    public static var persistentStoreTypeMismatch: CocoaError.Code { _x() }
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { _x() }
    public static var persistentStoreSave: CocoaError.Code { _x() }
    public static var persistentStoreIncompleteSave: CocoaError.Code { _x() }
    public static var persistentStoreSaveConflicts: CocoaError.Code { _x() }
    public static var persistentStoreOperation: CocoaError.Code { _x() }
    public static var persistentStoreOpen: CocoaError.Code { _x() }
    public static var persistentStoreTimeout: CocoaError.Code { _x() }
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code { _x() }
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code { _x() }
    public static var migration: CocoaError.Code { _x() }
    public static var migrationCancelled: CocoaError.Code { _x() }
    public static var migrationMissingSourceModel: CocoaError.Code { _x() }
    public static var migrationMissingMappingModel: CocoaError.Code { _x() }
    public static var migrationManagerSourceStore: CocoaError.Code { _x() }
    public static var migrationManagerDestinationStore: CocoaError.Code { _x() }
    public static var entityMigrationPolicy: CocoaError.Code { _x() }
    public static var inferredMappingModel: CocoaError.Code { _x() }
    public static var externalRecordImport: CocoaError.Code { _x() }
    public static var sqlite: CocoaError.Code { _x() }
    public static var coreData: CocoaError.Code { _x() }
    public static var persistentHistoryTokenExpired: CocoaError.Code { _x() }
}
