#if SQLite
    import GRDB
    import ShaleSQLite
    import Testing

    @Suite struct SQLiteSamples {
        @Test func aTableIsImported() throws {
            let place = try TemporaryPlace()
            defer { place.remove() }
            let store = try Store(at: place.path + "/store")
            let file = place.path + "/old.sqlite"
            let database = try DatabaseQueue(path: file)
            try database.write {
                try $0.execute(sql: "CREATE TABLE cache(name TEXT, body)")
                try $0.execute(sql: "INSERT INTO cache VALUES ('a', 1), ('b', x'00')")
            }
            try database.close()
            let cache = store.common["cache"]
            let report = try cache.importSQLiteTable("cache", at: file, keyColumn: "name", valueColumn: "body")
            print("\(report.importedCount) imported, \(report.skippedCount) skipped, \(report.failedCount) failed")
            #expect(report.importedCount == 2)
            try store.close()
        }
    }
#endif
