import Shale
import ShaleBase
import ShaleCollections
import ShalePlatform
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A random history of a collection beside a model of it: a dictionary of records.
final class CollectionModel {
    private static let indexSets: [[RecordIndex<Person>]] = [
        [], [RecordIndex("byAge", .ascending(\.age), .descending(\.name))],
        [RecordIndex("byCity", .ascending(\.city), .ascending(\.name)), RecordIndex("byScore", .descending(\.score))],
        Person.schema.indexes,
        [RecordIndex("pair", .ascending(\.name), .descending(\.score), isUnique: true)],
    ]

    private let fixture: CollectionFixture
    private let random: SeededRandom
    private let seed: UInt64
    private var people: RecordCollection<Person>
    private var records: [Int: (person: Person, isPurgeable: Bool)] = [:]
    /// The index set of the open schema.
    private var indexSet = 0
    private var hasPair: Bool { self.indexSet == 4 }
    private(set) var operations = 0

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        fixture = try CollectionFixture {
            // JSON has no infinity.
            $0.codableFormat = .propertyList
            $0.engine.memtableBytes = 64 << 10
            $0.engine.memoryBudget = 8 << 20
        }
        people = try fixture.store.common.collection(CollectionModel.schema(0))
    }

    private func adopt(_ set: Int) throws(StorageError) {
        people = try fixture.store.common.collection(CollectionModel.schema(set), onDifference: .adopt)
        indexSet = set
    }

    private static func schema(_ set: Int) -> RecordSchema<Person> {
        RecordSchema(key: \.id, fields: Person.schema.fields, indexes: indexSets[set])
    }

    func run(_ count: Int) throws {
        for _ in 0..<count {
            operations += 1
            switch random.below(100) {
            case ..<30: try insert()
            case ..<45: try modify()
            case ..<55: try delete()
            case ..<85: try query()
            case ..<89: try changeMany()
            case ..<92: try erase()
            case ..<94: try reopen()
            default: try changeIndexes()
            }
            if operations % 50 == 0 { try verify() }
        }
        try verify()
    }

    private var place: Comment { "SHALE_SEED=\(seed) operation \(operations)" }

    private func person(_ id: Int) -> Person {
        Person(
            id: id, name: ["", "a", "ab", "é", "e\u{301}", "\0"][random.below(6)],
            email: random.below(2) == 0 ? nil : "m\(random.below(60))", age: random.below(30) - 10,
            city: ["Lund", "Oslo", "O"][random.below(3)], score: [0, -0.0, .infinity, 1.5, -2][random.below(5)])
    }

    /// The constraint that a record would break in the model; `nil` if none.
    private func refusal(_ person: Person) -> String? {
        for (other, _) in records.values where other.id != person.id {
            if let email = person.email, other.email == email { return "email" }
        }
        guard hasPair else { return nil }
        let isTaken = records.values.contains {
            $0.person.id != person.id && $0.person.name.utf8.elementsEqual(person.name.utf8)
                && $0.person.score == person.score
        }
        return isTaken ? "pair" : nil
    }

    private func insert() throws {
        let new = person(random.below(80))
        let isPurgeable = random.below(4) == 0
        let replaces = random.below(3) == 0
        let refused = !replaces && records[new.id] != nil ? "id" : refusal(new)
        let found = violation { () throws(StorageError) in
            let options: ValueOptions = isPurgeable ? .purgeable : []
            if replaces { try people.put(new, options: options) } else { try people.insert(new, options: options) }
        }
        #expect((found == nil) == (refused == nil), place)
        if refused == nil { records[new.id] = (new, isPurgeable) }
    }

    private func modify() throws {
        let id = random.below(80)
        let new = person(id)
        guard let old = records[id] else {
            #expect(try !people.modify(RecordKey(id)) { $0 = new }, place)
            return
        }
        let refused = refusal(new)
        let found = violation { () throws(StorageError) in try people.modify(RecordKey(id)) { $0 = new } }
        #expect((found == nil) == (refused == nil), place)
        if refused == nil { records[id] = (new, old.isPurgeable) }
    }

    private func delete() throws {
        let id = random.below(80)
        #expect(try people.delete(RecordKey(id)) == (records.removeValue(forKey: id) != nil), place)
    }

    private func changeMany() throws {
        let limit = random.below(30) - 10
        if random.below(2) == 0 {
            let wanted = records.filter { $0.value.person.age < limit }
            #expect(try people.query(#Predicate { $0.age < limit }).delete() == wanted.count, place)
            for id in wanted.keys { records[id] = nil }
        } else {
            let wanted = records.filter { $0.value.person.age > limit }
            let count = try people.query(#Predicate { $0.age > limit }).modify { $0.age -= 3 }
            #expect(count == wanted.count, place)
            for id in wanted.keys { records[id]?.person.age -= 3 }
        }
    }

    private func erase() throws {
        switch random.below(5) {
        case 0:
            try people.namespace.truncate()
            records = [:]
        case 1:
            try fixture.store.purge(.namespace(people.namespace))
            records = records.filter { !$0.value.isPurgeable }
        case 2:
            try fixture.store.purge()
            records = records.filter { !$0.value.isPurgeable }
        case 3: try people.removeStaleEntries()
        default: try people.rebuildIndexes()
        }
    }

    private func reopen() throws {
        try fixture.reopen()
        people = try fixture.store.common.collection(CollectionModel.schema(indexSet))
    }

    private func changeIndexes() throws {
        try adopt(random.below(CollectionModel.indexSets.count))
        do {
            if random.below(3) > 0 { try people.migrate() }
        } catch {
            // Two records agree in the unique index.
            #expect(error.constraintViolation?.field == "pair", place)
            try adopt(0)
        }
        // A unique index that is being built refuses only what it has: the model can't tell.
        if hasPair, try people.needsMigration { try adopt(1) }
    }
}

extension CollectionModel {
    private func query() throws {
        let (age, score) = (random.below(30) - 10, [0.0, 1.5, .infinity][random.below(3)])
        let (name, city) = (["", "a", "é", "\0"][random.below(4)], ["Lund", "O", "Os"][random.below(3)])
        let email = "m\(random.below(60))"
        let same: @Sendable (String, String) -> Bool = { $0.utf8.elementsEqual($1.utf8) }
        let cases: [(Predicate<Person>, (Person) -> Bool)] = [
            (#Predicate { $0.age >= age }, { $0.age >= age }),
            (
                #Predicate { $0.age == age && $0.name > name },
                {
                    $0.age == age && name.utf8.lexicographicallyPrecedes($0.name.utf8)
                }
            ),
            (#Predicate { $0.city == city || $0.score > score }, { same($0.city, city) || $0.score > score }),
            (
                #Predicate { $0.city.starts(with: city) && $0.name == name },
                {
                    $0.city.utf8.starts(with: city.utf8) && same($0.name, name)
                }
            ),
            (#Predicate { $0.email == email }, { $0.email == email }),
            (#Predicate { $0.email == nil && $0.score <= score }, { $0.email == nil && $0.score <= score }),
            (#Predicate { !($0.age < age) || $0.id < 10 }, { !($0.age < age) || $0.id < 10 }),
            (#Predicate { $0.score == score && $0.name != name }, { $0.score == score && !same($0.name, name) }),
        ]
        let (predicate, matches) = cases[random.below(cases.count)]
        let wanted = records.values.map(\.person).filter(matches).sorted { $0.id < $1.id }
        let query = people.query(predicate)
        #expect(try query.records() == wanted, place)
        #expect(try query.count() == wanted.count, place)
        #expect(try query.exists() == !wanted.isEmpty, place)
        try orders(query, wanted)
    }

    /// Compares orders and pages.
    private func orders(_ query: RecordQuery<Person>, _ wanted: [Person]) throws {
        let limit = 1 + random.below(9)
        let (ordered, sorted): (RecordQuery<Person>, [Person])
        if random.below(2) == 0 {
            ordered = query.ordered(by: .ascending(\.age), .descending(\.name))
            sorted = wanted.sorted {
                $0.age != $1.age
                    ? $0.age < $1.age
                    : $0.name.utf8.elementsEqual($1.name.utf8)
                        ? $0.id > $1.id : $1.name.utf8.lexicographicallyPrecedes($0.name.utf8)
            }
        } else {
            ordered = query.ordered(by: .descending(\.score))
            sorted = wanted.sorted { $0.score != $1.score ? $0.score > $1.score : $0.id > $1.id }
        }
        var (pages, cursor): ([Person], QueryCursor?) = ([], nil)
        repeat {
            let page = try ordered.limit(limit).after(cursor).page()
            pages += page.records
            cursor = page.next
        } while cursor != nil
        #expect(pages == sorted, place)
    }

    private func verify() throws {
        #expect(try people.query().records() == records.values.map(\.person).sorted { $0.id < $1.id }, place)
        let report = try people.verify()
        #expect(report.isSound && report.failures.isEmpty && report.records == records.count, place)
    }
}
