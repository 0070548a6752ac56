// Derived attributes, kept by the server, so that other programs that write keep them as well. What a row's own values give is set
// as the row is written; what comes from other rows is computed when a statement has touched them, which may touch others in turn.
//
//     CREATE FUNCTION "app"."_derived_0003_row"() ... NEW."folded" := (SELECT ... FROM (SELECT NEW.*) AS t0)
//     CREATE FUNCTION "app"."_derived_0003"(bigint[]) ... UPDATE "app"."book" ... WHERE ... IS DISTINCT FROM ...
//     CREATE FUNCTION "app"."_derived_0003_1"() ... PERFORM "app"."_derived_0003"(ARRAY(SELECT ... FROM added ...))

#if PostgreSQL

    import CoreData

    /// Makes the functions and triggers for the derived attributes of one schema.
    struct PostgreSQLDerivedAttributes {
        /// The attributes that an entity declares.
        private struct Group {
            let entity: SQLEntity
            let moments: [SQLComputedAttribute]
            /// Computed from the row's own columns, each after those that it is computed from.
            let own: [SQLComputedAttribute]
            let others: [SQLComputedAttribute]

            /// A row's triggers run in the order of their names: those of a super-entity first.
            var name: String { "_derived_" + String("000\(entity.number)".suffix(max(4, "\(entity.number)".count))) }
        }

        private let address: PostgreSQLAddress
        private let groups: [Group]

        /// - Throws: ``SQLSchemaError`` naming an attribute that can't be kept.
        init(_ schema: SQLSchema, _ address: PostgreSQLAddress) throws {
            self.address = address
            let all = Dictionary(grouping: try schema.derivedAttributes(), by: \.entity.number)
            groups = try all.sorted { $0.key < $1.key }.map { _, attributes in
                let values = attributes.filter { !$0.isMoment }
                return Group(
                    entity: attributes[0].entity, moments: attributes.filter(\.isMoment),
                    own: try Self.ordered(values.filter { $0.ownColumns != nil }),
                    others: values.filter { $0.ownColumns == nil })
            }
        }

        /// Attributes such that none stands before what it is computed from.
        private static func ordered(_ attributes: [SQLComputedAttribute]) throws -> [SQLComputedAttribute] {
            var (result, rest) = ([SQLComputedAttribute](), attributes)
            while !rest.isEmpty {
                let waiting = Set(rest.map(\.column))
                let ready = rest.filter { waiting.isDisjoint(with: $0.ownColumns ?? []) }
                if ready.isEmpty {
                    throw SQLSchemaError(
                        .unsupported(
                            what: "Derived attribute \(rest[0])",
                            reason: "it is computed from itself, by way of "
                                + rest.map(\.description).joined(separator: ", ")))
                }
                result += ready
                let done = Set(ready.map(\.column))
                rest.removeAll { done.contains($0.column) }
            }
            return result
        }

        // MARK: Statements

        /// Makes the functions and triggers, of tables that are there.
        func statements() throws -> [String] {
            try groups.flatMap { try rowStatements($0) + otherStatements($0) }
        }

        /// Computes what there is no value of yet in rows that were written without triggers.
        var computation: [String] {
            groups.flatMap { group -> [String] in
                let table = group.entity.table
                let ofRows = group.others.isEmpty ? [] : ["SELECT \(call(group, "SELECT _id FROM \(table)"))"]
                let touch =
                    group.own.isEmpty && group.moments.isEmpty ? [] : ["UPDATE \(table) SET _version = _version"]
                return touch + ofRows
            }
        }

        /// Drops all functions and triggers of a store, of whatever model they are.
        static func drop(_ address: PostgreSQLAddress, _ connection: PostgreSQLConnection) throws {
            let functions = try connection.execute(
                "SELECT p.oid::regprocedure::text FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace "
                    + "WHERE n.nspname = $1 AND p.proname LIKE '\\_derived\\_%'", [.text(address.schema)])
            for row in 0..<functions.rowCount {
                try connection.execute("DROP FUNCTION \(try functions.text(row, 0) ?? "") CASCADE")
            }
        }

        private func function(_ name: String, _ arguments: String, returns type: String, _ body: String) -> String {
            "CREATE FUNCTION \(address.qualified(name))(\(arguments)) RETURNS \(type) LANGUAGE plpgsql "
                + "SET search_path = \(address.quotedSchema), pg_temp AS "
                + PostgreSQLParameter.quoted("BEGIN \(body) END")
        }

        private func call(_ group: Group, _ ids: String) -> String {
            "\(address.qualified(group.name))(ARRAY(\(ids)))"
        }

        // MARK: A row's own values

        private func rowStatements(_ group: Group) throws -> [String] {
            if group.moments.isEmpty, group.own.isEmpty { return [] }
            // What is computed anew because of other rows isn't saved by anybody.
            let moments = group.moments.map { moment in
                "IF TG_OP = 'INSERT' OR NEW.\(moment.column) IS NULL THEN NEW.\(moment.column) := statement_timestamp(); "
                    + "ELSIF NEW._version <> OLD._version THEN NEW.\(moment.column) := statement_timestamp(); END IF;"
            }
            let own = try group.own.map { attribute in
                var select = attribute.newSelect
                let value = try attribute.value(&select).inlined()
                return "NEW.\(attribute.column) := (SELECT \(value) FROM (SELECT NEW.*) AS t0);"
            }
            let condition = group.entity.rowCondition(includingSubentities: true).map { "NEW.\($0)" } ?? "TRUE"
            let body = "IF \(condition) THEN \((moments + own).joined(separator: " ")) END IF; RETURN NEW;"
            let name = "\(group.name)_row"
            return [
                function(name, "", returns: "trigger", body),
                "CREATE TRIGGER \(name) BEFORE INSERT OR UPDATE ON \(group.entity.table) FOR EACH ROW "
                    + "EXECUTE FUNCTION \(address.qualified(name))()",
            ]
        }

        // MARK: Values from other rows

        private func otherStatements(_ group: Group) throws -> [String] {
            if group.others.isEmpty { return [] }
            var watched: [String: [String: [String]]] = [:]
            func watch(_ table: String, _ event: String, _ ids: String) {
                if watched[table]?[event]?.contains(ids) ?? false { return }
                watched[table, default: [:]][event, default: []].append(ids)
            }
            watch(group.entity.table, "INSERT", "SELECT _id FROM added")
            for source in group.others.flatMap(\.sources) { Self.watch(source, group.entity, watch) }
            var statements = [function(group.name, "bigint[]", returns: "void", try settling(group))]
            for (number, (table, events)) in watched.sorted(by: { $0.key < $1.key }).enumerated() {
                let name = "\(group.name)_\(number + 1)"
                let events = events.sorted { $0.key < $1.key }
                let branches = events.map { event, ids in
                    "IF TG_OP = '\(event)' THEN PERFORM \(call(group, ids.joined(separator: " UNION "))); END IF;"
                }
                statements.append(
                    function(name, "", returns: "trigger", branches.joined(separator: " ") + " RETURN NULL;"))
                for (event, _) in events {
                    let rows = [
                        event == "INSERT" ? nil : "OLD TABLE AS removed",
                        event == "DELETE" ? nil : "NEW TABLE AS added",
                    ]
                    statements.append(
                        "CREATE TRIGGER \(name)_\(event.lowercased()) AFTER \(event) ON \(table) "
                            + "REFERENCING \(rows.compactMap { $0 }.joined(separator: " ")) FOR EACH STATEMENT "
                            + "EXECUTE FUNCTION \(address.qualified(name))()")
                }
            }
            return statements
        }

        /// Says which rows have to be computed after which event of which table.
        private static func watch(
            _ source: SQLComputedAttribute.Source, _ entity: SQLEntity, _ watch: (String, String, String) -> Void
        ) {
            let both = "FROM removed AS o JOIN added AS n ON n._id = o._id"
            switch source {
            case .save: break
            case .ownColumn(let column):
                watch(entity.table, "UPDATE", "SELECT n._id \(both) WHERE n.\(column) IS DISTINCT FROM o.\(column)")
            case .toOne(let other, let reference, let column):
                let referring = "JOIN \(entity.table) AS r ON r.\(reference) = n._id"
                watch(other, "INSERT", "SELECT r._id FROM added AS n \(referring)")
                watch(
                    other, "UPDATE",
                    "SELECT r._id \(both) \(referring) WHERE n.\(column) IS DISTINCT FROM o.\(column)")
            case .members(let members, let owner, let column):
                watch(members, "INSERT", "SELECT added.\(owner) FROM added")
                watch(members, "DELETE", "SELECT removed.\(owner) FROM removed")
                let changed = [owner, column].compactMap { $0 }.map { "n.\($0) IS DISTINCT FROM o.\($0)" }
                watch(
                    members, "UPDATE",
                    "SELECT unnest(ARRAY[o.\(owner), n.\(owner)]) \(both) WHERE \(changed.joined(separator: " OR "))")
            case .joined(let join, let owner, let member, let members, let column, let isReflexive):
                for end in isReflexive ? [owner, member] : [owner] {
                    watch(join, "INSERT", "SELECT added.\(end) FROM added")
                    watch(join, "DELETE", "SELECT removed.\(end) FROM removed")
                    guard let column else { continue }
                    watch(
                        members, "UPDATE",
                        "SELECT j.\(end) \(both) JOIN \(join) AS j ON j.\(end == owner ? member : owner) = n._id "
                            + "WHERE n.\(column) IS DISTINCT FROM o.\(column)")
                }
            }
        }

        /// Computes the rows `$1`. Each statement sees what is committed when it begins, so that what others have done to the same
        /// rows meanwhile is in it once their rows are locked.
        private func settling(_ group: Group) throws -> String {
            let table = group.entity.table
            let condition = group.entity.rowCondition(includingSubentities: true).map { " AND \($0)" } ?? ""
            // A statement that touches no row has its triggers, too.
            var steps = [
                "IF cardinality($1) = 0 THEN RETURN; END IF;",
                "IF pg_trigger_depth() > \(Self.depthLimit) THEN RAISE EXCEPTION USING MESSAGE = "
                    + PostgreSQLParameter.quoted(Self.circle(group)) + "; END IF;",
                "PERFORM 1 FROM \(table) WHERE _id = ANY ($1)\(condition) ORDER BY _id FOR NO KEY UPDATE;",
            ]
            for (table, keys) in Self.read(group) {
                steps.append("PERFORM 1 FROM \(table) WHERE _id IN (\(keys)) ORDER BY _id FOR SHARE;")
            }
            var select = group.others[0].newSelect
            var columns = SQLFragment(sql: "t0._id AS k")
            for (index, attribute) in group.others.enumerated() {
                columns.sql += ", "
                columns += try attribute.value(&select)
                columns.sql += " AS c\(index)"
            }
            select.add(condition: SQLFragment(sql: "t0._id = ANY ($1)"))
            let values = try select.statement(columns: columns).inlined()
            let pairs = group.others.enumerated().map { (column: $1.column, value: "v.c\($0)") }
            let sets = pairs.map { "\($0.column) = \($0.value)" }.joined(separator: ", ")
            let differ = pairs.map { "t.\($0.column) IS DISTINCT FROM \($0.value)" }.joined(separator: " OR ")
            steps.append("UPDATE \(table) AS t SET \(sets) FROM (\(values)) AS v WHERE t._id = v.k AND (\(differ));")
            return steps.joined(separator: " ")
        }

        /// Values that depend on each other go from row to row; the server's stack (`max_stack_depth`, 2 MB unless it is told
        /// otherwise) has room for some more.
        private static let depthLimit = 100

        private static func circle(_ group: Group) -> String {
            "The derived attributes \(group.others.map(\.description).joined(separator: ", ")) depend on each other in a circle "
                + "that never comes to rest, or over more than \(depthLimit) rows. Change the expressions, or the relationships."
        }

        /// The rows, other than members that refer to their owner, that values are computed from: who changes one of them while it
        /// is read here wouldn't see what is computed from it.
        private static func read(_ group: Group) -> [(table: String, keys: String)] {
            var result: [(table: String, keys: String)] = []
            for source in group.others.flatMap(\.sources) {
                switch source {
                case .toOne(let other, let reference, _):
                    result.append(
                        (other, "SELECT r.\(reference) FROM \(group.entity.table) AS r WHERE r._id = ANY ($1)"))
                case .joined(let join, let owner, let member, let members, _?, let isReflexive):
                    var keys = "SELECT j.\(member) FROM \(join) AS j WHERE j.\(owner) = ANY ($1)"
                    if isReflexive { keys += " UNION SELECT j.\(owner) FROM \(join) AS j WHERE j.\(member) = ANY ($1)" }
                    result.append((members, keys))
                case .save, .ownColumn, .members, .joined: break
                }
            }
            return result
        }
    }

    extension SQLComputedAttribute {
        /// The columns that a value is computed from; nil where other rows, or which they are, matter too.
        fileprivate var ownColumns: [String]? {
            let columns = sources.compactMap { source in
                if case .ownColumn(let column) = source { column } else { nil }
            }
            return columns.count == sources.count ? columns : nil
        }
    }

#endif
