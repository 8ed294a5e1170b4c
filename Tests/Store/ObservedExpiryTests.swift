import Shale
import TestSupport
import Testing

/// Entries that expire are reported to those who ask for it.
@Suite struct ObservedExpiryTests {
    private static let patience = Duration.seconds(30)

    private static func next(_ changes: Store.Changes) -> String {
        switch changes.next(waiting: patience) {
        case .set(let key, _, _): "set \(key)"
        case .removed(let key, _, _): "removed \(key)"
        case .expired(let key, let namespace, _): "expired \(namespace.path.joined(separator: "/")):\(key)"
        case .purged: "purged"
        case .truncated: "truncated"
        case .dropped: "dropped"
        case .gap: "gap"
        case nil: "nothing"
        }
    }

    @Test func anEntryThatWasThereAndOneThatIsSetAreReported() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "before", options: .expires(after: .seconds(100)))
        try namespace.set(1, forKey: "stays")
        let changes = try namespace.changes(reportsExpiry: true)
        try namespace.set(2, forKey: "after", options: .expires(after: .seconds(50)))
        #expect(Self.next(changes) == "set after")
        fixture.time.advance(milliseconds: 50_000)
        #expect(Self.next(changes) == "expired n:after")
        #expect(try namespace.int(forKey: "after") == nil)
        fixture.time.advance(milliseconds: 50_000)
        #expect(Self.next(changes) == "expired n:before")
        #expect(changes.next(waiting: .milliseconds(10)) == nil)
    }

    /// The thread that delivers changes sleeps without a limit while it knows of no expiry.
    @Test func aSubscriptionIsToldAlthoughNothingIsWrittenAfterIt() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let earlier = try namespace.changes()
        try namespace.set(1, forKey: "k", options: .expires(after: .seconds(1)))
        #expect(Self.next(earlier) == "set k")
        #expect(earlier.next(waiting: .milliseconds(20)) == nil, "the thread sleeps by now")
        let changes = try namespace.changes(reportsExpiry: true)
        fixture.time.advance(milliseconds: 1000)
        #expect(Self.next(changes) == "expired n:k")
    }

    /// The newest write of a key decides: a later expiry, none, removal, purge.
    @Test func whatWasWrittenAgainIsNotReported() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let changes = try namespace.changes(reportsExpiry: true)
        for key in ["later", "never", "removed"] {
            try namespace.set(1, forKey: key, options: .expires(after: .seconds(10)))
        }
        try namespace.set(1, forKey: "purged", options: [.purgeable, .expires(after: .seconds(10))])
        try namespace.set(1, forKey: "kept", options: .expires(after: .seconds(10)))
        try namespace.set(2, forKey: "later", options: .expires(after: .seconds(20)))
        try namespace.set(2, forKey: "never")
        try namespace.remove("removed")
        try fixture.store.purgeNow()
        fixture.time.advance(milliseconds: 10_000)
        var seen: [String] = []
        while seen.last?.hasPrefix("expired") != true, seen.count < 20 { seen.append(Self.next(changes)) }
        #expect(seen.count == 10)
        #expect(seen.last == "expired n:kept")
        fixture.time.advance(milliseconds: 10_000)
        #expect(Self.next(changes) == "expired n:later")
        #expect(changes.next(waiting: .milliseconds(10)) == nil)
    }

    @Test func whoDoesNotAskIsNotTold() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let (quiet, told) = (try namespace.changes(), try namespace.changes(reportsExpiry: true))
        try namespace.set(1, forKey: "k", options: .expires(after: .seconds(1)))
        fixture.time.advance(milliseconds: 1000)
        #expect(Self.next(told) == "set k")
        #expect(Self.next(told) == "expired n:k")
        #expect(Self.next(quiet) == "set k")
        #expect(quiet.next(waiting: .milliseconds(10)) == nil)
    }

    @Test func rangesAndNamespacesAreKeptApart() throws {
        let fixture = try StoreFixture()
        let changes = try fixture.store.common["a"].changes(prefix: "x/", reportsExpiry: true)
        let all = try fixture.store.changes(reportsExpiry: true)
        for (name, key) in [("a", "x/1"), ("a", "y/1"), ("b", "x/1")] {
            try fixture.store.common[name].set(1, forKey: key, options: .expires(after: .seconds(1)))
        }
        fixture.time.advance(milliseconds: 1000)
        #expect([Self.next(changes), Self.next(changes)] == ["set x/1", "expired a:x/1"])
        let seen = Set((0..<6).map { _ in Self.next(all) })
        #expect(seen.isSuperset(of: ["expired a:x/1", "expired a:y/1", "expired b:x/1"]))
    }

    /// A reader that continues after the expiry misses nothing that was written later.
    @Test func theSequenceOfAnExpiryContinues() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let changes = try namespace.changes(reportsExpiry: true)
        try namespace.set(1, forKey: "k", options: .expires(after: .seconds(1)))
        fixture.time.advance(milliseconds: 1000)
        let set = try #require(changes.next(waiting: Self.patience))
        let expired = try #require(changes.next(waiting: Self.patience))
        #expect(expired.sequence == set.sequence)
        #expect(expired.key == "k")
        try namespace.set(2, forKey: "k")
        let continued = try namespace.changes(since: expired.sequence)
        #expect(Self.next(continued) == "gap")
    }

    @Test func theValueOfAKeyBecomesNil() async throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(7, forKey: "k", options: .expires(after: .seconds(5)))
        var values = try namespace.values(forKey: "k", as: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 7)
        fixture.time.advance(milliseconds: 5000)
        #expect(try await values.next() == .some(nil))
    }
}
