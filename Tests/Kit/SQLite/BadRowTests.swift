#if SQLite
    import ShaleSQLite
    import Testing

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

        @Test func whatIsOverALimitIsAFailure() throws {
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
