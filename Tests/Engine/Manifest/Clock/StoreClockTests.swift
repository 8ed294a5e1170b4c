import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleManifest

/// The state of a store clock after each reading.
@Suite struct StoreClockTests {
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * hour
    private static let year: Int64 = 365 * day
    private static let today: Int64 = 1_700_000_000_000

    /// Returns a clock that readings over a day have confirmed.
    private static func confirmed() -> StoreClock {
        StoreClock(trusted: today, shown: today, provisionalSince: nil, doubt: nil)
    }

    @Test func theClockFollowsAReadingThatPassesWithTheMonotonicClock() {
        var clock = Self.confirmed()
        for step in 1...1000 {
            #expect(clock.observe(Self.today + Int64(step) * Self.year, elapsed: Self.year) == nil)
        }
        #expect(clock.trusted == Self.today + 1000 * Self.year && clock.shown == clock.trusted)
    }

    @Test func theClockStandsStillUntilAReadingWithinTheToleranceHasCaughtUp() {
        var clock = Self.confirmed()
        #expect(clock.observe(Self.today - Self.day, elapsed: 0) == nil)
        #expect(clock.observe(Self.today - Self.hour, elapsed: 23 * Self.hour) == nil)
        #expect(clock.shown == Self.today)
        #expect(clock.observe(Self.today + Self.hour, elapsed: 2 * Self.hour) == nil)
        #expect(clock.shown == Self.today + Self.hour)
    }

    @Test func theClockBelievesAJumpAheadAfterADayOfTheMonotonicClock() {
        var clock = Self.confirmed()
        var reading = Self.today + Self.year
        #expect(clock.observe(reading, elapsed: 0)?.doubtedMilliseconds == Self.year)
        #expect(clock.shown == reading && clock.trusted == Self.today)
        for passed in 1...23 {
            reading += Self.hour
            #expect(clock.observe(reading, elapsed: Self.hour) == nil)
            #expect(clock.shown == reading && clock.trusted == Self.today + Int64(passed) * Self.hour)
        }
        reading += Self.hour
        #expect(clock.observe(reading, elapsed: Self.hour) == nil)
        #expect(clock.trusted == reading && clock.doubt == nil)
    }

    @Test func anotherJumpBeginsTheDayAnew() {
        var clock = Self.confirmed()
        _ = clock.observe(Self.today + Self.year, elapsed: 0)
        _ = clock.observe(Self.today + Self.year + 20 * Self.hour, elapsed: 20 * Self.hour)
        #expect(clock.observe(Self.today + 2 * Self.year, elapsed: Self.hour)?.doubtedMilliseconds != nil)
        _ = clock.observe(Self.today + 2 * Self.year + 20 * Self.hour, elapsed: 20 * Self.hour)
        #expect(clock.trusted == Self.today + 41 * Self.hour)
    }

    @Test func theClockDoesNotShowALeapBeforeItIsConfirmed() {
        var clock = Self.confirmed()
        _ = clock.observe(Self.today + 6 * Self.year, elapsed: 0)
        #expect(clock.shown == Self.today && clock.limit == .min)
        _ = clock.observe(Self.today + 6 * Self.year + Self.hour, elapsed: Self.hour)
        #expect(clock.shown == Self.today + Self.hour)
        _ = clock.observe(Self.today + 6 * Self.year + Self.day, elapsed: 23 * Self.hour)
        #expect(clock.shown == Self.today + 6 * Self.year + Self.day)
    }

    @Test func theClockGivesUpAConfirmedTimeOnlyAfterADay() {
        var clock = Self.confirmed()
        let past = Self.today - Self.year
        #expect(clock.observe(past, elapsed: 0)?.doubtedMilliseconds == -Self.year)
        #expect(clock.shown == Self.today)
        _ = clock.observe(past + 23 * Self.hour, elapsed: 23 * Self.hour)
        #expect(clock.shown == Self.today + 23 * Self.hour, "it advances by the monotonic clock")
        #expect(clock.observe(past + Self.day, elapsed: Self.hour)?.discardedMilliseconds != nil)
        #expect(clock.shown == past + Self.day && clock.trusted == clock.shown)
    }

    @Test func aClockThatBeganAtZeroIsNeverBelieved() {
        var clock = Self.confirmed()
        _ = clock.observe(0, elapsed: 0)
        for passed in 1...100 { _ = clock.observe(Int64(passed) * Self.day, elapsed: Self.day) }
        #expect(clock.shown == Self.today + 100 * Self.day)
        // A store that was created under such a clock accepts the first plausible reading.
        var early = StoreClock(firstReading: 1000)
        #expect(early.observe(Self.today, elapsed: 1000) == nil)
        #expect(early.trusted == Self.today)
    }

    @Test func aFirstReadingIsGivenUpForOneThatContradictsIt() {
        var clock = StoreClock(firstReading: Self.today + 75 * Self.year)
        let change = clock.observe(Self.today, elapsed: Self.hour)
        #expect(change?.discardedMilliseconds == 75 * Self.year && change?.doubtedMilliseconds == nil)
        #expect(clock.trusted == Self.today)
    }

    @Test func twoOpeningsADayApartConfirm() {
        var clock = Self.confirmed()
        #expect(clock.open(Self.today + Self.year)?.doubtedMilliseconds == Self.year)
        #expect(clock.open(Self.today + Self.year + Self.day) == nil)
        #expect(clock.trusted == Self.today + Self.year + Self.day && clock.doubt == nil)
        // If a week lies between the openings, the later reading is doubted again.
        clock = Self.confirmed()
        _ = clock.open(Self.today + Self.year)
        _ = clock.open(Self.today + Self.year + 7 * Self.day)
        #expect(clock.trusted == Self.today + Self.year && clock.doubt?.since == clock.shown)
    }

    @Test func twoOpeningsWithinADayDoNot() {
        var clock = Self.confirmed()
        _ = clock.open(Self.today + Self.year)
        _ = clock.open(Self.today + Self.year + 23 * Self.hour)
        #expect(clock.trusted == Self.today && clock.doubt?.since == Self.today + Self.year)
    }

    /// Random readings with jumps and pauses: the trusted time is never after the shown time. Afterwards the readings
    /// of a correct clock are shown within two days.
    @Test(arguments: UInt64(1)...200) func theClockNeverTrustsWhatItDoesNotShow(_ seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var clock = StoreClock(firstReading: Self.today)
        var reading = Self.today
        for _ in 0..<200 {
            let elapsed = Int64(random.below(Int(Self.day)))
            reading += elapsed
            if random.below(8) == 0 { reading += Int64(random.below(Int(20 * Self.year))) - 10 * Self.year }
            if random.below(50) == 0 { reading = random.below(2) == 0 ? .max : .min }
            if random.below(10) == 0 { _ = clock.open(reading) } else { _ = clock.observe(reading, elapsed: elapsed) }
            #expect(clock.trusted <= clock.shown)
            reading = StoreClock.bounded(reading)
            if abs(reading) > Self.year * 1000 { reading = Self.today }
        }
        reading = Self.today
        for _ in 0..<72 {
            reading += Self.hour
            _ = clock.observe(reading, elapsed: Self.hour)
        }
        #expect(clock.shown == reading && clock.trusted == reading && clock.doubt == nil, "seed \(seed)")
    }

    @Test func theClockIsStoredAndOldReadersSkipIt() throws {
        let clocks = [
            Self.confirmed(), StoreClock(firstReading: Self.today),
            StoreClock(
                trusted: 5, shown: 9, provisionalSince: nil, doubt: StoreClock.Doubt(.behind, since: -7)),
            StoreClock(trusted: 5, shown: 9, provisionalSince: 1, doubt: StoreClock.Doubt(.ahead, since: 7)),
        ]
        for clock in clocks {
            var buffer = ByteBuffer(capacity: 64)
            ManifestEdit([.clock(clock)]).encode(into: &buffer)
            #expect(buffer.bytes.u16(at: 0) == 0x8011)
            let edit = try ManifestEdit(decoding: buffer.bytes)
            guard case .clock(let read) = edit.facts.first else {
                Issue.record("the fact is missing")
                continue
            }
            #expect(read == clock)
            // Forged damage that no checksum reveals.
            buffer.mutableBytes.store(UInt8(6), at: 6 + 16)
            #expect(throws: StorageError.self) { try ManifestEdit(decoding: buffer.bytes) }
        }
    }
}
