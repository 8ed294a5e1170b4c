import ShaleBase
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine
@testable import ShalePlatform

/// A wrong reading of the wall clock destroys nothing and makes nothing last forever.
@Suite struct ClockJumpTests {
    static let hour: Int64 = 3_600_000
    static let day: Int64 = 24 * hour
    static let year: Int64 = 365 * day
    static let today: Int64 = 1_700_000_000_000

    static func store(at wall: Int64 = today) throws -> (TestStore, NamespaceID) {
        let store = try TestStore(time: ManualTime(wallMilliseconds: wall))
        return (store, try store.namespace("n"))
    }

    static func expiring(_ milliseconds: Int64) -> PutOptions { PutOptions(expiresAtMilliseconds: milliseconds) }

    @Test(arguments: [30 * day, year, 75 * year])
    func oneOpeningUnderAWrongClockLosesNothing(_ jump: Int64) throws {
        let (store, ns) = try Self.store()
        try store.put("session", "v", in: ns, options: Self.expiring(Self.today + 20 * Self.day))
        store.time.wallMilliseconds = Self.today + jump
        try store.reopen()
        store.time.wallMilliseconds = Self.today + 1000
        try store.reopen()
        #expect(try store.get("session", in: ns) == "v")
        #expect(store.engine.wallMilliseconds == Self.today + 1000)
    }

    @Test(arguments: [30 * day, year, 75 * year])
    func aJumpWhileItRunsLosesNothing(_ jump: Int64) throws {
        let (store, ns) = try Self.store()
        try store.put("session", "v", in: ns, options: Self.expiring(Self.today + 20 * Self.day))
        store.time.wallMilliseconds += jump
        _ = try store.get("session", in: ns)
        store.time.advance(milliseconds: 1000)
        _ = try store.get("session", in: ns)
        store.time.wallMilliseconds -= jump
        #expect(try store.get("session", in: ns) == "v")
        #expect(store.engine.wallMilliseconds == Self.today + 1000)
    }

    @Test(arguments: [30 * day, year, 75 * year])
    func flushesAndCompactionsUnderAWrongClockDestroyNothing(_ jump: Int64) throws {
        let (store, ns) = try Self.store()
        for i in 0..<500 { try store.put("key\(i)", "old", in: ns, options: Self.expiring(Self.today + 20 * Self.day)) }
        try store.engine.flush()
        store.time.wallMilliseconds += jump
        for i in 500..<1000 {
            try store.put("key\(i)", "new", in: ns, options: Self.expiring(Self.today + 20 * Self.day))
        }
        try store.engine.flush()
        try store.engine.compact()
        try store.engine.reclaim()
        try store.reopen()
        try store.engine.compact()
        store.time.wallMilliseconds -= jump
        #expect(try store.scan(ns).count == 1000)
        try store.reopen()
        #expect(try store.scan(ns).count == 1000)
    }

    @Test func aLifetimeThatBeginsAfterAWrongReadingEnds() throws {
        let (store, ns) = try Self.store()
        store.time.wallMilliseconds += 75 * Self.year
        try store.reopen()
        store.time.wallMilliseconds -= 75 * Self.year
        try store.reopen()
        try store.put("new", "v", in: ns, options: Self.expiring(store.engine.wallMilliseconds + 60_000))
        store.time.advance(milliseconds: 60_000)
        #expect(try store.get("new", in: ns) == nil)
    }

    @Test func aLifetimeThatBeginsUnderAWildReadingEnds() throws {
        let (store, ns) = try Self.store()
        store.time.wallMilliseconds += 75 * Self.year
        try store.put("running", "v", in: ns, options: Self.expiring(store.engine.wallMilliseconds + 60_000))
        try store.reopen()
        try store.put("opened", "v", in: ns, options: Self.expiring(store.engine.wallMilliseconds + 60_000))
        #expect(try store.scan(ns).count == 2)
        store.time.wallMilliseconds -= 75 * Self.year
        try store.reopen()
        store.time.advance(milliseconds: 60_000)
        #expect(try store.scan(ns) == [])
    }

    /// The reading of a machine without a clock battery before it has asked the network.
    @Test func aClockThatBeginsAtZeroEndsNoLifeEarly() throws {
        let (store, ns) = try Self.store()
        try store.put("ended", "v", in: ns, options: Self.expiring(Self.today + 1000))
        store.time.advance(milliseconds: UInt64(2 * Self.day))
        try store.reopen()
        store.time.advance(milliseconds: UInt64(2 * Self.day))
        try store.reopen()
        store.time.wallMilliseconds = 0
        try store.reopen()
        #expect(try store.get("ended", in: ns) == nil)
        try store.put("new", "v", in: ns, options: Self.expiring(store.engine.wallMilliseconds + Self.hour))
        store.time.wallMilliseconds = Self.today + 4 * Self.day + 1000
        try store.reopen()
        #expect(try store.get("ended", in: ns) == nil)
        #expect(try store.get("new", in: ns) == "v")
    }

    @Test(arguments: [hour, day])
    func withinADayNothingExpiredComesBack(_ step: Int64) throws {
        let (store, ns) = try Self.store()
        try store.put("ended", "v", in: ns, options: Self.expiring(Self.today + step))
        store.time.wallMilliseconds += step
        #expect(try store.get("ended", in: ns) == nil)
        store.time.wallMilliseconds -= step
        #expect(try store.get("ended", in: ns) == nil)
        try store.reopen()
        #expect(try store.get("ended", in: ns) == nil)
    }

    @Test func entriesThatExpiredDuringYearsClosedAreGoneAtOnceAndFromTheDiskADayLater() throws {
        let (store, ns) = try Self.store()
        for i in 0..<500 { try store.put("key\(i)", "old", in: ns, options: Self.expiring(Self.today + 20 * Self.day)) }
        try store.put("stays", "v", in: ns)
        store.time.wallMilliseconds += 2 * Self.year
        try store.reopen()
        #expect(try store.scan(ns) == ["stays=v"])
        try store.engine.reclaim()
        #expect(try store.engine.statistics(of: ns).entries == 501)
        for _ in 0..<25 {
            store.time.advance(milliseconds: UInt64(Self.hour))
            #expect(try store.scan(ns) == ["stays=v"])
        }
        try store.engine.compact()
        #expect(try store.engine.statistics(of: ns).entries == 1)
    }

    @Test func twoOpeningsADayApartConfirmALongPause() throws {
        let (store, ns) = try Self.store()
        for i in 0..<500 { try store.put("key\(i)", "old", in: ns, options: Self.expiring(Self.today + 20 * Self.day)) }
        for pause in [2 * Self.year, 3 * Self.day] {
            try store.engine.close()
            store.time.wallMilliseconds += pause
            try store.reopen()
        }
        try store.engine.compact()
        #expect(try store.engine.statistics(of: ns).entries == 0)
    }
}
