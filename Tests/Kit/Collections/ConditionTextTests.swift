import Shale
import ShaleBase
import ShaleCollections
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Conditions and orders as text.
@Suite struct ConditionTextTests {
    /// One field of each kind, all of them nullable but the key.
    struct Everything: Codable, Sendable, Equatable {
        var id: Int
        var count: UInt64?
        var real: Double?
        var text: String?
        var flag: Bool?
        var when: Date?
        var uuid: UUID?
        var bytes: Data?

        enum CodingKeys: String, CodingKey {
            case id, count, real, flag, when, uuid, bytes
            case text = "a text"
        }

        static let schema = RecordSchema<Everything>(
            key: \.id,
            fields: [
                RecordField("id", \.id), RecordField("count", \.count), RecordField("real", \.real),
                RecordField("a text", \.text), RecordField("flag", \.flag), RecordField("when", \.when),
                RecordField("uuid", \.uuid), RecordField("bytes", \.bytes),
            ], indexes: [RecordIndex("byText", .ascending(\.text)), RecordIndex("byReal", .descending(\.real))])
    }

    private static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private let fixture: CollectionFixture
    private let stored: StoredCollection

    init() throws {
        fixture = try CollectionFixture()
        let records = try fixture.store.common.collection(Everything.schema)
        try records.insert(contentsOf: [
            Everything(id: 1),
            Everything(
                id: 2, count: .max, real: 1.5, text: "it's \"two\"", flag: true,
                when: Date(timeIntervalSince1970: 1_767_225_600), uuid: Self.uuid, bytes: Data([0, 0xff])),
            Everything(id: 3, count: 3, real: -2, text: "e\u{301}", flag: false, when: .distantPast, bytes: Data()),
            Everything(id: 4, count: 0, real: 1e9, text: "é", flag: true, when: .distantFuture),
        ])
        stored = try #require(try fixture.store.common.storedCollection("Everything"))
    }

    private func found(_ condition: String) throws -> [Int64] {
        try stored.query(where: condition).keys().map { key in
            guard case .int(let id) = try key.element else { return -1 }
            return id
        }
    }

    private func mistake(_ condition: String) -> ConditionMistake? {
        do {
            _ = try stored.query(where: condition)
            return nil
        } catch {
            #expect(error.code == .invalidArgument)
            return error.conditionMistake
        }
    }

    @Test(
        arguments: [
            ("id = 2", [2]), ("id == 2", [2]), ("id != 2", [1, 3, 4]), ("id <> 2", [1, 3, 4]), ("id < 2", [1]),
            ("id<=2", [1, 2]), ("id>3", [4]), ("id >= 3", [3, 4]), ("count = 18446744073709551615", [2]),
            ("real = 1.5", [2]), ("real = -2", [3]), ("real >= 1E+9", [4]), ("real < 2", [2, 3]),
            ("flag", [2, 4]), ("flag = false", [3]), ("not flag", [1, 3]), ("flag is null", [1]),
            ("when = '2026-01-01'", [2]), ("when = '2026-01-01T00:00:00Z'", [2]),
            ("when < '2026-01-01T00:00:00.001Z'", [2, 3]),
            ("uuid = '01020304-0506-0708-090A-0B0C0D0E0F10'", [2]), ("bytes = x'00FF'", [2]), ("bytes = x''", [3]),
        ] as [(String, [Int64])]) func literalsHaveTheKindsOfTheirFields(_ condition: String, _ ids: [Int64]) throws
    {
        #expect(try found(condition) == ids)
    }

    @Test(
        arguments: [
            (#"`a text` = "it's ""two""""#, [2]), (#"`a text` = 'it''s "two"'"#, [2]), ("`a text` = 'é'", [4]),
            ("`a text` = 'e\u{301}'", [3]), ("`a text` starts with 'e'", [3]),
            ("`a text` not starts with 'e'", [1, 2, 4]),
            ("`a text` in ('é', null)", [1, 4]), ("`a text` = null", [1]), ("`a text` != null", [2, 3, 4]),
            ("`a text` < 'z'", [2, 3]),
        ] as [(String, [Int64])]) func textIsQuotedAndComparedByItsBytes(_ condition: String, _ ids: [Int64]) throws
    {
        #expect(try found(condition) == ids)
    }

    @Test(
        arguments: [
            ("id = 1 or id = 2 and flag", [1, 2]), ("(id = 1 or id = 2) and flag", [2]),
            ("NOT (id = 1 OR id = 2)", [3, 4]), ("not not id = 1", [1]), ("id between 2 and 3 and flag", [2]),
            ("id not between 2 and 3", [1, 4]), ("id in (4, 1, 9)", [1, 4]), ("id not in (4)", [1, 2, 3]),
            ("real is not null and real is null", []), ("true", [1, 2, 3, 4]), ("id = 1 and false", []),
            ("((((id=1))))", [1]), ("  id\n=\t1 ", [1]),
        ] as [(String, [Int64])]) func wordsCombineConditions(_ condition: String, _ ids: [Int64]) throws
    {
        #expect(try found(condition) == ids)
    }

    @Test func nullEqualsNullAndHasNoOrder() throws {
        #expect(try found("real < 0 or real >= 0") == [2, 3, 4])
        #expect(try found("real != 1.5") == [1, 3, 4])
        #expect(mistake("real < null")?.problem.contains("is null") == true)
        #expect(mistake("real between null and 1") != nil)
    }

    @Test(arguments: [
        ("", 0), ("idd = 1", 0), ("id", 0), ("id =", 4), ("id = 'x'", 5), ("id = 1.5", 5), ("id = 1 2", 7),
        ("id = 99999999999999999999", 5), ("real = 1e999", 7), ("real = 1.", 7), ("real = 'a'", 7),
        ("`a text` = 1", 11), ("`a text` = 'x", 11), ("`a text", 0), ("id starts with 'x'", 15),
        ("`a text` starts 'x'", 16), ("`a text` starts with x", 21), ("id in ()", 7), ("id in (1", 8),
        ("id in 1", 6), ("id between 1 or 2", 13), ("(id = 1", 7), ("id = 1)", 6), ("id is 1", 6), ("id not = 1", 7),
        ("id = 1 and", 10), ("and", 0), ("not", 3), ("1 = id", 0), ("id ! 1", 3), ("id = 1 && flag", 7),
        ("when = 'yesterday'", 7), ("when = 5", 7), ("when = '2026-01-01T00'", 7),
        ("when = '2026-01-01T00:00:00Zx'", 7), ("uuid = 'x'", 7), ("bytes = x'0'", 8), ("bytes = x'zz'", 8),
        ("bytes = '00'", 8), ("flag = 1", 7), ("id = true", 5), ("é = 1", 0), ("id = 1 or é", 10),
    ]) func aMistakeHasItsPlace(_ condition: String, _ offset: Int) {
        let mistake = mistake(condition)
        #expect(mistake?.offset == offset, "\(mistake?.problem ?? "none")")
    }

    @Test func theErrorNamesPlaceAndField() {
        let error = #expect(throws: StorageError.self) { try stored.query(where: "id = 1 and ege > 3") }
        #expect(error?.message == "there is no field of this name field=ege character=12")
    }

    @Test func textAndNestingAreLimited() throws {
        #expect(mistake(String(repeating: "(", count: 63) + "id = 1" + String(repeating: ")", count: 63)) == nil)
        let deep = String(repeating: "(", count: 64) + "id = 1" + String(repeating: ")", count: 64)
        #expect(mistake(deep)?.problem.contains("64 levels") == true)
        #expect(mistake(String(repeating: " ", count: 65_530) + "id = 1") == nil)
        #expect(mistake(String(repeating: " ", count: 65_531) + "id = 1")?.offset == 0)
        let many = (0..<5000).map { "id = \($0)" }.joined(separator: " or ")
        #expect(try found(many) == [1, 2, 3, 4])
        #expect(try found("id in (\((0..<9000).map { "\($0)" }.joined(separator: ",")))") == [1, 2, 3, 4])
        #expect(try found(String(repeating: "not ", count: 10_000) + "id = 1") == [1])
    }

    @Test func indexesServeConditionsAsText() throws {
        #expect(try stored.query(where: "`a text` starts with 'e'").explain().indexes == ["byText"])
        #expect(try stored.query(where: "real between 1 and 2").explain().indexes == ["byReal"])
        #expect(try stored.query(where: "id > 2").explain().source == .primaryKey)
        #expect(try stored.query(where: "flag").explain().source == .allRecords)
    }

    @Test(arguments: ["", "idd", "id down", "id,", ",id", "id asc desc", "id 'x'"]) func ordersHaveMistakesToo(
        _ order: String
    ) throws {
        #expect(code { () throws(StorageError) in try stored.query().ordered(by: order) } == .invalidArgument)
    }

    @Test func ordersNameFieldsAndDirections() throws {
        let keys = try stored.query().ordered(by: "flag DESC, `a text` asc, id desc").keys()
        #expect(try keys.map { try $0.element } == [2, 4, 3, 1].map { .int($0) })
    }
}
