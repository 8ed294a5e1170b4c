#if SQLite
    import Foundation
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

    /// Values of every storage class.
    @Suite struct ColumnValueTests {
        @Test func eachClassHasItsType() throws {
            let fixture = try SQLiteFixture()
            try fixture.run(
                """
                CREATE TABLE t(k TEXT, v);
                INSERT INTO t VALUES ('int', 42), ('least', -9223372036854775808), ('real', 0.1), ('one', 1.0),
                    ('text', 'tea'), ('empty', ''), ('nul', 'a' || char(0) || 'b'), ('blob', x'0001ff'), ('none', x'');
                """)
            #expect(try fixture.importAll().allSatisfy { $0.hasSuffix(" imported") })
            let namespace = fixture.namespace
            #expect(try namespace.object(forKey: "int") == .int(42))
            #expect(try namespace.object(forKey: "least") == .int(.min))
            #expect(try namespace.object(forKey: "real") == .double(0.1))
            #expect(try namespace.object(forKey: "one") == .double(1))
            #expect(try namespace.object(forKey: "text") == .string("tea"))
            #expect(try namespace.object(forKey: "empty") == .string(""))
            #expect(try namespace.object(forKey: "nul") == .string("a\u{0}b"))
            #expect(try namespace.object(forKey: "blob") == .data(Data([0, 1, 0xff])))
            #expect(try namespace.object(forKey: "none") == .data(Data()))
            #expect(try namespace.count() == 9)
        }

        @Test func declaredTypesDoNotMatter() throws {
            let fixture = try SQLiteFixture()
            // A column of integers converts texts of digits to integers, and stores other texts unchanged.
            try fixture.run("CREATE TABLE t(k TEXT, v INTEGER); INSERT INTO t VALUES ('a', '7'), ('b', 'seven')")
            #expect(try fixture.importAll() == ["a imported", "b imported"])
            #expect(try fixture.namespace.object(forKey: "a") == .int(7))
            #expect(try fixture.namespace.object(forKey: "b") == .string("seven"))
        }

        @Test func nullIsNoValue() throws {
            let fixture = try SQLiteFixture()
            try fixture.run("CREATE TABLE t(k TEXT, v); INSERT INTO t VALUES ('a', NULL), ('b', 1)")
            #expect(try fixture.importAll() == ["a skipped: it is nil", "b imported"])
            #expect(try !fixture.namespace.contains("a"))
        }

        @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
        func textOfEveryEncodingIsTheSame(_ encoding: String) throws {
            let fixture = try SQLiteFixture()
            try fixture.run(
                """
                PRAGMA encoding = '\(encoding)';
                CREATE TABLE t(k TEXT, v); INSERT INTO t VALUES ('ключ', 'tea 🍵 €' || char(0) || '!');
                """)
            #expect(try fixture.importAll() == ["ключ imported"])
            #expect(try fixture.namespace.string(forKey: "ключ") == "tea 🍵 €\u{0}!")
        }
    }

    /// An error in one row affects only the outcome of that row.
    @Suite struct BadRowTests {
        @Test func textThatIsNoneIsAFailureAndNotRepaired() throws {
            let fixture = try SQLiteFixture()
            try fixture.run(
                """
                CREATE TABLE t(k, v);
                INSERT INTO t VALUES ('a', CAST(x'61ff62' AS TEXT)), (CAST(x'ff' AS TEXT), 2), ('c', 3);
                """)
            #expect(try fixture.importAll() == ["a failed: corruption", "row 2 failed: corruption", "c imported"])
            #expect(try fixture.namespace.keys.array() == ["c"])
        }

        @Test func aRowOverALimitIsAFailure() throws {
            let fixture = try SQLiteFixture()
            try fixture.run(
                """
                CREATE TABLE t(k, v);
                INSERT INTO t VALUES (zeroblob(16385), 1), (zeroblob(16384), 2), ('c', 3), ('d', zeroblob(33554433));
                """)
            let report = try fixture.importAll()
            #expect(report.count == 4)
            #expect(report[0].hasSuffix(" failed: invalidArgument"))
            #expect(report[1].hasSuffix(" imported"))
            #expect(report[2...] == ["c imported", "d failed: invalidArgument"])
            #expect(try fixture.namespace.count() == 2)
        }
    }
#endif
