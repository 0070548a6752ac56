// Methods that applications had before Core Data did, under the same names and with the same types.

// Where a block is `@Sendable`, as in the declarations of Apple's that the tests are compiled against, Swift 6 knows two methods.
#if !canImport(Darwin)
    import CoreData
    import Foundation
    import Testing

    @Suite struct OwnMethodIdioms {
        @Test func `an application's own methods with a result take the place of the framework's`() async throws {
            let context = Garden().context
            #expect(context.performAndWait { 3 } == 3)
            #expect(context.name == "own")
            let coordinator = try #require(context.persistentStoreCoordinator)
            coordinator.name = nil
            #expect(coordinator.performAndWait { 3 } == 3)
            #expect(coordinator.name == "own")
            let name = try await Garden().container.performBackgroundTask { $0.name }
            #expect(name == "own")
        }

        @Test func `an application's own container of a bundle's model takes the place of ours`() {
            #expect(NSPersistentContainer(name: "Own", bundle: .main).managedObjectModel.entities.isEmpty)
        }

        @Test func `errors of an own method's block come through`() {
            let context = Garden().context
            let error = #expect(throws: CocoaError.self) {
                _ = try context.performAndWait { () throws -> Int in throw CocoaError(.userCancelled) }
            }
            #expect(error?.code == .userCancelled)
        }
    }

    extension NSManagedObjectContext {
        fileprivate func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
            name = "own"
            return try withoutActuallyEscaping(block) { block in
                var result: Result<T, any Error>?
                self.performAndWait { () -> Void in result = Result(catching: block) }
                return try result.orThrow { throw $0 }
            }
        }
    }

    extension NSPersistentStoreCoordinator {
        fileprivate func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
            name = "own"
            return try block()
        }
    }

    extension NSPersistentContainer {
        fileprivate convenience init(name: String, bundle: Bundle, isInMemory: Bool = true) {
            self.init(name: name, managedObjectModel: NSManagedObjectModel())
        }

        fileprivate func performBackgroundTask<T: Sendable>(
            _ block: @escaping @Sendable (NSManagedObjectContext) throws -> T
        ) async throws -> T {
            let context = newBackgroundContext()
            context.name = "own"
            return try await context.perform { try block(context) }
        }
    }

    extension Optional {
        fileprivate func orThrow<T>(
            _ failing: (any Error) throws -> T
        ) rethrows -> T where Wrapped == Result<T, any Error> {
            switch self {
            case .success(let value)?: value
            case .failure(let error)?: try failing(error)
            case nil: try failing(CocoaError(.featureUnsupported))
            }
        }
    }
#endif
