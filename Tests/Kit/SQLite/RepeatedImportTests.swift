#if SQLite
    import ShaleSQLite
    import Testing

    /// An import can be repeated.
    @Suite struct RepeatedImportTests {
        @Test func valuesChangedSinceAreKeptUnlessToBeReplaced() throws {
            let fixture = try SQLiteFixture()
            try fixture.run("CREATE TABLE t(k, v); INSERT INTO t VALUES ('a', 1), ('b', 2)")
            #expect(try fixture.importAll() == ["a imported", "b imported"])
            #expect(try fixture.importAll() == ["a unchanged", "b unchanged"])
            try fixture.namespace.set(10, forKey: "a")
            #expect(try fixture.importAll() == ["a skipped: the key already has another value", "b unchanged"])
            #expect(try fixture.namespace.int(forKey: "a") == 10)
            #expect(try fixture.importAll(replacing: true) == ["a imported", "b unchanged"])
            #expect(try fixture.namespace.int(forKey: "a") == 1)
        }

        @Test func anInterruptedImportIsCompleted() throws {
            let fixture = try SQLiteFixture()
            try fixture.run("CREATE TABLE t(k, v); INSERT INTO t VALUES ('a', 1), ('b', 'two'), ('c', 3)")
            try fixture.namespace.set("two", forKey: "b")
            #expect(try fixture.importAll() == ["a imported", "b unchanged", "c imported"])
        }

        @Test func thePublicCallDoesTheSame() throws {
            let fixture = try SQLiteFixture()
            try fixture.run("CREATE TABLE t(k, v); INSERT INTO t VALUES ('a', 1)")
            let report = try fixture.namespace.importSQLiteTable(
                "t", at: fixture.database, keyColumn: "k", valueColumn: "v")
            #expect(report.importedCount == 1 && report.entries.map(\.key) == ["a"])
        }
    }
#endif
