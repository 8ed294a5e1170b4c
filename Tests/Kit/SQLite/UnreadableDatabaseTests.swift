#if SQLite
    import Foundation
    import GRDB
    import ShaleSQLite
    import Testing

    /// Missing files, tables and columns.
    @Suite struct AbsentTableTests {
        @Test func aMissingFileIsNotMade() throws {
            let fixture = try SQLiteFixture()
            #expect(fixture.importError() == .missing)
            #expect(!FileManager.default.fileExists(atPath: fixture.database))
            #expect(fixture.importError(":memory:") == .missing)
            #expect(fixture.importError(fixture.path) == .invalidArgument, "a directory")
        }

        @Test func aMissingTableOrColumnIsAnError() throws {
            let fixture = try SQLiteFixture()
            try fixture.run("CREATE TABLE t(k, v); INSERT INTO t VALUES ('a', 1)")
            #expect(fixture.importError(table: "other") == .invalidArgument)
            #expect(fixture.importError(keys: "other") == .invalidArgument)
            #expect(fixture.importError(values: "other") == .invalidArgument)
            #expect(try fixture.namespace.count() == 0)
        }

        @Test func theImportedDatabaseStaysAsItWas() throws {
            let fixture = try SQLiteFixture()
            try fixture.run("CREATE TABLE t(k, v); INSERT INTO t VALUES ('a', 1)")
            let before = try Data(contentsOf: URL(fileURLWithPath: fixture.database))
            _ = try fixture.importAll()
            #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.database)) == before)
            let names = try FileManager.default.contentsOfDirectory(atPath: fixture.path)
            #expect(names.sorted() == ["old.sqlite", "store"])
        }
    }

    /// Damaged databases, and files that are not databases.
    @Suite struct DamagedDatabaseTests {
        private static let pageBytes = 4096

        /// Makes a database with 2000 rows of 200 bytes, which fill most of its more than 100 pages.
        private static func make() throws -> SQLiteFixture {
            let fixture = try SQLiteFixture()
            try fixture.run(
                """
                PRAGMA page_size = \(pageBytes);
                CREATE TABLE t(k, v);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                INSERT INTO t SELECT i, zeroblob(200) FROM n;
                """)
            return fixture
        }

        private static func change(_ fixture: SQLiteFixture, _ change: (inout Data) -> Void) throws {
            let url = URL(fileURLWithPath: fixture.database)
            var bytes = try Data(contentsOf: url)
            change(&bytes)
            try bytes.write(to: url)
        }

        @Test func aFileThatIsNoDatabaseIsAnError() throws {
            let fixture = try SQLiteFixture()
            try Data(repeating: 0x41, count: 5000).write(to: URL(fileURLWithPath: fixture.database))
            #expect(fixture.importError() == .corruption)
        }

        @Test func aDamagedPageIsAnErrorAndWhatCameBeforeItIsThere() throws {
            let fixture = try Self.make()
            try Self.change(fixture) { bytes in
                for offset in 50 * Self.pageBytes..<51 * Self.pageBytes { bytes[offset] = 0xff }
            }
            #expect(fixture.importError() == .corruption)
            let count = try fixture.namespace.count()
            #expect(count > 0 && count < 2000)
            #expect(try fixture.namespace.data(forKey: "1") == Data(count: 200))
        }

        @Test func aFileThatWasCutIsAnError() throws {
            let fixture = try Self.make()
            try Self.change(fixture) { $0 = $0.prefix(60 * Self.pageBytes + 100) }
            #expect(fixture.importError() == .corruption)
        }
    }

    /// Databases that a writer has locked.
    @Suite struct LockedDatabaseTests {
        @Test func aWriterThatDoesNotLetGoIsAnError() throws {
            let fixture = try SQLiteFixture()
            try fixture.run("CREATE TABLE t(k, v); INSERT INTO t VALUES ('a', 1)")
            let queue = try DatabaseQueue(path: fixture.database)
            try queue.inDatabase { database in
                try database.execute(sql: "BEGIN EXCLUSIVE; INSERT INTO t VALUES ('b', 2)")
                #expect(fixture.importError(timeoutSeconds: 0.05) == .locked)
                try database.execute(sql: "ROLLBACK")
            }
            #expect(try fixture.namespace.count() == 0)
            #expect(try fixture.importAll() == ["a imported"])
            try queue.close()
        }
    }

    /// Databases whose queries return more than the file contains.
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
