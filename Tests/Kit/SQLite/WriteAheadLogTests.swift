#if SQLite
    import Foundation
    import GRDB
    import ShaleSQLite
    import Testing

    /// Databases in WAL mode.
    @Suite struct WriteAheadLogTests {
        /// Returns the open writer of a database whose rows are in the log and not yet in the file.
        private static func open(_ fixture: SQLiteFixture) throws -> DatabaseQueue {
            let queue = try DatabaseQueue(path: fixture.database)
            try queue.writeWithoutTransaction {
                try $0.execute(
                    sql: """
                        PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
                        CREATE TABLE t(k, v); INSERT INTO t VALUES ('a', 1);
                        """)
            }
            return queue
        }

        @Test func rowsInTheLogAreImportedBesideAWriter() throws {
            let fixture = try SQLiteFixture()
            let queue = try Self.open(fixture)
            try queue.inDatabase { database in
                try database.execute(sql: "BEGIN IMMEDIATE; INSERT INTO t VALUES ('b', 2)")
                #expect(try fixture.importAll() == ["a imported"], "what is not committed is not there")
                try database.execute(sql: "COMMIT")
            }
            #expect(try fixture.importAll() == ["a unchanged", "b imported"])
            try queue.close()
            #expect(try fixture.importAll() == ["a unchanged", "b unchanged"])
        }

        @Test func theLogOfAWriterThatDiedIsRead() throws {
            let fixture = try SQLiteFixture()
            let queue = try Self.open(fixture)
            // The files of a killed process: the database and its log.
            let copy = fixture.path + "/copy.sqlite"
            try FileManager.default.copyItem(atPath: fixture.database, toPath: copy)
            try FileManager.default.copyItem(atPath: fixture.database + "-wal", toPath: copy + "-wal")
            #expect(try fixture.importAll(copy) == ["a imported"])
            try queue.close()
        }
    }

    /// A database whose writer died in the middle of a change.
    @Suite struct InterruptedWriterTests {
        @Test func theChangeIsTakenBack() throws {
            let fixture = try SQLiteFixture()
            try fixture.run(
                """
                CREATE TABLE t(k, v);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                INSERT INTO t SELECT i, printf('old %0100d', i) FROM n;
                """)
            let copy = fixture.path + "/copy.sqlite"
            let queue = try DatabaseQueue(path: fixture.database)
            try queue.inDatabase { database in
                // The cache is so small that changed pages reach the file before the end of the transaction.
                try database.execute(sql: "PRAGMA cache_size = 5; BEGIN; UPDATE t SET v = printf('new %0100d', k)")
                try FileManager.default.copyItem(atPath: fixture.database, toPath: copy)
                try FileManager.default.copyItem(atPath: fixture.database + "-journal", toPath: copy + "-journal")
                try database.execute(sql: "ROLLBACK")
            }
            try queue.close()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
            try #require(bytes.range(of: Data("new 0".utf8)) != nil, "the copy holds a part of the change")

            #expect(try fixture.importAll(copy).count == 1000)
            for entry in try fixture.namespace.entries.array() {
                #expect(try entry.value(as: String.self).hasPrefix("old "))
            }
        }
    }
#endif
