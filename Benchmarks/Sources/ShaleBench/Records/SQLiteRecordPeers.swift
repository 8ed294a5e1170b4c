import Foundation
import GRDB
import SystemSQLite

/// The table that both interfaces of SQLite use.
private enum PeopleTable {
    static let create = [
        "CREATE TABLE IF NOT EXISTS people "
            + "(id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, age INTEGER NOT NULL, city TEXT NOT NULL)",
        "CREATE UNIQUE INDEX IF NOT EXISTS byEmail ON people (email)",
        "CREATE INDEX IF NOT EXISTS byAge ON people (age)",
    ]
    static let insert = "INSERT INTO people VALUES (?1, ?2, ?3, ?4, ?5)"
    static let byEmail = "SELECT id, name, email, age, city FROM people WHERE email = ?1"
    static let fromAge = "SELECT id, name, email, age, city FROM people WHERE age >= ?1 ORDER BY age, id LIMIT ?2"
    static let setAge = "UPDATE people SET age = ?1 WHERE id = ?2"
    static let countAge = "SELECT count(*) FROM people WHERE age = ?1"
    static let indexNames = "CREATE INDEX byName ON people (name)"
}

/// SQLite with prepared statements.
final class SQLiteRecordPeer: RecordPeer {
    private struct Statements {
        let connection: SQLiteConnection
        let insert: SQLiteStatement
        let byEmail: SQLiteStatement
        let fromAge: SQLiteStatement
        let setAge: SQLiteStatement
        let countAge: SQLiteStatement
        let begin: SQLiteStatement
        let commit: SQLiteStatement
    }

    private let directory: String
    private let settings: PeerSettings
    private var opened = Opened<Statements>(by: "sqlite")

    init(path: String, settings: PeerSettings) {
        directory = path
        self.settings = settings
    }

    func open() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let connection = try SQLiteConnection(path: directory + "/people.sqlite", isSynced: false, settings)
        for sql in PeopleTable.create { try connection.execute(sql) }
        opened.open(
            Statements(
                connection: connection, insert: try connection.prepare(PeopleTable.insert),
                byEmail: try connection.prepare(PeopleTable.byEmail),
                fromAge: try connection.prepare(PeopleTable.fromAge),
                setAge: try connection.prepare(PeopleTable.setAge),
                countAge: try connection.prepare(PeopleTable.countAge),
                begin: try connection.prepare("BEGIN IMMEDIATE"), commit: try connection.prepare("COMMIT")))
    }

    func close() throws { opened.close() }

    func flush() throws { try opened.content.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }

    func insert(_ person: BenchPerson) throws {
        let statement = try opened.content.insert
        unsafe sqlite3_bind_int64(statement.handle, 1, Int64(person.id))
        statement.bind(2, text: person.name)
        if let email = person.email {
            statement.bind(3, text: email)
        } else {
            unsafe sqlite3_bind_null(statement.handle, 3)
        }
        unsafe sqlite3_bind_int64(statement.handle, 4, Int64(person.age))
        statement.bind(5, text: person.city)
        try statement.run()
    }

    func insert(contentsOf people: [BenchPerson]) throws {
        let statements = try opened.content
        try statements.begin.run()
        for person in people { try insert(person) }
        try statements.commit.run()
    }

    func person(email: String) throws -> BenchPerson? {
        let statement = try opened.content.byEmail
        statement.bind(1, text: email)
        defer { statement.reset() }
        return try statement.step() ? statement.person : nil
    }

    func people(fromAge age: Int, limit: Int) throws -> [BenchPerson] {
        let statement = try opened.content.fromAge
        unsafe sqlite3_bind_int64(statement.handle, 1, Int64(age))
        unsafe sqlite3_bind_int64(statement.handle, 2, Int64(limit))
        defer { statement.reset() }
        var people: [BenchPerson] = []
        while try statement.step() { people.append(statement.person) }
        return people
    }

    func setAge(_ age: Int, ofPerson id: Int) throws {
        let statement = try opened.content.setAge
        unsafe sqlite3_bind_int64(statement.handle, 1, Int64(age))
        unsafe sqlite3_bind_int64(statement.handle, 2, Int64(id))
        try statement.run()
    }

    func count(age: Int) throws -> Int {
        let statement = try opened.content.countAge
        unsafe sqlite3_bind_int64(statement.handle, 1, Int64(age))
        defer { statement.reset() }
        guard try statement.step() else { throw BenchError("sqlite counts nothing") }
        return Int(unsafe sqlite3_column_int64(statement.handle, 0))
    }

    func indexNames() throws { try opened.content.connection.execute(PeopleTable.indexNames) }
}

extension SQLiteStatement {
    /// The person in the current row.
    fileprivate var person: BenchPerson {
        BenchPerson(
            id: Int(unsafe sqlite3_column_int64(handle, 0)), name: text(1),
            email: unsafe sqlite3_column_type(handle, 2) == SQLITE_NULL ? nil : text(2),
            age: Int(unsafe sqlite3_column_int64(handle, 3)), city: text(4))
    }

    private func text(_ column: Int32) -> String { unsafe String(decoding: bytes(column), as: UTF8.self) }
}

/// SQLite as Swift applications use it: GRDB's pool of connections, with its records and cached statements.
final class GRDBRecordPeer: RecordPeer {
    private let directory: String
    private let settings: PeerSettings
    private var opened = Opened<any DatabaseWriter>(by: "grdb")

    init(path: String, settings: PeerSettings) {
        directory = path
        self.settings = settings
    }

    func open() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let database = try GRDBTypedPeer.open(directory + "/people.sqlite", settings)
        try database.write { database in
            for sql in PeopleTable.create { try database.execute(sql: sql) }
        }
        opened.open(database)
    }

    func close() throws {
        try opened.ifOpen?.close()
        opened.close()
    }

    func flush() throws { _ = try opened.content.writeWithoutTransaction { try $0.checkpoint(.truncate) } }

    func insert(_ person: BenchPerson) throws { try opened.content.write { try person.insert($0) } }

    func insert(contentsOf people: [BenchPerson]) throws {
        try opened.content.write { database in
            for person in people { try person.insert(database) }
        }
    }

    func person(email: String) throws -> BenchPerson? {
        try opened.content.read { database in
            try BenchPerson.fetchOne(
                try database.cachedStatement(sql: PeopleTable.byEmail), arguments: [email])
        }
    }

    func people(fromAge age: Int, limit: Int) throws -> [BenchPerson] {
        try opened.content.read { database in
            try BenchPerson.fetchAll(
                try database.cachedStatement(sql: PeopleTable.fromAge), arguments: [age, limit])
        }
    }

    func setAge(_ age: Int, ofPerson id: Int) throws {
        try opened.content.write { database in
            try database.cachedStatement(sql: PeopleTable.setAge).execute(arguments: [age, id])
        }
    }

    func count(age: Int) throws -> Int {
        try opened.content.read { database in
            try Int.fetchOne(try database.cachedStatement(sql: PeopleTable.countAge), arguments: [age]) ?? 0
        }
    }

    func indexNames() throws { try opened.content.write { try $0.execute(sql: PeopleTable.indexNames) } }
}

extension BenchPerson: FetchableRecord, PersistableRecord {
    static let databaseTableName = "people"

    /// Reads the columns by their positions, which is faster than `Codable`.
    init(row: Row) {
        self.init(id: row[0], name: row[1], email: row[2], age: row[3], city: row[4])
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["email"] = email
        container["age"] = age
        container["city"] = city
    }
}
