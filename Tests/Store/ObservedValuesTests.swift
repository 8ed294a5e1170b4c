import Shale
import TestSupport
import Testing

/// Values of a key, a prefix and a range as sequences: what is stored now, then again after each change.
@Suite struct ObservedValuesTests {
    @Test func aKeyDeliversItsNewestValue() async throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        var values = try namespace.values(forKey: "k", as: Int.self).makeAsyncIterator()
        #expect(try await values.next() == .some(nil))
        for value in 1...10 { try namespace.set(value, forKey: "k") }
        #expect(try await values.next() == 10, "changes that were not read become one")
        try namespace.remove("k")
        #expect(try await values.next() == .some(nil))
    }

    @Test func aRangeDeliversItsContents() async throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "a/1")
        try namespace.set(9, forKey: "b")
        var contents = try namespace.values(prefix: "a/", as: Int.self).makeAsyncIterator()
        #expect(try await contents.next()?.map(\.value) == [1])
        try await fixture.store.write { (batch) throws(StorageError) in
            for index in 2...5 { try batch.set(index, forKey: "a/\(index)", in: namespace) }
        }
        #expect(try await contents.next()?.map(\.value) == [1, 2, 3, 4, 5])
        try namespace.set(10, forKey: "b")
        try namespace.remove("a/3")
        let next = try await contents.next()
        #expect(next?.map(\.key) == ["a/1", "a/2", "a/4", "a/5"])
        try namespace.truncate()
        #expect(try await contents.next()?.isEmpty == true)
    }

    @Test func contentsAreBounded() async throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        for index in 0..<10 { try namespace.set(index, forKey: "\(index)") }
        var contents = try namespace.values(in: "2"..., as: Int.self, limit: 3).makeAsyncIterator()
        #expect(try await contents.next()?.map(\.value) == [2, 3, 4])
        #expect(
            code { () throws(StorageError) in _ = try namespace.values(in: "2"..., as: Int.self, limit: 0) }
                == .invalidArgument)
    }

    @Test func anErrorEndsTheSequence() async throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set("text", forKey: "a")
        var contents = try namespace.values(prefix: "", as: Int.self).makeAsyncIterator()
        do throws(StorageError) {
            _ = try await contents.next()
            Issue.record("a text is no number")
        } catch {
            #expect(error.code == .typeMismatch)
        }
        #expect(try await contents.next() == nil)
    }

    @Test func closingEndsTheSequence() async throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        var contents = try namespace.values(prefix: "", as: Int.self).makeAsyncIterator()
        #expect(try await contents.next()?.isEmpty == true)
        try await fixture.store.close()
        #expect(try await contents.next() == nil)
        try fixture.reopen()
    }
}
