import Foundation
import Shale
import ShaleCollections
import Testing

@testable import ShaleCommand

@Suite struct CollectionsCommandTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        try PeopleStore.make(sandbox)
        return sandbox
    }

    /// Removes three entries of the index byAge.
    private func damage(_ sandbox: Sandbox) throws {
        let store = try Store(at: sandbox.store)
        let collection = try #require(try store.common.storedCollection("people"))
        let byAge = collection.indexes[0].namespace
        for key in try byAge.keys.array(limit: 3) { try byAge.remove(key) }
        try store.close()
    }

    @Test func collectionsAreListedWithFieldsAndIndexes() throws {
        let sandbox = try sandbox()
        let done = try sandbox.shale("collections", sandbox.store)
        #expect(done.status == 0)
        let parts = done.output.components(separatedBy: "\n\n")
        #expect(parts.count == 2)
        let head = parts[0].split(separator: "\n").first ?? ""
        #expect(head.hasPrefix("people in collections/people: version 1, key id, 30 records, "))
        for line in [
            "  FIELD  KIND     CONSTRAINT", "  id     integer  key", "  email  text     unique",
            "  age    integer  never null", "  since  date     never null",
        ] {
            #expect(parts[0].contains("\n\(line)\n"), "\(line)")
        }
        #expect(parts[0].contains("  byAge  age, name desc  no      ready       30  "))
        #expect(parts[0].contains("  email  email           yes     ready       30  "))
        #expect(parts[1].hasPrefix("notes in u1:notes: version 1, generated keys, 1 record, "))
    }

    @Test func oneCollectionIsNamed() throws {
        let sandbox = try sandbox()
        let json = try sandbox.shale("collections", sandbox.store, "people", "--json").json()
        let collections = try #require(json["collections"] as? [[String: Any]])
        #expect(collections.map { $0["name"] as? String } == ["people"])
        #expect(collections[0]["key"] as? String == "id" && collections[0]["records"] as? Int == 30)
        let indexes = try #require(collections[0]["indexes"] as? [[String: Any]])
        #expect(indexes.map { $0["name"] as? String } == ["byAge", "email"])
        #expect((indexes[0]["columns"] as? [[String: Any]])?.map { $0["descending"] as? Bool } == [false, true])
        #expect(try sandbox.shale("collections", sandbox.store, "nobody").status == 1)
        #expect(try sandbox.shale("collections", sandbox.store, "--user", "u1").status == 64)
        #expect(try sandbox.shale("collections", sandbox.store, "--verify", "--rebuild").status == 64)
    }

    @Test func rowsAreCollectionsFieldsOrIndexes() throws {
        let sandbox = try sandbox()
        let rows = ["collections", sandbox.store, "--format", "csv", "--rows"]
        let collections = try sandbox.run(rows + ["collections"]).output.split(separator: "\n")
        #expect(
            collections.first == "name,namespace,user,version,key,records,rawBytes,storedBytes,migrating,sound")
        #expect(collections.count == 3 && collections[1].hasPrefix("people,collections/people,,1,id,30,"))
        let fields = try sandbox.run(rows + ["fields"]).output
        #expect(fields.hasPrefix("namespace,user,name,kind,constraint,nullable\n"))
        #expect(fields.contains("\ncollections/people,,email,text,unique,true\n"))
        let indexes = try sandbox.run(rows + ["indexes"]).output
        #expect(indexes.contains("\ncollections/people,,email,"))
        #expect(indexes.split(separator: "\n").count == 3)
    }

    @Test func aSoundCollectionIsVerified() throws {
        let sandbox = try sandbox()
        let done = try sandbox.shale("collections", sandbox.store, "people", "--verify")
        #expect(done.status == 0 && done.output.hasSuffix("\nall indexes agree with 30 records\n"))
        let json = try sandbox.shale("collections", sandbox.store, "people", "--verify", "--json").json()
        #expect((json["collections"] as? [[String: Any]])?.first?["sound"] as? Bool == true)
    }

    @Test func anIndexThatDisagreesIsFoundAndRebuilt() throws {
        let sandbox = try sandbox()
        try damage(sandbox)
        let found = try sandbox.shale("collections", sandbox.store, "--verify")
        #expect(found.status == 2)
        #expect(found.output.contains("\nindex byAge: entries 3 missing\n"))
        let rebuilt = try sandbox.shale("collections", sandbox.store, "people", "--rebuild")
        #expect(rebuilt.status == 0)
        #expect(rebuilt.output.hasSuffix("\nindex byAge: entries 3 missing\nbuilt again: byAge\n"))
        #expect(try sandbox.shale("collections", sandbox.store, "--verify").status == 0)
        let again = try sandbox.shale("collections", sandbox.store, "people", "--rebuild")
        #expect(again.status == 0 && again.output.hasSuffix("\nall indexes agree with 30 records\n"))
        #expect(try sandbox.shale("query", sandbox.store, "people", "--where", "age = 0", "--count").output == "3\n")
    }

    @Test func entriesOfRecordsThatAreGoneAreRemoved() throws {
        let sandbox = try sandbox()
        let store = try Store(at: sandbox.store)
        try store.common["collections"].child("people").remove(RecordKey(4).bytes)
        try store.close()
        let found = try sandbox.shale("collections", sandbox.store, "people", "--verify")
        #expect(found.status == 0 && found.output.contains("\nindex byAge: entries 1 stale\n"))
        let mended = try sandbox.shale("collections", sandbox.store, "people", "--rebuild")
        #expect(mended.status == 0 && mended.output.hasSuffix("\nremoved: 2 stale entries\n"))
    }

    @Test func aRebuildNeedsTheLock() throws {
        let sandbox = try sandbox()
        let store = try Store(at: sandbox.store)
        #expect(try sandbox.shale("collections", sandbox.store, "people", "--rebuild").status == 3)
        #expect(try sandbox.shale("collections", sandbox.store, "people", "--verify").status == 0)
        try store.close()
    }

    @Test func aSchemaThatIsDamagedIsNamedBesideTheOthers() throws {
        let sandbox = try sandbox()
        let store = try Store(at: sandbox.store)
        try store.common["broken"].child(".schema").set("no schema", forKey: "schema")
        try store.close()
        let done = try sandbox.shale("collections", sandbox.store)
        #expect(done.status == 2)
        #expect(done.output.contains("people in collections/people"))
        #expect(done.output.contains("\n\nbroken: typeMismatch: "))
        #expect(try sandbox.shale("query", sandbox.store, "broken").status == 1)
    }
}
