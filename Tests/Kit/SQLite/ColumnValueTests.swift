#if SQLite
    import Foundation
    import ShaleSQLite
    import Testing

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
#endif
