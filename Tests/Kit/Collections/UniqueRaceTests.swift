import Shale
import ShaleBase
import ShaleCollections
import ShalePlatform
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Two writers of one unique value: collections.md, section 3.
@Suite struct UniqueRaceTests {
    private enum Outcome: Equatable { case inserted, refused, other(String) }

    @Test func ofManyWritersOfOneValueOneWinsAndTheOthersGetTheViolation() throws {
        let fixture = try CollectionFixture()
        let people = try fixture.people()
        let (writers, rounds) = (8, 40)
        let outcomes = Locked<[Outcome]>([])
        try ParallelWork.run(writers, threads: writers, poll: {}) { (writer, _) throws(StorageError) in
            for round in 0..<rounds {
                let person = Person(id: round * writers + writer, name: "n", email: "e\(round)", age: writer)
                var outcome = Outcome.inserted
                do throws(StorageError) {
                    try people.insert(person)
                } catch {
                    let isRefused = error.constraintViolation?.field == "email"
                    outcome = isRefused ? .refused : .other(error.description)
                }
                outcomes.withLock { $0.append(outcome) }
            }
        }
        let all = outcomes.withLock { $0 }
        #expect(all.count { $0 == .inserted } == rounds)
        #expect(all.count { $0 == .refused } == rounds * (writers - 1))
        #expect(try people.count() == rounds)
        let report = try people.verify()
        #expect(report.isSound && report.staleEntries == 0 && report.entries == rounds * 4)
    }

    @Test func ofManyBatchesWithOneValueOneWins() throws {
        let fixture = try CollectionFixture()
        let people = try fixture.people()
        let (writers, rounds) = (4, 20)
        let inserted = Locked(0)
        try ParallelWork.run(writers, threads: writers, poll: {}) { (writer, _) throws(StorageError) in
            for round in 0..<rounds {
                let first = (round * writers + writer) * 3
                let batch = (0..<3).map {
                    Person(id: first + $0, name: "n", email: $0 == 1 ? "e\(round)" : "\(first + $0)", age: writer)
                }
                do throws(StorageError) {
                    try people.insert(contentsOf: batch)
                    inserted.withLock { $0 += 1 }
                } catch {
                    guard error.constraintViolation?.field == "email" else { throw error }
                }
            }
        }
        #expect(inserted.withLock { $0 } == rounds)
        #expect(try people.count() == rounds * 3)
        let report = try people.verify()
        #expect(report.isSound && report.staleEntries == 0 && report.entries == rounds * 12)
    }

    @Test func readersBesideWritersSeeEachRecordOnce() throws {
        let fixture = try CollectionFixture()
        let people = try fixture.people()
        let count = 50
        try people.insert(contentsOf: (0..<count).map(Person.numbered))
        let problems = Locked<[String]>([])
        try ParallelWork.run(4, threads: 4, poll: {}) { (worker, _) throws(StorageError) in
            for round in 0..<60 {
                guard worker % 2 == 0 else {
                    let ids = try people.query(#Predicate { $0.age >= 0 }).records().map(\.id)
                    if ids.sorted() != Array(0..<count) { problems.withLock { $0.append("\(ids)") } }
                    continue
                }
                let key = try RecordKey((round * 7 + worker) % count)
                try people.modify(key) { $0.age = ($0.age + 31) % 100 }
            }
        }
        #expect(problems.withLock { $0 }.isEmpty)
        #expect(try people.verify().isSound)
    }
}
