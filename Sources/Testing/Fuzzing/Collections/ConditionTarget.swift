import Shale
import ShaleBase
import ShaleCollections

extension FuzzTarget {
    /// Input: the text of a condition, for a collection with fields of several kinds.
    static let condition = FuzzTarget(
        "condition", "conditions as text: parsing, and answers through indexes", seeds: ConditionTarget.seeds
    ) { input in
        let text = String(decoding: input, as: UTF8.self)
        let (indexed, plain) = try ConditionTarget.samples.get()
        try ConditionTarget.requirePlace(text) { () throws(StorageError) in _ = try plain.query().ordered(by: text) }
        let found = try ConditionTarget.requirePlace(text) { () throws(StorageError) in
            try indexed.query(where: text).keys()
        }
        guard let found else { return }
        try require(try plain.query(where: text).keys() == found, "an index changes an answer")
        let others = try ConditionTarget.requirePlace("not (\(text))") { () throws(StorageError) in
            try plain.query(where: "not (\(text))").keys()
        }
        guard let others else { return }
        try require(
            Set(others).isDisjoint(with: found) && others.count + found.count == ConditionTarget.count,
            "a record satisfies a condition and its negation, or neither")
    }
}

private enum ConditionTarget {
    struct Everything: Codable, Sendable {
        var id: Int
        var real: Double?
        var text: String?
        var flag: Bool?
        var bytes: [UInt8]?
    }

    static let count = 14

    /// The same records, with indexes and without.
    static let samples = Result { () throws(StorageError) in
        (
            try sample([
                RecordIndex("byText", .ascending(\.text), .descending(\.real)),
                RecordIndex("byReal", .descending(\.real)), RecordIndex("byBytes", .ascending(\.bytes)),
            ]), try sample([])
        )
    }

    private static func sample(_ indexes: [RecordIndex<Everything>]) throws(StorageError) -> StoredCollection {
        let schema = RecordSchema<Everything>(
            key: \.id,
            fields: [
                RecordField("id", \.id), RecordField("real", \.real), RecordField("text", \.text),
                RecordField("flag", \.flag), RecordField("bytes", \.bytes),
            ], indexes: indexes)
        let texts: [String?] = [nil, "", "a", "ab", "é", "e\u{301}", "z\u{0}"]
        let space = try Store.inMemory().common
        let records = try space.collection(schema)
        for number in 0..<count {
            try records.insert(
                Everything(
                    id: number - 3, real: number % 3 == 0 ? nil : Double(number) / 2 - 2, text: texts[number % 7],
                    flag: number % 4 == 0 ? nil : number % 2 == 0, bytes: number % 5 == 0 ? nil : [UInt8(number), 0]))
        }
        guard let stored = try space.storedCollection(schema.name) else { throw .invalid("there is no collection") }
        return stored
    }

    /// Returns the result of `body`, or `nil` if it finds a mistake, whose place must be in the text.
    @discardableResult
    static func requirePlace<R>(_ text: String, _ body: () throws(StorageError) -> R) throws(FuzzFinding) -> R? {
        do throws(StorageError) {
            return try body()
        } catch {
            try requireTyped(error, [.invalidArgument], namesPosition: false)
            let offset = error.conditionMistake?.offset
            try require(offset.map { 0...text.count ~= $0 } ?? false, "a mistake has no place in the text: \(error)")
            return nil
        }
    }

    static func seeds() throws -> [[UInt8]] {
        [
            "id = 1", "id between -2 and 5 and not flag", "text starts with 'a' or real >= -1.5e0",
            "text in ('', null, \"é\") and (real is null or flag = true)", "bytes = x'0100'", "`id` <> 3", "true",
            "text = 'e\u{301}' and real < 2", "id not in (1, 2, 3)", "bytes > x'' or bytes is not null",
            "id desc, text",
            "real = 0", "text >= 'ab' and text <= 'z'", "not (id < 1 or id > 4) and real != 1",
        ].map { Array($0.utf8) }
    }
}
