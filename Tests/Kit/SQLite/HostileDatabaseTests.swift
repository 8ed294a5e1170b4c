#if SQLite
    import ShaleSQLite
    import Testing

    /// Contract S-6, E-5: databases whose queries return more than the file contains.
    @Suite struct HostileDatabaseTests {
        /// A view that computes a value of 1 GB.
        @Test func aRowAboveTheLimitIsAnError() throws {
            let fixture = try SQLiteFixture()
            try fixture.run("CREATE VIEW t AS SELECT 'a' AS k, zeroblob(900000000) AS v")
            #expect(fixture.importError() == .invalidArgument)
        }

        /// A view with an infinite number of rows.
        @Test func rowsComeToAnEnd() throws {
            let fixture = try SQLiteFixture()
            try fixture.run(
                """
                CREATE VIEW t AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)
                SELECT NULL AS k, n AS v FROM r
                """)
            let source = SQLiteTable("t", at: fixture.database, keyColumn: "k", valueColumn: "v")
            let error = #expect(throws: StorageError.self) {
                try fixture.namespace.importTable(source, replacing: false, rowsMax: 1000)
            }
            #expect(error?.code == .invalidArgument)
        }
    }
#endif
