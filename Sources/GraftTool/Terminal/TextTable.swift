// Text in columns, for people.

enum TextTable {
    /// Columns as wide as their widest cell, two spaces apart; no space behind a line's last cell.
    static func lines(_ rows: [[String]], rightAligned: Set<Int> = []) -> [String] {
        guard let first = rows.first else { return [] }
        let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            var gap = 0
            for (column, cell) in row.enumerated() {
                let space = widths[column] - cell.count
                let isRight = rightAligned.contains(column)
                if isRight { gap += space }
                if !cell.isEmpty {
                    line += String(repeating: " ", count: gap) + cell
                    gap = 0
                }
                gap += isRight ? 2 : space + 2
            }
            return line
        }
    }
}
