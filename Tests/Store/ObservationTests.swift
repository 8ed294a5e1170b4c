import Shale
import TestSupport
import Testing

/// Observation streams that miss no change.
@Suite struct ObservationTests {
    private static let patience = Duration.seconds(30)

    /// Returns the next `count` changes as text.
    private static func take(_ count: Int, _ changes: Store.Changes) -> [String] {
        (0..<count).map { _ in changes.next(waiting: patience).map(text) ?? "nothing" }
    }

    private static func text(_ change: Store.Change) -> String {
        let place = change.namespace.map { $0.path.joined(separator: "/") } ?? ""
        return switch change {
        case .set(let key, _, _): "set \(place):\(key)"
        case .removed(let key, _, _): "removed \(place):\(key)"
        case .expired(let key, _, _): "expired \(place):\(key)"
        case .purged: "purged \(place)"
        case .truncated: "truncated \(place)"
        case .dropped: "dropped \(place)"
        case .gap: "gap"
        }
    }

    @Test func everyKindOfChangeIsDeliveredInOrder() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        // Observes before the namespace exists.
        let changes = try namespace.changes()
        try namespace.set(1, forKey: "a")
        try namespace.set(1, forKey: "b", durability: .synced)
        try namespace.remove("a")
        try fixture["other"].set(1, forKey: "x")
        try fixture.store.write { (batch) throws(StorageError) in
            try batch.set(1, forKey: "c", in: namespace)
            try batch.set(1, forKey: "x", in: fixture["other"])
            try batch.remove("c", in: namespace)
        }
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set(1, forKey: "d", in: namespace)
        }
        try namespace.set("v", forKey: "e", options: [.purgeable])
        try fixture.store.purgeNow()
        try namespace.truncate()
        try namespace.drop()
        try namespace.set(1, forKey: "f")
        #expect(
            Self.take(11, changes) == [
                "set n:a", "set n:b", "removed n:a", "set n:c", "removed n:c", "set n:d", "set n:e", "purged n",
                "truncated n", "dropped n", "set n:f",
            ])
        #expect(changes.next(waiting: .zero) == nil)
    }

    @Test func aChangeIsVisibleWhenItIsDelivered() throws {
        let fixture = try StoreFixture()
        let changes = try fixture["n"].changes()
        for durability in [Durability.buffered, .synced] {
            try fixture["n"].set(7, forKey: "k\(durability)", durability: durability)
            let key = try #require(changes.next(waiting: Self.patience)?.key)
            #expect(try fixture["n"].int(forKey: key) == 7)
        }
    }

    @Test func keysPrefixesAndRangesAreDistinguished() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let one = try namespace.changes(forKey: "a/1")
        let prefix = try namespace.changes(prefix: "a/")
        let range = try namespace.changes(in: "a/2"..<"b")
        let typed = try namespace.changes(for: Key<Int>("b", default: 0))
        for key in ["a", "a/1", "a/2", "b"] { try namespace.set(1, forKey: key) }
        try namespace.truncate()
        #expect(Self.take(2, one) == ["set n:a/1", "truncated n"])
        #expect(Self.take(3, prefix) == ["set n:a/1", "set n:a/2", "truncated n"])
        #expect(Self.take(2, range) == ["set n:a/2", "truncated n"])
        #expect(Self.take(2, typed) == ["set n:b", "truncated n"])
    }

    /// An observed space belongs to one user, whichever user is signed in.
    @Test func usersAndSubtreesAreDistinguished() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try store.signIn("a")
        let first = try store.current.changes()
        let tree = try store.common["n"].subtreeChanges()
        let all = try store.changes()
        try store.current["n"].set(1, forKey: "1")
        try store.signIn("b")
        try store.current["n"].set(1, forKey: "2")
        try store.user("a")["m"].child("x").set(1, forKey: "3")
        try store.common["n"].child("y").set(1, forKey: "4")
        try store.common["n2"].set(1, forKey: "5")
        try store.removeUser("a")
        #expect(Self.take(2, first) == ["set n:1", "set m/x:3"])
        #expect(Set(Self.take(2, first)) == ["dropped n", "dropped m/x"])
        #expect(Self.take(1, tree) == ["set n/y:4"])
        #expect(Self.take(5, all) == ["set n:1", "set n:2", "set m/x:3", "set n/y:4", "set n2:5"])
        #expect(all.next(waiting: Self.patience)?.namespace?.space == store.user("a"))
        #expect(first.next(waiting: .zero) == nil && tree.next(waiting: .zero) == nil)
    }

    @Test func changesBeyondTheCapacityAreOneGap() throws {
        let fixture = try StoreFixture()
        let changes = try fixture["n"].changes(capacity: 2)
        let whole = try fixture["n"].changes()
        for index in 0..<10 { try fixture["n"].set(index, forKey: "\(index)") }
        // All changes are delivered once the last one is.
        let sequences = (0..<10).compactMap { _ in whole.next(waiting: Self.patience)?.sequence }
        #expect(Self.take(2, changes) == ["set n:0", "set n:1"])
        #expect(changes.next(waiting: Self.patience) == .gap(from: sequences[2], to: sequences[9]))
        try fixture["n"].set(1, forKey: "after")
        #expect(Self.take(1, changes) == ["set n:after"])
    }

    @Test func aLaterSubscriptionBeginsWithAGapOverMissedChanges() throws {
        let fixture = try StoreFixture()
        let first = try fixture["n"].changes()
        try fixture["n"].set(1, forKey: "a")
        let seen = try #require(first.next(waiting: Self.patience)).sequence
        first.cancel()
        let nothing = try fixture["n"].changes(since: seen)
        #expect(nothing.next(waiting: .zero) == nil)
        try fixture["n"].set(1, forKey: "b")
        let second = try fixture["n"].changes(since: seen)
        #expect(second.next(waiting: .zero) == .gap(from: seen + 1, to: second.start))
        try fixture["n"].set(1, forKey: "c")
        #expect(Self.take(1, second) == ["set n:c"])
        // A sequence from a state of the store that was lost.
        let third = try fixture["n"].changes(since: seen + 1000)
        #expect(third.next(waiting: .zero) == .gap(from: 1, to: third.start))
    }

    @Test func theEndOfATimeToLiveIsNoChange() throws {
        let fixture = try StoreFixture()
        let changes = try fixture["n"].changes()
        try fixture["n"].set(1, forKey: "k", options: [.expires(after: .seconds(1))])
        fixture.time.advance(milliseconds: 2000)
        try fixture.store.purge(.namespace(fixture["other"]))
        try fixture["n"].set(1, forKey: "l")
        #expect(Self.take(2, changes) == ["set n:k", "set n:l"])
    }

    @Test func cancellingATaskEndsItsSubscription() async throws {
        let fixture = try StoreFixture()
        let changes = try fixture["n"].changes()
        let task = Task {
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        task.cancel()
        _ = await task.value
        try fixture["n"].set(1, forKey: "k")
        #expect(changes.next(waiting: .milliseconds(20)) == nil)
    }

    @Test func closingTheStoreTellsTheRestAndThenTheEnd() async throws {
        let fixture = try StoreFixture()
        let changes = try fixture["n"].changes()
        let waiting = try fixture["never"].changes()
        let task = Task {
            for await _ in waiting { Issue.record("nothing was written there") }
        }
        for index in 0..<100 { try fixture["n"].set(index, forKey: "\(index)") }
        try await fixture.store.close()
        await task.value
        var count = 0
        for await _ in changes { count += 1 }
        #expect(count == 100)
        #expect(code { () throws(StorageError) in try fixture["n"].changes() } == .closed)
        try fixture.reopen()
    }

    @Test func theValuesOfATypedKeyEndWithTheNewest() async throws {
        let fixture = try StoreFixture()
        let key = Key<Int>("k", default: -1)
        let namespace = fixture["n"]
        var values = try namespace.values(for: key).makeAsyncIterator()
        #expect(try await values.next() == -1)
        try namespace.set(1, for: key)
        try namespace.set(2, for: key)
        while try await values.next() != 2 {}
        try namespace.remove(key)
        #expect(try await values.next() == -1)
        try namespace.set("text", forKey: "k")
        await #expect(throws: StorageError.self) { try await values.next() }
        #expect(try await values.next() == nil)
    }

    @Test func aSubscriptionNeedsRoomAndAName() throws {
        let fixture = try StoreFixture()
        #expect(code { () throws(StorageError) in try fixture["n"].changes(capacity: 0) } == .invalidArgument)
        let long = fixture[String(repeating: "n", count: 5000)]
        #expect(code { () throws(StorageError) in try long.changes() } == .invalidArgument)
    }
}
