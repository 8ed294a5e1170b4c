#if SQLite
    import Foundation
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

        @Test func whatIsImportedStaysAsItWas() throws {
            let fixture = try SQLiteFixture()
            try fixture.run("CREATE TABLE t(k, v); INSERT INTO t VALUES ('a', 1)")
            let before = try Data(contentsOf: URL(fileURLWithPath: fixture.database))
            _ = try fixture.importAll()
            #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.database)) == before)
            let names = try FileManager.default.contentsOfDirectory(atPath: fixture.path)
            #expect(names.sorted() == ["old.sqlite", "store"])
        }
    }
#endif
