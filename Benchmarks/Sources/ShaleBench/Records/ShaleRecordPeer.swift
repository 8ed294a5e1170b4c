import Foundation
import Shale
import ShaleCollections

/// Shale's collections: the public interface that an app uses.
final class ShaleRecordPeer: RecordPeer, PlainRecordPeer {
    static let summary = "records job: RecordCollection with default options of the store"

    private let path: String
    private var store: Store?
    private var opened: RecordCollection<BenchPerson>?
    private var plain: Store.Namespace?

    init(path: String) { self.path = path }

    private static let fields: [RecordField<BenchPerson>] = [
        RecordField("id", \.id), RecordField("name", \.name), RecordField("email", \.email, .unique),
        RecordField("age", \.age), RecordField("city", \.city),
    ]
    private static let byAge = RecordIndex<BenchPerson>("byAge", .ascending(\.age))
    private static let byName = RecordIndex<BenchPerson>("byName", .ascending(\.name))

    private static func schema(_ indexes: [RecordIndex<BenchPerson>]) -> RecordSchema<BenchPerson> {
        RecordSchema("people", key: \.id, fields: fields, indexes: indexes)
    }

    private var people: RecordCollection<BenchPerson> {
        get throws {
            guard let opened else { throw BenchError("shale is closed") }
            return opened
        }
    }

    func open() throws {
        let store = try Store(at: path)
        self.store = store
        plain = store.common["plain"]
        opened = try store.common.collection(ShaleRecordPeer.schema([ShaleRecordPeer.byAge]))
    }

    func close() throws {
        (opened, plain) = (nil, nil)
        try store?.close()
        store = nil
    }

    func flush() throws { try store?.engine.flush() }

    var isBusy: Bool { (store?.engine.statistics.immutableMemtables ?? 0) > 0 }

    var memoryBudgetBytes: Int? { store?.options.engine.memoryBudget }

    func setPlainly(_ person: BenchPerson) throws {
        try plain?.set(person, forKey: try RecordKey(person.id).bytes, as: .compact)
    }

    func insert(_ person: BenchPerson) throws { try people.insert(person) }

    func insert(contentsOf people: [BenchPerson]) throws { try self.people.insert(contentsOf: people) }

    func person(email: String) throws -> BenchPerson? { try people.find(\.email, email) }

    func people(fromAge age: Int, limit: Int) throws -> [BenchPerson] {
        try people.query(#Predicate { $0.age >= age }).ordered(by: .ascending(\.age)).limit(limit).records()
    }

    func setAge(_ age: Int, ofPerson id: Int) throws { try people.modify(RecordKey(id)) { $0.age = age } }

    func count(age: Int) throws -> Int { try people.query(#Predicate { $0.age == age }).count() }

    func indexNames() throws {
        guard let store else { throw BenchError("shale is closed") }
        let schema = ShaleRecordPeer.schema([ShaleRecordPeer.byAge, ShaleRecordPeer.byName])
        let people = try store.common.collection(schema, onDifference: .adopt)
        try people.migrate()
        opened = people
    }
}
