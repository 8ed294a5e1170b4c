// The sessions of a web server: they expire, and may be purged earlier when the disk space is needed.
import ExampleSupport
import Shale
import Synchronization

struct Session: Codable, Equatable {
    var user: String
    var basket: [String] = []
}

/// The machine's clock plus an offset, so that the example need not wait for half an hour.
final class LaterClock: TimeSource {
    private let laterMilliseconds = Atomic<Int64>(0)

    func skip(minutes: Int64) { laterMilliseconds.wrappingAdd(minutes * 60_000, ordering: .relaxed) }

    var wallMilliseconds: Int64 { SystemTime().wallMilliseconds + laterMilliseconds.load(ordering: .relaxed) }
    var monotonicNanoseconds: UInt64 { SystemTime().monotonicNanoseconds }
}

@main
struct SessionCache {
    static func main() throws {
        try withTemporaryDirectory { directory in
            let clock = LaterClock()
            var options = Store.Options()
            options.engine.time = clock
            let store = try Store(at: directory + "/store", options: options)

            // Options for all entries of a namespace are set once and stored with it.
            let sessions = store.common["sessions"]
            try sessions.setOptions(NamespaceOptions(isPurgeable: true, timeToLive: .seconds(1800)))

            try expiry(sessions, clock)
            try purge(sessions, store)
            try store.close()
        }
    }

    static func expiry(_ sessions: Store.Namespace, _ clock: LaterClock) throws {
        try sessions.set(Session(user: "ada"), forKey: "token-1")
        try sessions.set(Session(user: "ben"), forKey: "token-2")
        // "Remember me": one entry that lives longer than the others.
        try sessions.set(Session(user: "eve"), forKey: "token-3", options: .expires(after: .seconds(14 * 86_400)))

        // Ada does something after 20 minutes: writing the session again restarts its lifetime.
        clock.skip(minutes: 20)
        if var session = try sessions.value(forKey: "token-1", as: Session.self) {
            session.basket.append("tea")
            try sessions.set(session, forKey: "token-1")
        }

        // After 40 minutes Ben's session has expired. This needs no thread: an expired entry is absent for every reader
        // from that millisecond on, and its disk space is freed later.
        clock.skip(minutes: 20)
        expect(try sessions.value(forKey: "token-2", as: Session.self) == nil, "Ben's session has expired")
        expect(try sessions.value(forKey: "token-1", as: Session.self)?.basket == ["tea"], "Ada's was renewed")
        expect(try sessions.contains("token-3"), "Eve's lasts two weeks")
        expect(try sessions.count() == 2, "scans and counts don't show expired entries")

        guard let until = try sessions.info(forKey: "token-3")?.expiresAt else {
            return expect(false, "an entry that expires says when")
        }
        print("after 40 minutes: \(try sessions.keys.array()); token-3 lasts until \(until)")
    }

    static func purge(_ sessions: Store.Namespace, _ store: Store) throws {
        // An order must not be purged; its namespace is not purgeable.
        let orders = store.common["orders"]
        try orders.set("2 × tea", forKey: "1")

        // One call for everything purgeable. It takes the same time for two entries as for two million.
        let report = try store.purge()
        expect(try sessions.count() == 0, "a purge takes every purgeable entry")
        expect(try orders.contains("1"), "a purge takes nothing else")
        print("purged; \(report.returnedBytes) bytes of the disk given back, \(try orders.count()) order kept")

        // The cache continues empty, with the same options.
        try sessions.set(Session(user: "ada"), forKey: "token-4")
        expect(try sessions.info(forKey: "token-4")?.isPurgeable == true, "options outlast a purge")
    }
}
