#if SQLite
    import GRDB
    import ShaleSQLite
    import Testing

    /// Databases that a writer has locked.
    @Suite struct LockedDatabaseTests {
        @Test func aWriterThatDoesNotLetGoIsAnError() throws {
            let fixture = try SQLiteFixture()
            try fixture.run("CREATE TABLE t(k, v); INSERT INTO t VALUES ('a', 1)")
            let queue = try DatabaseQueue(path: fixture.database)
            try queue.inDatabase { database in
                try database.execute(sql: "BEGIN EXCLUSIVE; INSERT INTO t VALUES ('b', 2)")
                #expect(fixture.importError(patienceSeconds: 0.05) == .locked)
                try database.execute(sql: "ROLLBACK")
            }
            #expect(try fixture.namespace.count() == 0)
            #expect(try fixture.importAll() == ["a imported"])
            try queue.close()
        }
    }
#endif
