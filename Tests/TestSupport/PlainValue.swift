// What a column of SQLite has, to be compared with what was made of it.

package import Foundation
package import GRDB

/// A value as SQLite has it, numbers of either kind alike.
package enum PlainValue: Hashable {
    case number(Double)
    case text(String)
    case bytes(Data)

    package init?(_ value: DatabaseValue) {
        switch value.storage {
        case .null: return nil
        case .int64(let value): self = .number(Double(value))
        case .double(let value): self = .number(value)
        case .string(let text): self = .text(text)
        case .blob(let bytes): self = .bytes(bytes)
        }
    }
}
