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

struct ContactV1: Codable, Sendable, Equatable {
    var id: Int
    var name: String

    static let schema = RecordSchema<ContactV1>(
        "contacts", key: \.id, fields: [RecordField("id", \.id), RecordField("name", \.name, .unique)])
}

struct Contact: Codable, Sendable, Equatable {
    var id: Int
    var first: String
    var last: String

    static let schema = RecordSchema<Contact>(
        "contacts",
        codec: VersionedCodec(ContactV1.self).then(Contact.self) { old in
            let parts = old.name.split(separator: " ").map(String.init)
            return Contact(id: old.id, first: parts[0], last: parts[1])
        }, key: \.id, fields: [RecordField("id", \.id), RecordField("first", \.first), RecordField("last", \.last)],
        indexes: [RecordIndex("byLast", .ascending(\.last), .ascending(\.first), isUnique: true)])
}

/// From version to version: collections.md, section 2, "migrations".
@Suite struct CollectionMigrationTests {
    private let fixture: CollectionFixture

    init() throws {
        fixture = try CollectionFixture()
        let old = try fixture.store.common.collection(ContactV1.schema)
        try old.insert(contentsOf: (0..<500).map { ContactV1(id: $0, name: "f\($0) l\($0 % 50)") })
    }

    @Test func anotherVersionIsRefusedUnlessItIsAdopted() throws {
        let found = code { () throws(StorageError) in try fixture.store.common.collection(Contact.schema) }
        #expect(found == .schemaMismatch)
        _ = try fixture.store.common.collection(Contact.schema, onDifference: .adopt)
        let back = code { () throws(StorageError) in
            try fixture.store.common.collection(ContactV1.schema, onDifference: .adopt)
        }
        #expect(back == .schemaMismatch)
    }

    @Test func oldRecordsAreReadableUntilTheyAreMigrated() throws {
        let contacts = try fixture.store.common.collection(Contact.schema, onDifference: .adopt)
        #expect(try contacts.find(7) == Contact(id: 7, first: "f7", last: "l7"))
        let query = contacts.query(#Predicate { $0.last == "l7" })
        #expect(try query.count() == 10)
        #expect(try query.explain().source == .allRecords)
        try contacts.modify(RecordKey(7)) { $0.last = "new" }
        let report = try contacts.migrate()
        #expect(report.examined == 500 && report.migrated == 499 && report.failures.isEmpty)
        #expect(try query.count() == 9)
        #expect(try query.explain().source == .index)
        #expect(try contacts.verify().isSound)
        #expect(contacts.namespace.child(".index").childNames == ["2"])
    }

    @Test func anInterruptedMigrationContinuesWhereItStopped() throws {
        let contacts = try fixture.store.common.collection(Contact.schema, onDifference: .adopt)
        let stopped = code { () throws(StorageError) in
            try contacts.migrate { (progress) throws(StorageError) in
                if progress.examined >= 128 { throw StorageError(.cancelled, "stop") }
            }
        }
        #expect(stopped == .cancelled)
        try fixture.reopen()
        let again = try fixture.store.common.collection(Contact.schema, onDifference: .adopt)
        var first: CollectionMigrationProgress?
        let report = try again.migrate { first = first ?? $0 }
        #expect(report.examined == 372 && report.migrated == 372)
        #expect(first?.examined == 256)
        #expect(try again.verify().isSound)
        #expect(try again.verify().entries == 500)
    }

    @Test func aRecordThatCannotBeMigratedStaysAndIsReported() throws {
        let old = try fixture.store.common.collection(ContactV1.schema)
        try old.insert(ContactV1(id: 9000, name: "x y"))
        try old.namespace.set(5, forKey: RecordKey(9000).bytes)
        let contacts = try fixture.store.common.collection(Contact.schema, onDifference: .adopt)
        let report = try contacts.migrate()
        #expect(report.failures.map(\.key) == [try RecordKey(9000)])
        #expect(try contacts.query(#Predicate { $0.last == "l7" }).count() == 10)
        #expect(try old.namespace.int(forKey: RecordKey(9000).bytes) == 5)
    }

    @Test func expiryAndPurgeabilityOutliveAMigration() throws {
        let old = try fixture.store.common.collection(ContactV1.schema)
        try old.insert(ContactV1(id: 9000, name: "x y"), options: [.purgeable, .expires(after: .seconds(60))])
        let contacts = try fixture.store.common.collection(Contact.schema, onDifference: .adopt)
        fixture.time.advance(milliseconds: 1000)
        try contacts.migrate()
        #expect(try contacts.verify().isSound)
        #expect(try contacts.query(#Predicate { $0.last == "y" }).count() == 1)
        fixture.time.advance(milliseconds: 59_000)
        #expect(try contacts.query(#Predicate { $0.last == "y" }).count() == 0)
        #expect(try contacts.verify().entries == 500)
    }

    @Test func writersContinueDuringAMigration() throws {
        let contacts = try fixture.store.common.collection(Contact.schema, onDifference: .adopt)
        var step = 0
        try contacts.migrate { (_) throws(StorageError) in
            step += 1
            // Records before and behind the position.
            try contacts.put(Contact(id: step, first: "early", last: "\(step)"))
            try contacts.put(Contact(id: 499 - step, first: "late", last: "\(step)"))
            try contacts.delete(RecordKey(250 + step))
            try contacts.insert(Contact(id: 10_000 + step, first: "new", last: "\(step)"))
        }
        let report = try contacts.verify()
        #expect(report.isSound && report.staleEntries == 0 && report.entries == report.records)
    }

    /// Each conflict halves a step, so that it has fewer records than the writer changes meanwhile.
    @Test func aPassEndsBesideAWriterThatNeverStops() throws {
        let contacts = try fixture.store.common.collection(Contact.schema, onDifference: .adopt)
        let hasEnded = Locked(false)
        try ParallelWork.run(2, threads: 2, poll: {}) { (worker, _) throws(StorageError) in
            if worker == 0 {
                defer { hasEnded.withLock { $0 = true } }
                try contacts.migrate()
                return
            }
            var number = 0
            while !hasEnded.withLock({ $0 }) {
                number += 1
                try contacts.modify(RecordKey(number * 7 % 500)) { $0.first = "w\(number)" }
            }
        }
        #expect(try !contacts.needsMigration)
        let report = try contacts.verify()
        #expect(report.isSound && report.staleEntries == 0 && report.entries == 500)
    }

    @Test func stepsGrow() throws {
        let contacts = try fixture.store.common.collection(Contact.schema, onDifference: .adopt)
        var examined: [Int] = []
        try contacts.migrate { (progress) in examined.append(progress.examined) }
        #expect(examined == [128, 384, 500])
    }
}
