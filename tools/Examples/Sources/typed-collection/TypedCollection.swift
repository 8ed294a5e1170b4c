// Create, query, insert, modify and delete by example, as in NetCacheSynchronizeKit, on a namespace. Records have
// constraints; a record and its index entries are written in one step.
import ExampleSupport
import Shale

enum Constraint { case none, notNull, unique, uniqueAndNotNull }

/// A field of a record: its name, its key path, and its constraint.
struct Field<Record>: Sendable {
    let name: String
    let value: any WritableKeyPath<Record, String?> & Sendable
    var constraint = Constraint.none

    var isUnique: Bool { constraint == .unique || constraint == .uniqueAndNotNull }
    var isRequired: Bool { constraint == .notNull || constraint == .uniqueAndNotNull }
}

/// A change that a collection refuses. Nothing has been written.
enum Refusal: Error, Equatable {
    case notUnique(String)
    case isNull(String)
    /// Deleting or modifying by an example that matches everything.
    case emptyExample
}

struct TypedCollection<Record: Codable & Sendable>: Sendable {
    private let store: Store
    private let records: Store.Namespace
    private let index: Store.Namespace
    private let fields: [Field<Record>]

    /// Creates nothing: a collection exists once it contains something.
    init(_ name: String, in store: Store, fields: [Field<Record>]) {
        self.store = store
        records = store.common["collections"].child(name)
        index = records.child("unique")
        self.fields = fields
    }

    /// Returns the records that have all values of the example; all records for an example without values.
    func query(like example: Record) throws -> [Record] { try matches(example).map(\.record) }

    func insert(_ record: Record) throws {
        try store.transaction { transaction in
            try check(record, nil, transaction)
            let number = (try transaction.value(forKey: "last", in: index, as: Int.self) ?? 0) + 1
            try transaction.set(number, forKey: "last", in: index)
            try put(record, key(number), nil, transaction)
        }
    }

    /// Sets the values of `changes` in the records that match the example. Returns the number of records.
    @discardableResult
    func modify(like example: Record, to changes: Record) throws -> Int {
        try changeMatches(of: example) { key, old, transaction in
            var record = old
            for field in fields {
                if let value = changes[keyPath: field.value] { record[keyPath: field.value] = value }
            }
            try check(record, key, transaction)
            try put(record, key, old, transaction)
        }
    }

    @discardableResult
    func delete(like example: Record) throws -> Int {
        try changeMatches(of: example) { key, old, transaction in
            for entry in entries(old) { try transaction.remove(entry, in: index) }
            try transaction.remove(key, in: records)
        }
    }

    // MARK: Steps

    private func key(_ number: Int) -> EntryKey {
        EntryKey((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })  // In the order of the numbers.
    }

    /// Returns the index entries of a record: name and value, kept apart by the length of the name.
    private func entries(_ record: Record) -> [String] {
        fields.filter(\.isUnique).compactMap { field in
            record[keyPath: field.value].map { "\(field.name.utf8.count):\(field.name)=\($0)" }
        }
    }

    private func requireFields(_ example: Record) throws {
        if fields.allSatisfy({ example[keyPath: $0.value] == nil }) { throw Refusal.emptyExample }
    }

    private func matches(_ example: Record) throws -> [(key: EntryKey, record: Record)] {
        try records.entries.compactMap { entry in
            let record = try entry.value(as: Record.self)
            return isLike(record, example) ? (entry.key, record) : nil
        }
    }

    private func isLike(_ record: Record, _ example: Record) -> Bool {
        fields.allSatisfy { field in
            guard let wanted = example[keyPath: field.value] else { return true }
            return record[keyPath: field.value] == wanted
        }
    }

    /// Changes the records that match an example, each in a transaction that reads its current state. Returns their
    /// number.
    private func changeMatches(
        of example: Record, _ body: (EntryKey, Record, borrowing Store.Transaction) throws -> Void
    ) throws -> Int {
        try requireFields(example)
        var count = 0
        for (key, _) in try matches(example) {
            let isChanged = try store.transaction { transaction in
                let record = try transaction.value(forKey: key, in: records, as: Record.self)
                // Another thread may have changed the record since.
                guard let record, isLike(record, example) else { return false }
                try body(key, record, transaction)
                return true
            }
            if isChanged { count += 1 }
        }
        return count
    }

    /// Throws a `Refusal` if the record breaks a constraint. The error ends the transaction, and nothing is written.
    private func check(_ record: Record, _ own: EntryKey?, _ transaction: borrowing Store.Transaction) throws {
        for field in fields where field.isRequired && record[keyPath: field.value] == nil {
            throw Refusal.isNull(field.name)
        }
        for field in fields where field.isUnique {
            guard let value = record[keyPath: field.value] else { continue }
            let entry = "\(field.name.utf8.count):\(field.name)=\(value)"
            let holder = try transaction.value(forKey: entry, in: index, as: [UInt8].self)
            if let holder, holder != own?.bytes { throw Refusal.notUnique(field.name) }
        }
    }

    private func put(
        _ record: Record, _ key: EntryKey, _ old: Record?, _ transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        for entry in old.map(entries) ?? [] { try transaction.remove(entry, in: index) }
        for entry in entries(record) { try transaction.set(key.bytes, forKey: entry, in: index) }
        try transaction.set(record, forKey: key, in: records)
    }
}

/// The model of the original's document.
struct NCTestModel: Codable, Sendable, Equatable {
    var memberId: String?, memberPic: String?, age: String?, address: String?, memberName: String?, gender: String?

    static let fields = [
        Field(name: "memberId", value: \NCTestModel.memberId, constraint: .unique),
        Field(name: "memberPic", value: \NCTestModel.memberPic),
        Field(name: "age", value: \NCTestModel.age),
        Field(name: "address", value: \NCTestModel.address),
        Field(name: "memberName", value: \NCTestModel.memberName, constraint: .unique),
        Field(name: "gender", value: \NCTestModel.gender, constraint: .uniqueAndNotNull),
    ]
}

@main
struct TypedCollectionExample {
    static func main() throws {
        try withTemporaryDirectory { directory in
            let store = try Store(at: directory + "/store")
            let members = TypedCollection("NCTestModel", in: store, fields: NCTestModel.fields)
            print("创建成功")
            try asTheDocumentDoes(members)
            try whatIsRefused(members)
            try store.close()
        }
    }

    /// Query, delete, insert, modify: in that order.
    static func asTheDocumentDoes(_ members: TypedCollection<NCTestModel>) throws {
        let testModel = NCTestModel(
            memberId: "1001", memberPic: "http://example.com/a.png", age: "17", address: "杭州", memberName: "小黄",
            gender: "男")
        let test = NCTestModel(memberId: testModel.memberId)

        let none = try members.query(like: test)
        print("查询结果\(none.count)")
        expect(none.isEmpty, "nothing is there yet")

        print("删除结果\(try members.delete(like: test))")

        try members.insert(testModel)
        print("插入结果\(try members.query(like: test).count)")
        expect(try members.query(like: test) == [testModel], "what was inserted is found by its memberId")

        var new = test
        new.memberName = "黄小仙"
        new.memberPic = "http://www.huangxionging.com/huang.png"
        new.age = "18"
        print("修改结果\(try members.modify(like: test, to: new))")
        let changed = try members.query(like: test).first
        expect(changed?.memberName == "黄小仙" && changed?.age == "18", "what was given is new")
        expect(changed?.address == "杭州" && changed?.gender == "男", "the rest is as it was")
        print("查询结果\(changed?.memberName ?? "") \(changed?.age ?? "")")
    }

    static func whatIsRefused(_ members: TypedCollection<NCTestModel>) throws {
        func refusal(_ body: () throws -> Void) throws -> Refusal? {
            do {
                try body()
                return nil
            } catch let refusal as Refusal {
                return refusal
            }
        }
        let twin = NCTestModel(memberId: "1001", gender: "女")
        expect(try refusal { try members.insert(twin) } == .notUnique("memberId"), "a member has its id alone")
        let other = NCTestModel(memberId: "1002")
        expect(try refusal { try members.insert(other) } == .isNull("gender"), "gender must be there")
        expect(try members.query(like: NCTestModel()).count == 1, "a refusal leaves nothing behind; no example: all")
        // Broken SQL in the original.
        expect(try refusal { try members.delete(like: NCTestModel()) } == .emptyExample, "not everything by accident")
        expect(try refusal { try members.modify(like: NCTestModel(), to: other) } == .emptyExample, "nor here")
        // The released name is free again.
        try members.insert(NCTestModel(memberId: "1003", memberName: "小黄", gender: "女"))
        expect(try members.delete(like: NCTestModel(memberId: "1001")) == 1, "one goes")
        try members.insert(NCTestModel(memberId: "1001", gender: "男"))
        print("refused what must be, \(try members.query(like: NCTestModel()).count) records left")
    }
}
