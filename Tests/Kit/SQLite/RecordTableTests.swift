#if SQLite
    import Foundation
    import GRDB
    import Shale
    import ShaleBase
    import ShaleCollections
    import ShaleSQLite
    import Testing

    /// Tables as records of collections.
    @Suite struct RecordTableTests {
        struct Person: Codable, Sendable, Equatable {
            var id: Int
            var name: String
            var email: String?
            var height: Double?
            var isActive: Bool?
            var since: Date?
            var token: UUID?
            var photo: Data?

            static let schema = RecordSchema<Person>(
                key: \.id,
                fields: [
                    RecordField("id", \.id), RecordField("name", \.name), RecordField("email", \.email, .unique),
                    RecordField("height", \.height), RecordField("isActive", \.isActive), RecordField("since", \.since),
                    RecordField("token", \.token), RecordField("photo", \.photo),
                ])
        }

        private let fixture: SQLiteFixture
        private let people: RecordCollection<Person>

        init() throws {
            fixture = try SQLiteFixture()
            people = try fixture.store.common.collection(Person.schema)
        }

        private static let columns = "id, name TEXT, email, height, isActive, since, token, photo"

        @Test func rowsBecomeRecordsByTheKindsOfTheirFields() throws {
            try fixture.run(
                """
                CREATE TABLE person (\(Self.columns));
                INSERT INTO person VALUES
                    (1, 'Ada', 'a@x', 1.7, 1, 0, '01020304-0506-0708-090A-0B0C0D0E0F10', x'00ff'),
                    (2, 'Bo', NULL, 2, 0, '1970-01-01 00:00:01', x'0102030405060708090A0B0C0D0E0F10', NULL),
                    (3, 'Cy', NULL, NULL, NULL, '1970-01-02', NULL, NULL);
                """)
            #expect(try people.importSQLiteTable("person", at: fixture.database).imported == 3)
            let token = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
            #expect(
                try people.query().records() == [
                    Person(
                        id: 1, name: "Ada", email: "a@x", height: 1.7, isActive: true,
                        since: Date(timeIntervalSince1970: 0), token: token, photo: Data([0, 255])),
                    Person(
                        id: 2, name: "Bo", height: 2, isActive: false, since: Date(timeIntervalSince1970: 1),
                        token: token),
                    Person(id: 3, name: "Cy", since: Date(timeIntervalSince1970: 86_400)),
                ])
            #expect(try people.importSQLiteTable("person", at: fixture.database).imported == 3)
            #expect(try people.count() == 3)
            #expect(try people.verify().isSound)
        }

        @Test func rowsThatAreNoRecordsAreReported() throws {
            try fixture.run(
                """
                CREATE TABLE person (\(Self.columns));
                INSERT INTO person (id, name, email, isActive) VALUES
                    (1, 'Ada', 'a@x', 1), (2, NULL, NULL, 1), ('x', 'Bo', NULL, 1), (4, 'Cy', 'a@x', 1),
                    (5, 'Di', NULL, 2), (6, 'Ed', NULL, 0);
                """)
            let report = try people.importSQLiteTable("person", at: fixture.database)
            #expect(report.imported == 2 && report.failed == 4)
            #expect(report.failures.map(\.position) == [1, 2, 3, 4])
            #expect(
                report.failures.map(\.error.code)
                    == [.codecFailure, .typeMismatch, .constraintViolated, .typeMismatch])
        }

        @Test func columnsHaveOtherNames() throws {
            try fixture.run("CREATE TABLE t (pk, \"full name\"); INSERT INTO t VALUES (7, 'Ada');")
            let report = try people.importSQLiteTable(
                "t", at: fixture.database, columns: ["id": "pk", "name": "full name"])
            #expect(report.imported == 1)
            #expect(try people.find(7) == Person(id: 7, name: "Ada"))
        }

        @Test func aNameThatIsNoFieldAndAMissingColumnAreErrors() throws {
            try fixture.run("CREATE TABLE t (id, name); INSERT INTO t VALUES (7, 'Ada');")
            for columns in [["height": "id", "hight": "name"], ["id": "id", "name": "nom"], [:]] {
                #expect(throws: StorageError.self) {
                    try people.importSQLiteTable("t", at: fixture.database, columns: columns)
                }
            }
            #expect(throws: StorageError.self) { try people.importSQLiteTable("t", at: fixture.database) }
            #expect(try people.count() == 0)
        }
    }
#endif
