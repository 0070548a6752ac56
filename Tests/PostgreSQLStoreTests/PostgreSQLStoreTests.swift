#if PostgreSQL

    import Testing
    @testable import PostgreSQLStore

    @Suite struct VersionTests {
        @Test func `there is a version`() { #expect(version() > 0) }
    }

#endif
