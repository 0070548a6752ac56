// The examples in the help of each command. A test runs them as they stand.

enum Examples {
    /// What stands behind a command's discussion: two calls.
    static func text(_ first: String, _ second: String) -> String {
        "\n\nFor example:\n  \(first)\n  \(second)"
    }
}
