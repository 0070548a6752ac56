// Makes the functions and collations of PredicateSQLFunctions.swift known to a connection. The store calls it for each
// connection that it opens.

import Foundation
import GRDB

extension PredicateSQLFunctions {
    /// Registers everything that the SQL of predicates calls.
    static func register(on db: Database) {
        for function in all { function.register(on: db) }
        for collation in collations {
            db.add(collation: DatabaseCollation(collation.name) { collation.order($0, $1) })
        }
        db.add(function: DatabaseFunction("graft_sum", argumentCount: 1, pure: true, aggregate: Sum.self))
        db.add(function: DatabaseFunction("graft_avg", argumentCount: 1, pure: true, aggregate: Average.self))
        db.add(function: DatabaseFunction("graft_median", argumentCount: 1, pure: true, aggregate: Median.self))
        db.add(function: DatabaseFunction("graft_stddev", argumentCount: 1, pure: true, aggregate: Deviation.self))
    }

    // GRDB makes one object of a type for each group.

    private struct Sum: PredicateAggregate {
        static let function = PredefinedFunction.sum
        var values: [SQLValue] = []
    }

    private struct Average: PredicateAggregate {
        static let function = PredefinedFunction.average
        var values: [SQLValue] = []
    }

    private struct Median: PredicateAggregate {
        static let function = PredefinedFunction.median
        var values: [SQLValue] = []
    }

    private struct Deviation: PredicateAggregate {
        static let function = PredefinedFunction.stddev
        var values: [SQLValue] = []
    }
}

/// Collects the values of a group for a function of a collection.
private protocol PredicateAggregate: DatabaseAggregate {
    static var function: PredefinedFunction { get }
    var values: [SQLValue] { get set }
}

extension PredicateAggregate {
    mutating func step(_ dbValues: [DatabaseValue]) throws {
        values += dbValues.map(SQLValue.init)
    }

    func finalize() throws -> (any DatabaseValueConvertible)? {
        PredicateSQLFunctions.aggregate(Self.function, values).databaseValue
    }
}

extension SQLValue {
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let integer): self = .integer(integer)
        case .double(let double): self = .real(double)
        case .string(let string): self = .text(string)
        case .blob(let data): self = .blob(data)
        }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let integer): integer.databaseValue
        case .real(let double): double.databaseValue
        case .text(let string): string.databaseValue
        case .blob(let data): data.databaseValue
        }
    }
}
