// What a SQLite store keeps of a decimal, in Core Data's layout: an integer where it is one of 64 bits, else the nearest double.
// Doubles have 15 decimal digits, so a longer fraction comes back as another number. A `Float` is stored as a double, too, and may have
// come from one that is no Float; what it stands for is the nearest one, by which a class's accessor reads it.

import CoreData
import Foundation

extension NSManagedObjectContext {
    /// Whether a store of the context is one of SQLite, which keeps decimals as doubles.
    var keepsDoubles: Bool {
        persistentStoreCoordinator?.persistentStores.contains { $0.type == NSSQLiteStoreType } ?? false
    }
}

extension GraphValue {
    /// The value that a store gives back for this one.
    ///
    /// - Parameter keepsDoubles: Whether it is one of SQLite, which keeps decimals as doubles.
    @inline(__always)
    func kept(_ keepsDoubles: Bool) -> GraphValue {
        if keepsDoubles, case .decimal(let exact) = self { .decimal(exact.keptBySQLite) } else { self }
    }
}

extension Decimal {
    /// The decimal that a SQLite store gives back for this one.
    var keptBySQLite: Decimal {
        let text = "\(self)"
        // 15 digits survive, whatever they are.
        if text.utf8.count <= 15 || isNaN || Int64(text) != nil { return self }
        guard let double = Double(text), double.isFinite else { return self }
        return Decimal(string: "\(double)") ?? self
    }
}

extension Double {
    /// What an attribute of the type `Float` has of this number: the nearest one; a number beyond its range stays.
    @inline(__always)
    var keptByFloat: Double {
        let float = Float(self)
        return float.isFinite || !isFinite ? Double(float) : self
    }
}
