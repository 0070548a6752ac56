// Text in columns, for people.

enum TextTable {
    /// Columns as wide as their widest cell, two spaces apart; no space at the end of a line.
    static func lines(_ rows: [[String]], rightAligned: Set<Int> = []) -> [String] {
        guard let first = rows.first else { return [] }
        let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return rightAligned.contains(column) ? space + row[column] : row[column] + space
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
