#if SQLite
    import Foundation
    import GRDB
    import ShaleSQLite
    import Testing

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
            for entry in fixture.namespace.entries {
                #expect(try entry.get().value(as: String.self).hasPrefix("old "))
            }
        }
    }
#endif
