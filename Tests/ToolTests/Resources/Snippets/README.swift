@MainActor func README_page() throws {
    // snippet
}
