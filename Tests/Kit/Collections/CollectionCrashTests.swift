import Shale
import ShaleBase
import ShaleCollections
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// There is no crash point between a record and its index entries, nor one that a migration can't continue from.
@Suite struct CollectionCrashTests {
    private static func open(_ files: SimulatedFileSystem) throws -> Store {
        var options = Store.Options()
        options.engine.time = ManualTime()
        options.engine.syncInterval = nil
        options.engine.memtableBytes = 64 << 10
        return try Store(
            at: "/store", options: options,
            environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 1), scheduling: .inline))
    }

    @Test func afterACrashAnywhereRecordsAndIndexesAgree() throws {
        let files = SimulatedFileSystem(seed: 7)
        let store = try Self.open(files)
        let people = try store.common.collection(Person.schema)
        try people.insert(contentsOf: (0..<50).map(Person.numbered))
        try store.sync()
        let every = Ring.choose(commit: 15, nightly: 1, release: 1)
        let crashes = try files.crashes(where: { $0 % every == 0 }, mark: { 0 }) {
            for step in 0..<40 {
                try people.insert(Person(id: 100 + step, name: "new", email: "s\(step)", age: step))
                try people.modify(RecordKey(step)) { $0.age = 1000 + step }
                if step % 4 == 0 { try people.delete(RecordKey(step + 1)) }
                if step % 5 == 0 { try store.sync() }
            }
            try people.query(#Predicate { $0.age < 20 }).delete()
            try store.sync()
        }
        try store.close()
        for crash in crashes {
            let store = try Self.open(crash.files)
            let people = try store.common.collection(Person.schema)
            let report = try people.verify()
            #expect(report.isSound && report.staleEntries == 0 && report.failures.isEmpty, "\(crash.place)")
            #expect(report.entries == 4 * report.records, "\(crash.place)")
            let all = try people.query().records()
            for person in all where person.age >= 1000 { #expect(person.id < 40, "\(crash.place)") }
            try store.close()
        }
        Ring.covered(crashes.count, "crashes during changes of a collection")
    }

    @Test func aMigrationContinuesAfterACrashAnywhere() throws {
        let files = SimulatedFileSystem(seed: 9)
        let store = try Self.open(files)
        let old = try store.common.collection(ContactV1.schema)
        try old.insert(contentsOf: (0..<400).map { ContactV1(id: $0, name: "f\($0) l\($0 % 50)") })
        try store.sync()
        let every = Ring.choose(commit: 15, nightly: 1, release: 1)
        let crashes = try files.crashes(where: { $0 % every == 0 }, mark: { 0 }) {
            let contacts = try store.common.collection(Contact.schema, onDifference: .adopt)
            try contacts.migrate { (_) throws(StorageError) in try store.sync() }
            try store.sync()
        }
        try store.close()
        for crash in crashes {
            let store = try Self.open(crash.files)
            let contacts = try store.common.collection(Contact.schema, onDifference: .adopt)
            #expect(try contacts.query(#Predicate { $0.last == "l7" }).count() == 8, "\(crash.place)")
            try contacts.migrate()
            #expect(try !contacts.needsMigration)
            let report = try contacts.verify()
            #expect(report.isSound && report.staleEntries == 0 && report.entries == 400, "\(crash.place)")
            #expect(try contacts.query(#Predicate { $0.last == "l7" }).explain().source == .index)
            #expect(contacts.namespace.child(".index").childNames.count == 1, "\(crash.place)")
            try store.close()
        }
        Ring.covered(crashes.count, "crashes during a migration of a collection")
    }
}
