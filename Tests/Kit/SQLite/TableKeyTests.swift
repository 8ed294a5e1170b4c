#if SQLite
    import ShaleSQLite
    import Testing

    /// Keys of every storage class, and rows with equal keys.
    @Suite struct TableKeyTests {
        @Test func textBlobsAndIntegersAreKeys() throws {
            let fixture = try SQLiteFixture()
            try fixture.run("CREATE TABLE t(k, v); INSERT INTO t VALUES ('a/b', 1), (-12, 2), (x'00ff', 3), ('', 4)")
            #expect(
                try fixture.importAll() == ["a/b imported", "-12 imported", "0x00ff imported", " imported"])
            #expect(try fixture.namespace.int(forKey: "-12") == 2)
            #expect(try fixture.namespace.int(forKey: [UInt8]([0, 0xff])) == 3)
            #expect(try fixture.namespace.int(forKey: "") == 4)
        }

        @Test func rowsWithoutAKeyAreNumbered() throws {
            let fixture = try SQLiteFixture()
            try fixture.run("CREATE TABLE t(k, v); INSERT INTO t VALUES ('a', 1), (NULL, 2), (1.5, 3), ('b', 4)")
            let report = try fixture.importAll()
            #expect(report.count == 4)
            #expect(report[1] == "row 2 skipped: its key is NULL")
            #expect(report[2].hasPrefix("row 3 skipped: its key is a REAL"))
            #expect(try fixture.namespace.count() == 2)
        }

        @Test(arguments: [false, true])
        func ofRowsWithOneKeyTheFirstIsImported(_ replacing: Bool) throws {
            let fixture = try SQLiteFixture()
            try fixture.run(
                """
                CREATE TABLE t(k, v);
                INSERT INTO t VALUES ('1', 'first'), (1, 'second'), (x'31', 'third');
                """)
            let other = "1 skipped: another row has the same key"
            #expect(try fixture.importAll(replacing: replacing) == ["1 imported", other, other])
            #expect(try fixture.importAll(replacing: replacing) == ["1 unchanged", other, other])
            #expect(try fixture.namespace.string(forKey: "1") == "first")
        }

        @Test func tablesAndColumnsMayHaveAnyName() throws {
            let fixture = try SQLiteFixture()
            try fixture.run(
                """
                CREATE TABLE "we""ird; name"("the key" INTEGER PRIMARY KEY, "select" TEXT);
                INSERT INTO "we""ird; name" VALUES (5, 'five');
                CREATE VIEW "of it" AS SELECT "the key" AS k, upper("select") AS v FROM "we""ird; name";
                """)
            #expect(
                try fixture.importAll(table: "we\"ird; name", keys: "the key", values: "select") == ["5 imported"])
            #expect(try fixture.namespace.string(forKey: "5") == "five")
            #expect(try fixture.importAll(table: "of it", replacing: true) == ["5 imported"])
            #expect(try fixture.namespace.string(forKey: "5") == "FIVE")
        }
    }
#endif
