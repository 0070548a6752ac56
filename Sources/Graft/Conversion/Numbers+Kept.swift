// What stores keep of values less exactly than a snapshot may have them. In Core Data's layout, SQLite keeps a decimal as an integer
// where it is one of 64 bits, else as the nearest double: doubles have 15 decimal digits, so a longer fraction comes back as another
// number. PostgreSQL keeps whole microseconds of a date. A `Float` is stored as a double, too, and may have come from one that is no
// Float; what it stands for is the nearest one, by which a class's accessor reads it.

import CoreData
import Foundation

/// What the stores of a context round.
struct Rounding: OptionSet {
    let rawValue: UInt8
    /// SQLite's: decimals, to doubles.
    static let decimals = Rounding(rawValue: 1)
    /// PostgreSQL's: dates, to microseconds. Such a store refuses some values, too.
    static let dates = Rounding(rawValue: 2)

    /// What of a kind of values may be rounded.
    init(of kind: AttributeKind?) {
        switch kind {
        case .decimal: self = .decimals
        case .date: self = .dates
        default: self = []
        }
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }
}

extension GraphValue {
    /// The value that a store gives back for this one.
    @inline(__always)
    func kept(_ rounding: Rounding) -> GraphValue {
        switch self {
        case .decimal(let exact) where rounding.contains(.decimals): .decimal(exact.keptBySQLite)
        case .date(let exact) where rounding.contains(.dates): .date(exact.keptByPostgreSQL ?? exact)
        default: self
        }
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
