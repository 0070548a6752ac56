// Expressions in SQL. Whatever doesn't depend on a row is computed here, once, and bound.

import Foundation

extension PredicateSQL {
    func operand(_ expression: NSExpression, in scope: SQLScope) throws -> SQLOperand {
        if expression.isConstant { return constant(try value(ofConstant: expression)) }
        switch expression.node {
        case .constant(let constant): return self.constant(constant.operand)
        case .evaluatedObject: return try follow(KeyPathSteps(""), from: scope.itself)
        case .variable(let name): return try follow(KeyPathSteps(""), from: try element(name, in: scope))
        case .keyPath(let start, let path): return try self.path(path, from: start, in: scope)
        case .function(let call):
            if let chain = ExpressionChain(expression) { return .scalar(try self.chain(chain, in: scope)) }
            return try function(call, in: scope)
        case .aggregate(let elements): return .list(try elements.map { try operand($0, in: scope) })
        case .subquery(let collection, let variable, let predicate):
            return .collection(try subquery(collection, variable, predicate, scope))
        case .conditional(let predicate, let then, let otherwise):
            return .scalar(try conditional(predicate, then, otherwise, scope))
        case .set: throw PredicateSQLProblem("UNION, INTERSECT and MINUS of relationships aren't translated to SQL")
        case .anyKey: throw PredicateSQLProblem("ANYKEY isn't translated to SQL")
        case .fetch: throw PredicateSQLProblem("a fetch within another (FETCH) isn't translated to SQL")
        case .block: throw PredicateSQLProblem("a closure (NSExpression(block:)) can't run in SQL")
        }
    }

    /// An expression that has to be a single value.
    func scalar(_ expression: NSExpression, in scope: SQLScope) throws -> SQLScalar {
        guard case .scalar(let scalar) = try operand(expression, in: scope) else {
            throw PredicateSQLProblem("'\(expression)' is a collection where a single value is needed")
        }
        return scalar
    }

    private func element(_ variable: String, in scope: SQLScope) throws -> SQLElement {
        if let element = scope.variables[variable] { return element }
        throw PredicateSQLProblem(
            "the variable $\(variable) has no value; give it one with withSubstitutionVariables(_:)")
    }

    private func path(_ path: KeyPathSteps, from start: NSExpression, in scope: SQLScope) throws -> SQLOperand {
        switch start.node {
        case .evaluatedObject: return try follow(path, from: scope.itself)
        case .variable(let name): return try follow(path, from: try element(name, in: scope))
        default: return try follow(path, of: try operand(start, in: scope))
        }
    }

    // MARK: Constants

    private func value(ofConstant expression: NSExpression) throws -> Operand {
        let failure = EvaluationFailure()
        let value = ExpressionEvaluator.operand(of: expression, in: EvaluationScope(object: nil, failure: failure))
        do {
            try failure.check()
        } catch {
            throw PredicateSQLProblem("\(error)")
        }
        return value
    }

    func constant(_ operand: Operand) -> SQLOperand {
        if case .collection(let collection) = operand { return .constants(collection.elements) }
        return .scalar(scalar(constant: operand))
    }

    func scalar(constant operand: Operand) -> SQLScalar {
        var scalar: SQLScalar
        switch operand {
        case .null, .collection: return .null
        case .integer(let value): scalar = bound(.integer(value), .number)
        case .real(let value): scalar = bound(.real(value), .number)
        case .string(let value): scalar = bound(.text(value), .string)
        case .date(let value): scalar = bound(.real(value), .date)
        case .data(let value): scalar = bound(.blob(value), .data)
        case .uuid(let value): scalar = bound(.blob(value.bytes), .uuid)
        case .object(let object): scalar = key(ofConstant: object)
        // As an object of another store, it is comparable to nothing.
        case .opaque(let value) where value.base is Casting.Unfit: return Self.incomparable
        case .opaque(let value):
            scalar =
                self.entity(ofConstant: value).map { SQLScalar(dialect.literal($0), kind: .entity, canBeNull: false) }
                ?? SQLScalar("0", kind: .opaque("\(type(of: value.base)) can't be compared in SQL"), canBeNull: false)
        }
        scalar.constant = operand
        return scalar
    }

    /// The entity that a constant is, where the store has it.
    func entity(ofConstant value: AnyHashable) -> SQLEntity? {
        (value.base as? NSEntityDescription).flatMap { select.schema.entity(for: $0) }
    }

    private func bound(_ value: SQLValue, _ kind: SQLKind) -> SQLScalar {
        SQLScalar(dialect.mark(kind), [value], kind: kind, canBeNull: false)
    }

    /// A value of a kind of its own, which is comparable to none.
    private static var incomparable: SQLScalar { SQLScalar("0", kind: .object(root: -1), canBeNull: false) }

    /// An object's primary key; an object that isn't in this store is equal to no row.
    private func key(ofConstant object: ReadableObject) -> SQLScalar {
        guard let id = object.objectID, !id.isTemporaryID, let entity = select.schema.entity(for: id.entity),
            let root = select.schema.entity(numbered: entity.rootNumber), isHere(id, root)
        else {
            return Self.incomparable
        }
        return bound(.integer(id.number), .object(root: entity.rootNumber))
    }

    private func isHere(_ id: NSManagedObjectID, _ root: SQLEntity) -> Bool {
        guard let own = space?(root) else { return true }
        return own === id.space || own.isReopened(id.space)
    }

    // MARK: Functions

    private func function(_ call: FunctionCall, in scope: SQLScope) throws -> SQLOperand {
        guard let function = call.function, call.target == nil else {
            throw PredicateSQLProblem("the method '\(call.name)' of an object can't be called in SQL")
        }
        if function.isAggregate { return .scalar(try aggregate(function, call.arguments, in: scope)) }
        if function == .objectAtIndex { return .scalar(try element(call.arguments, in: scope)) }
        let arguments = try call.arguments.map { try scalar($0, in: scope).usable() }
        if let binary = function.binaryOperator { return .scalar(try arithmetic(binary, function, arguments)) }
        switch function {
        case .noindex:
            // A plus sign keeps SQLite from using an index.
            var value = arguments[0]
            value.fragment.sql = dialect.withoutIndex(value)
            return .scalar(value)
        case .uppercase, .lowercase, .canonical: return .scalar(try self.call(function, arguments, kind: .string))
        case .cast: return .scalar(try cast(arguments))
        default: return .scalar(try self.call(function, arguments, kind: .number))
        }
    }

    /// One of the predefined functions.
    func call(_ function: PredefinedFunction, _ arguments: [SQLScalar], kind: SQLKind) throws -> SQLScalar {
        try dialect.call(function, arguments, kind: kind)
    }

    private func arithmetic(
        _ binary: Arithmetic.BinaryOperator, _ function: PredefinedFunction, _ arguments: [SQLScalar]
    ) throws -> SQLScalar {
        let (left, right) = (arguments[0], arguments[1])
        guard let kind = resultKind(binary, left.kind, right.kind) else { return .null }
        let sign: String
        switch binary {
        case .add: sign = "+"
        case .subtract: sign = "-"
        case .multiply: sign = "*"
        case .divide: sign = "/"
        default: return try call(function, arguments, kind: kind)
        }
        var fragment = SQLFragment(sql: "(")
        fragment += dialect.number(left)
        fragment.sql += " \(sign) "
        var divided = dialect.number(right)
        if binary == .divide { divided.sql = dialect.divisor(divided.sql) }
        fragment += divided
        return SQLScalar(dialect.result(fragment.sql + ")", kind), fragment.arguments, kind: kind)
    }

    /// A long row of operators: SQLite limits the depth of an expression, so that one function computes many links. Constants
    /// are part of its program; some thousand other operands are as many as SQLite can take.
    private func chain(_ chain: ExpressionChain, in scope: SQLScope) throws -> SQLScalar {
        var result = try scalar(chain.first, in: scope).usable()
        if dialect == .postgreSQL {
            for link in chain.links {
                guard let binary = link.function.binaryOperator else { return .null }
                result = try arithmetic(binary, link.function, [result, try scalar(link.right, in: scope).usable()])
            }
            return result
        }
        var links = chain.links[...]
        while !links.isEmpty {
            var kind = result.kind
            var values = [result]
            var program: [String] = []
            while values.count <= PredicateSQLFunctions.longestChain, let link = links.popFirst() {
                let right = try scalar(link.right, in: scope).usable()
                guard let binary = link.function.binaryOperator, let next = resultKind(binary, kind, right.kind) else {
                    return .null
                }
                kind = next
                let constant = right.constant.flatMap(PredicateSQLFunctions.word)
                program += [link.function.rawValue, constant ?? "v\(values.count)"]
                if constant == nil { values.append(right) }
            }
            var fragment = SQLFragment(
                sql: "graft_chain(?, ?",
                arguments: [.text(program.joined(separator: " ")), .text(values.map(\.kind.tag).joined())])
            for value in values {
                fragment.sql += ", "
                fragment += value.fragment
            }
            result = SQLScalar(fragment.sql + ")", fragment.arguments, kind: kind)
        }
        return result
    }

    /// The kind of a result; nil where the operator doesn't take such values and the result is always missing.
    private func resultKind(_ binary: Arithmetic.BinaryOperator, _ left: SQLKind, _ right: SQLKind) -> SQLKind? {
        switch (binary, left.isNumber, right.isNumber) {
        case (_, true, true): .number
        case (.add, false, true) where left == .date, (.subtract, false, true) where left == .date: .date
        case (.add, true, false) where right == .date: .date
        case (.subtract, false, false) where left == .date && right == .date: .number
        default: nil
        }
    }

    private func cast(_ arguments: [SQLScalar]) throws -> SQLScalar {
        guard arguments.count == 2, case .string(let name)? = arguments[1].constant,
            let casting = Casting(rawValue: name)
        else { throw PredicateSQLProblem("CAST needs a type that is a literal") }
        let kind: SQLKind =
            switch casting {
            case .date: .date
            case .number, .decimal: .number
            case .string, .url: .string
            case .uuid: .uuid
            case .data: .data
            }
        return try call(.cast, arguments, kind: kind)
    }

    private func conditional(
        _ predicate: NSPredicate, _ then: NSExpression, _ otherwise: NSExpression, _ scope: SQLScope
    ) throws -> SQLScalar {
        let condition = try condition(predicate, in: scope)
        let then = try scalar(then, in: scope).usable()
        let otherwise = try scalar(otherwise, in: scope).usable()
        guard then.isNullConstant || otherwise.isNullConstant || then.kind.isComparable(to: otherwise.kind) else {
            throw PredicateSQLProblem("the two values of a TERNARY have to be of one kind")
        }
        // A decimal beside another number is as it is in arithmetic, where the two differ.
        let isMixed = then.kind.isNumber && otherwise.kind.isNumber && then.kind != otherwise.kind
        var fragment = SQLFragment(sql: "CASE WHEN ")
        fragment += condition.fragment
        fragment.sql += " THEN "
        fragment += isMixed ? dialect.number(then) : then.fragment
        fragment.sql += " ELSE "
        fragment += isMixed ? dialect.number(otherwise) : otherwise.fragment
        let kind: SQLKind = isMixed ? .number : (then.isNullConstant ? otherwise.kind : then.kind)
        return SQLScalar("(\(fragment.sql) END)", fragment.arguments, kind: kind)
    }
}

extension SQLKind {
    var isNumber: Bool { self == .number || self == .decimal }
}

extension UUID {
    /// The 16 bytes in the order in which a UUID is printed.
    var bytes: Data {
        let uuid = uuid
        return Data([
            uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5, uuid.6, uuid.7, uuid.8, uuid.9, uuid.10, uuid.11, uuid.12,
            uuid.13, uuid.14, uuid.15,
        ])
    }
}
