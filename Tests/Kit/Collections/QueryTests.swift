import Shale
import ShaleCollections
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Conditions, orders and pages: collections.md, section 2.
@Suite struct QueryTests {
    private let fixture: CollectionFixture
    private let people: RecordCollection<Person>
    private let all: [Person]

    init() throws {
        fixture = try CollectionFixture()
        people = try fixture.filled(400)
        all = (0..<400).map(Person.numbered)
    }

    private func expect(
        _ predicate: Predicate<Person>, _ source: QueryExplanation.Source, _ wanted: (Person) -> Bool,
        _ place: SourceLocation = #_sourceLocation
    ) throws {
        let query = people.query(predicate)
        let expected = all.filter(wanted).map(\.id)
        #expect(try query.records().map(\.id) == expected, sourceLocation: place)
        #expect(try query.count() == expected.count, sourceLocation: place)
        #expect(try query.exists() == !expected.isEmpty, sourceLocation: place)
        let explanation = try query.explain()
        #expect(explanation.source == source, "\(explanation)", sourceLocation: place)
        #expect(explanation.matches == expected.count, sourceLocation: place)
    }

    @Test func comparisonsAreServedByAnIndex() throws {
        try expect(#Predicate { $0.age == 17 }, .index) { $0.age == 17 }
        try expect(#Predicate { $0.age < 3 }, .index) { $0.age < 3 }
        try expect(#Predicate { $0.age <= 3 }, .index) { $0.age <= 3 }
        try expect(#Predicate { $0.age > 97 }, .index) { $0.age > 97 }
        try expect(#Predicate { 97 <= $0.age }, .index) { $0.age >= 97 }
        try expect(#Predicate { $0.age > 10 && $0.age < 13 }, .index) { $0.age > 10 && $0.age < 13 }
        try expect(#Predicate { $0.score > 90 }, .index) { $0.score > 90 }
        try expect(#Predicate { $0.score <= 2.25 }, .index) { $0.score <= 2.25 }
        try expect(#Predicate { (10...12).contains($0.age) }, .index) { (10...12).contains($0.age) }
        try expect(#Predicate { (10..<12).contains($0.age) }, .index) { (10..<12).contains($0.age) }
    }

    @Test func aVariableFromOutsideIsAConstant() throws {
        let age = 20
        try expect(#Predicate { $0.age == age }, .index) { $0.age == age }
    }

    @Test func theKeyIsServedWithoutAnIndex() throws {
        try expect(#Predicate { $0.id == 7 }, .primaryKey) { $0.id == 7 }
        try expect(#Predicate { $0.id >= 395 }, .primaryKey) { $0.id >= 395 }
        let ids = [3, 5, 900]
        try expect(#Predicate { ids.contains($0.id) }, .primaryKey) { ids.contains($0.id) }
    }

    @Test func aCompoundIndexServesEqualityAndThenARange() throws {
        try expect(#Predicate { $0.city == "Oslo" && $0.name > "n4" }, .index) { $0.city == "Oslo" && $0.name > "n4" }
        try expect(#Predicate { $0.age == 17 && $0.name <= "n3" }, .index) { $0.age == 17 && $0.name <= "n3" }
        let read = try people.query(#Predicate { $0.city == "Oslo" && $0.name == "n4" }).explain()
        #expect(read.indexes == ["byCity"])
        #expect(read.recordsRead == read.matches)
    }

    @Test func prefixesListsAndNilAreServedByAnIndex() throws {
        try expect(#Predicate { $0.city.starts(with: "Os") }, .index) { $0.city.hasPrefix("Os") }
        let ages = [1, 99, 1000]
        try expect(#Predicate { ages.contains($0.age) }, .index) { ages.contains($0.age) }
        try expect(#Predicate { $0.email == nil }, .index) { $0.email == nil }
        try expect(#Predicate { $0.email != nil }, .index) { $0.email != nil }
        try expect(#Predicate { $0.email == "e8@example.org" }, .index) { $0.id == 8 }
        try expect(#Predicate { ($0.email ?? "none") == "e8@example.org" }, .index) { $0.id == 8 }
    }

    @Test func disjunctionsAreServedIfEachPartIs() throws {
        try expect(#Predicate { $0.age == 3 || $0.score > 99 || $0.id == 3 }, .union) {
            $0.age == 3 || $0.score > 99 || $0.id == 3
        }
        try expect(#Predicate { $0.age == 3 || $0.name == "n1" }, .allRecords) { $0.age == 3 || $0.name == "n1" }
    }

    @Test func aDisjunctionInsideADisjunctionFindsEachRecordOnce() throws {
        let query = people.query(#Predicate { $0.id == 5 || (!$0.name.isEmpty && ($0.age == 3 || $0.id == 3)) })
        #expect(try query.explain().source == .union)
        #expect(try query.records().map(\.id) == [3, 5, 103, 203, 303])
    }

    @Test func whatNoIndexServesIsAnsweredByReading() throws {
        try expect(#Predicate { $0.name == "n1" }, .allRecords) { $0.name == "n1" }
        try expect(#Predicate { !($0.age == 3) }, .allRecords) { $0.age != 3 }
        try expect(#Predicate { $0.age != 3 }, .allRecords) { $0.age != 3 }
        try expect(#Predicate { $0.age + 1 == 4 }, .allRecords) { $0.age == 3 }
        try expect(#Predicate { $0.age == $0.id }, .allRecords) { $0.age == $0.id }
        try expect(#Predicate { $0.name.contains("1") && $0.age == 8 }, .index) { $0.name == "n1" && $0.age == 8 }
        try expect(#Predicate { _ in true }, .allRecords) { _ in true }
        try expect(#Predicate { $0.age == 3 && false }, .nothing) { _ in false }
    }

    @Test func anOrderIsTakenFromAnIndexOrSorted() throws {
        let byAge = all.sorted { ($0.age, $1.name, $0.id) < ($1.age, $0.name, $1.id) }
        let streamed = people.query().ordered(by: .ascending(\.age), .descending(\.name)).limit(50)
        #expect(try streamed.explain().isSorted == false)
        #expect(try streamed.explain().recordsRead == 50)
        // The keys of equal records follow the last criterion's direction.
        let expected = all.sorted { ($0.age, $1.name, $1.id) < ($1.age, $0.name, $0.id) }
        #expect(try streamed.records().map(\.id) == expected.prefix(50).map(\.id))
        #expect(byAge.map(\.age) == expected.map(\.age))
        let reversed = people.query().ordered(by: .descending(\.age), .ascending(\.name)).limit(50)
        #expect(try reversed.explain().isSorted == false)
        #expect(try reversed.records().map(\.id) == expected.reversed().prefix(50).map(\.id))
        let sorted = people.query().ordered(by: .ascending(\.name), .descending(\.id))
        #expect(try sorted.explain().isSorted)
        let byName = all.sorted { ($0.name, $1.id) < ($1.name, $0.id) }
        #expect(try sorted.records().map(\.id) == byName.map(\.id))
        #expect(try sorted.limit(9).records().map(\.id) == byName.prefix(9).map(\.id))
    }

    @Test func pagesContinueBehindTheLastRecordAlsoAfterARestart() throws {
        let people = people
        let queries: [(RecordCollection<Person>) -> RecordQuery<Person>] = [
            { $0.query().limit(37) },
            { $0.query(#Predicate { $0.age > 20 }).ordered(by: .ascending(\.age), .descending(\.name)).limit(37) },
            { $0.query(#Predicate { $0.age > 20 }).ordered(by: .descending(\.age), .ascending(\.name)).limit(37) },
            { $0.query(#Predicate { $0.city == "Lund" }).ordered(by: .ascending(\.name)).limit(37) },
            { $0.query().ordered(by: .descending(\.score)).limit(37) },
            { $0.query().ordered(by: .ascending(\.name), .descending(\.city)).limit(37) },
        ]
        for query in queries {
            let whole = try query(people).limit(.max).records()
            var pages: [Person] = []
            var cursor: QueryCursor?
            repeat {
                let page = try query(people).after(cursor).page()
                pages += page.records
                cursor = page.next.map { QueryCursor(bytes: $0.bytes) }
            } while cursor != nil
            #expect(pages == whole)
        }
        let first = try queries[1](people).page()
        try fixture.reopen()
        let again = try fixture.people()
        try again.delete(try #require(first.keys.last))
        let second = try queries[1](again).after(first.next).page()
        let expected = first.records.dropLast() + second.records
        #expect(try queries[1](again).limit(73).records() == Array(expected))
    }

    @Test func aPageFromAnIndexReadsOnlyItself() throws {
        let query = people.query().ordered(by: .descending(\.score)).limit(10)
        let first = try query.page()
        let explanation = try query.after(try query.after(first.next).page().next).explain()
        #expect(explanation.recordsRead <= 11)
    }

    @Test func aCursorOfAnotherOrderIsRefused() throws {
        let cursor = try people.query().ordered(by: .ascending(\.name)).limit(3).page().next
        let other = people.query().ordered(by: .ascending(\.age)).after(cursor)
        #expect(code { () throws(StorageError) in try other.records() } == .invalidArgument)
        let broken = people.query().after(QueryCursor(bytes: [1, 2, 3]))
        #expect(code { () throws(StorageError) in try broken.records() } == .invalidArgument)
    }

    @Test func countsOfAnIndexReadNoRecords() throws {
        // The value of a record that no longer decodes shows that it is not read.
        let raw = people.namespace
        let keys = try people.query(#Predicate { $0.age == 17 }).keys()
        for key in keys { try raw.set("damaged", forKey: key.bytes) }
        #expect(try people.query(#Predicate { $0.age == 17 }).count() == 4)
        #expect(try people.query(#Predicate { $0.age == 17 }).records().isEmpty)
    }

    @Test func examplesMatchTheValuesThatTheyHave() throws {
        let notes = try fixture.store.common.collection(Note.schema)
        try notes.insert(contentsOf: [Note(text: "a", rank: 1), Note(text: "a", rank: 2), Note(text: "b")])
        #expect(try notes.query(like: Note(text: "a")).count() == 2)
        #expect(try notes.query(like: Note(text: "a", rank: 2)).records() == [Note(text: "a", rank: 2)])
        #expect(try notes.query(like: Note()).count() == 3)
        #expect(try notes.query(like: ["rank": nil]).records() == [Note(text: "b")])
        #expect(try notes.query(like: ["text": "a", "rank": 1]).count() == 1)
        #expect(code { () throws(StorageError) in try notes.query(like: ["txt": "a"]) } == .invalidArgument)
        #expect(code { () throws(StorageError) in try notes.query(like: ["text": 1]) } == .invalidArgument)
    }

    @Test func oneFieldIsProjected() throws {
        #expect(try people.query(#Predicate { $0.age == 5 }).values(of: \.id) == [5, 105, 205, 305])
    }

    @Test func aQuerySeesOneMoment() throws {
        let people = people
        var seen = 0
        try people.query(#Predicate { $0.age >= 0 }).forEach { (key, record) throws(StorageError) in
            seen += 1
            try people.delete(RecordKey((record.id + 1) % 400))
            try people.put(Person(id: 1000 + record.id, name: "new", age: record.age))
        }
        #expect(seen == 400)
    }

    /// Index entries are read ahead in groups, up to the number of records that are wanted.
    @Test func readingAheadFindsWhatIsThereAndNoMore() throws {
        let fixture = try CollectionFixture()
        // More than a memtable that fits into the processor's cache.
        let many = try fixture.filled(6000)
        let expected = (0..<6000).map(Person.numbered).filter { $0.age >= 40 }
            .sorted { ($0.age, $1.name, $0.id) < ($1.age, $0.name, $1.id) }
        let query = many.query(#Predicate { $0.age >= 40 }).ordered(by: .ascending(\.age), .descending(\.name))
        for limit in [1, 2, 15, 16, 17, 20, 33] {
            let limited = query.limit(limit)
            #expect(try limited.records().map(\.age) == expected.prefix(limit).map(\.age))
            let read = try limited.explain()
            #expect(read.entriesRead == limit && read.recordsRead == limit)
        }
        #expect(try query.records().count == expected.count)
        try many.delete(RecordKey(40))
        try many.namespace.remove(RecordKey(140).bytes)
        let rest = try query.limit(20).explain()
        #expect(rest.matches == 20 && rest.staleEntries <= 1 && rest.entriesRead == 20 + rest.staleEntries)
    }
}
