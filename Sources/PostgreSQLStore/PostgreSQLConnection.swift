// A connection and the result of a statement: all calls of libpq, and with them all unsafe code of the module.

#if PostgreSQL

    import CPostgreSQL
    import Foundation

    /// Why a statement or a connection failed.
    struct PostgreSQLFailure: Error {
        /// SQLSTATE; empty where the failure isn't the server's.
        var state = ""
        var message: String
        var detail: String?
        var constraint: String?
        /// Whether the connection is gone, and with it the transaction.
        var isLost = false

        init(_ message: String) { self.message = message }

        /// Whether the transaction has to be run again because of others', and may be.
        var isRetryable: Bool { ["40001", "40P01"].contains(state) }
    }

    /// A connection to a server. One thread at a time uses it.
    @safe final class PostgreSQLConnection: @unchecked Sendable {
        // Safe to send: whoever takes a connection from the pool has it alone.
        // Safe: the handle lives as long as this object, and only this object finishes it.
        private let handle: OpaquePointer
        /// What tells the connection from all others that there ever are.
        let identifier = UUID().uuidString

        /// - Throws: ``PostgreSQLFailure`` that is ``PostgreSQLFailure/isLost``.
        init(_ address: PostgreSQLAddress, statementTimeout seconds: TimeInterval) throws {
            guard let made = unsafe PQconnectdb(address.connection) else {
                throw PostgreSQLFailure("there is no memory for a connection")
            }
            unsafe handle = made
            guard unsafe PQstatus(made) == CONNECTION_OK else {
                var failure = PostgreSQLFailure(address.redacted(message))
                failure.isLost = true
                throw failure
            }
            // What the server notes ("already exists, skipping") is no concern of the terminal.
            unsafe PQsetNoticeProcessor(made, { _, _ in }, nil)
            try execute(
                "SELECT set_config('client_encoding', 'UTF8', false), set_config('statement_timeout', $1, false), "
                    + "set_config('search_path', $2, false)",
                [.text("\(Int(min(seconds * 1000, 2_000_000_000)))"), .text("\(address.quotedSchema), pg_catalog")])
        }

        deinit { unsafe PQfinish(handle) }

        /// Whether the server can't be reached over it any more.
        var isBroken: Bool { unsafe PQstatus(handle) != CONNECTION_OK }

        /// Whether a transaction is open.
        var isInTransaction: Bool { unsafe PQtransactionStatus(handle) != PQTRANS_IDLE }

        /// What libpq says, on one line.
        private var message: String {
            let text = unsafe PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
            return text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
                .joined(separator: " ")
        }

        /// Runs one statement.
        ///
        /// - Throws: ``PostgreSQLFailure``.
        @discardableResult
        func execute(_ sql: String, _ parameters: [PostgreSQLParameter] = []) throws -> PostgreSQLResult {
            guard parameters.count <= 65_535 else {
                throw PostgreSQLFailure("a statement has \(parameters.count) parameters, where 65535 are possible")
            }
            var bytes: [UInt8] = []
            var places: [(start: Int, count: Int)?] = []
            for parameter in parameters {
                let start = bytes.count
                guard parameter.append(to: &bytes) else {
                    places.append(nil)
                    continue
                }
                places.append((start, bytes.count - start))
                // Those in text form end in a zero.
                bytes.append(0)
            }
            let types = parameters.map { Oid($0.type.rawValue) }
            let lengths = places.map { Int32(clamping: $0?.count ?? 0) }
            let formats = parameters.map(\.format)
            let result = unsafe bytes.withUnsafeBytes { buffer in
                // Safe: each place is within the buffer, which lives until libpq has sent it.
                let base = unsafe buffer.bindMemory(to: CChar.self).baseAddress
                let values = unsafe places.map { place in
                    unsafe place.flatMap { place in unsafe base.map { unsafe $0 + place.start } }
                }
                return unsafe PQexecParams(
                    handle, sql, Int32(parameters.count), types, values, lengths, formats, 1)
            }
            guard let result = unsafe result else { throw failure() }
            return try unsafe PostgreSQLResult(taking: result) { self.failure() }
        }

        /// What others have notified of; waits for it at most so long.
        ///
        /// - Throws: ``PostgreSQLFailure`` where the connection is lost.
        func notifications(timeout seconds: TimeInterval) throws -> [String] {
            var place = pollfd(fd: unsafe PQsocket(handle), events: Int16(POLLIN), revents: 0)
            unsafe poll(&place, 1, Int32(seconds * 1000))
            guard place.fd >= 0, unsafe PQconsumeInput(handle) == 1 else { throw failure() }
            var payloads: [String] = []
            while let notification = unsafe PQnotifies(handle) {
                // Safe: libpq made it, with texts that end in zero, and nobody else frees it.
                payloads.append(unsafe String(cString: notification.pointee.extra))
                unsafe PQfreemem(notification)
            }
            return payloads
        }

        private func failure() -> PostgreSQLFailure {
            var failure = PostgreSQLFailure(message)
            failure.isLost = isBroken
            return failure
        }
    }

    /// What a statement has answered. Rows and columns count from 0.
    @safe final class PostgreSQLResult {
        // Safe: only this object clears it, when it goes.
        private let handle: OpaquePointer
        let rowCount: Int
        let columnCount: Int
        private let types: [UInt32]

        fileprivate init(taking result: OpaquePointer, failure: () -> PostgreSQLFailure) throws {
            unsafe handle = unsafe result
            rowCount = Int(unsafe PQntuples(result))
            columnCount = Int(unsafe PQnfields(result))
            types = (0..<Int32(columnCount)).map { unsafe PQftype(result, $0) }
            let status = unsafe PQresultStatus(result)
            if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK { return }
            var failure = failure()
            func field(_ code: Character) -> String? {
                unsafe PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { unsafe String(cString: $0) }
            }
            failure.state = field("C") ?? ""
            failure.message = field("M") ?? failure.message
            failure.detail = field("D")
            failure.constraint = field("n")
            // The server says goodbye before it goes: administrators, crashes, shutdowns.
            if failure.state.hasPrefix("57P") || failure.state.hasPrefix("08") { failure.isLost = true }
            throw failure
        }

        deinit { unsafe PQclear(handle) }

        /// How many rows an INSERT, UPDATE or DELETE has touched.
        var touched: Int { Int(unsafe String(cString: PQcmdTuples(handle))) ?? 0 }

        /// A value, by the type of its column.
        ///
        /// - Throws: ``PostgreSQLFailure`` for a type that no store has, and bytes that aren't of their type.
        func value(_ row: Int, _ column: Int) throws -> PostgreSQLValue {
            guard (0..<rowCount).contains(row), (0..<columnCount).contains(column) else {
                throw PostgreSQLFailure("row \(row), column \(column) of \(rowCount) and \(columnCount) was asked for")
            }
            let (row32, column32) = (Int32(row), Int32(column))
            if unsafe PQgetisnull(handle, row32, column32) != 0 { return .null }
            // Safe: libpq says how many bytes there are, and keeps them until the result is cleared.
            let bytes = unsafe UnsafeRawBufferPointer(
                start: PQgetvalue(handle, row32, column32), count: Int(PQgetlength(handle, row32, column32)))
            guard let type = PostgreSQLType(rawValue: types[column]) else {
                throw PostgreSQLFailure("column \(column) is of the type \(types[column]), which no store has")
            }
            guard let value = PostgreSQLValue(type, unsafe Array(bytes)) else {
                throw PostgreSQLFailure(
                    "column \(column) has \(bytes.count) bytes that are no \(type.declaration)")
            }
            return value
        }

        /// The value of a column that holds whole numbers; nil for none.
        func integer(_ row: Int, _ column: Int) throws -> Int64? {
            if case .integer(let value) = try value(row, column) { value } else { nil }
        }

        func text(_ row: Int, _ column: Int) throws -> String? {
            if case .text(let value) = try value(row, column) { value } else { nil }
        }
    }

    extension PostgreSQLParameter {
        /// 1 for PostgreSQL's binary form, 0 for text.
        fileprivate var format: Int32 { if case .numeric = value { 0 } else { 1 } }

        /// - Returns: False for no value.
        fileprivate func append(to bytes: inout [UInt8]) -> Bool {
            func append(_ number: UInt64) {
                for shift in stride(from: 56, through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
                }
            }
            switch value {
            case .null: return false
            case .boolean(let value): bytes.append(value ? 1 : 0)
            case .integer(let value), .timestamp(let value): append(UInt64(bitPattern: value))
            case .real(let value): append(value.bitPattern)
            case .text(let value), .numeric(let value): bytes += value.utf8
            case .bytes(let value): bytes += value
            case .uuid(let value): withUnsafeBytesOfUUID(value) { bytes += $0 }
            }
            return true
        }

        private func withUnsafeBytesOfUUID(_ uuid: UUID, _ body: ([UInt8]) -> Void) {
            let u = uuid.uuid
            body([u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15])
        }
    }

    extension PostgreSQLValue {
        /// Nil for bytes that aren't of the type.
        fileprivate init?(_ type: PostgreSQLType, _ bytes: [UInt8]) {
            var number: UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
            switch (type, bytes.count) {
            case (.boolean, 1): self = .boolean(bytes[0] != 0)
            case (.bytes, _): self = .bytes(Data(bytes))
            case (.integer, 8): self = .integer(Int64(bitPattern: number))
            case (.mediumInteger, 4): self = .integer(Int64(Int32(truncatingIfNeeded: number)))
            case (.smallInteger, 2): self = .integer(Int64(Int16(truncatingIfNeeded: number)))
            case (.real, 8): self = .real(Double(bitPattern: number))
            case (.float, 4): self = .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: number))))
            case (.timestamp, 8): self = .timestamp(Int64(bitPattern: number))
            case (.text, _), (.varchar, _), (.name, _):
                guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
                self = .text(text)
            case (.uuid, 16):
                guard let uuid = UUID(bytes: bytes) else { return nil }
                self = .uuid(uuid)
            case (.numeric, _):
                guard let digits = Self.digits(bytes) else { return nil }
                self = .numeric(digits)
            default: return nil
            }
        }

        /// PostgreSQL's numeric: the number of groups of four digits, the weight of the first in groups, the sign, the number of
        /// digits behind the point, the groups.
        private static func digits(_ bytes: [UInt8]) -> String? {
            guard bytes.count >= 8, bytes.count % 2 == 0 else { return nil }
            let words = stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
            let (count, weight) = (words[0], Int(Int16(truncatingIfNeeded: words[1])))
            switch words[2] {
            case 0, 0x4000: break
            case 0xC000: return "NaN"
            default: return nil
            }
            guard words.count == 4 + count else { return nil }
            var text = words[2] == 0x4000 ? "-" : ""
            func group(_ index: Int) -> String {
                let digits = String(index < 0 || index >= count ? 0 : words[4 + index])
                return String(repeating: "0", count: 4 - min(digits.count, 4)) + digits
            }
            text += weight < 0 ? "0" : (0...weight).map(group).joined()
            if words[3] > 0 {
                let groups = (words[3] + 3) / 4
                text += "." + (0..<groups).map { group(weight + 1 + $0) }.joined().prefix(words[3])
            }
            return text
        }
    }

#endif
