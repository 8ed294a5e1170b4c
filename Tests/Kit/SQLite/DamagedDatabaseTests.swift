#if SQLite
    import Foundation
    import ShaleSQLite
    import Testing

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

        @Test func whatIsNoDatabaseIsAnError() throws {
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
#endif
