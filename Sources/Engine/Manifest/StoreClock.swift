import ShaleBase

/// The store's time, derived from readings of a wall clock that may be wrong.
///
/// It keeps two times. ``shown`` decides what readers see. ``trusted`` decides what flushes, compactions and purge
/// policies remove, which nothing can undo. `trusted` is never ahead of `shown`. ShaleEngine.docc, "Time", has the
/// argument.
///
/// The monotonic clock measures how far `trusted` must have advanced since the previous reading. A reading within
/// ``toleranceMilliseconds`` of that is accepted. Any other reading is doubted until it has held for
/// ``confirmationMilliseconds``. The monotonic clock measures that time; from one opening to another, the readings do.
package struct StoreClock: Sendable, Equatable {
    package enum Direction: UInt8, Sendable { case ahead = 1, behind = 2 }

    /// A reading that contradicts `trusted`, and the later readings that agree with it.
    package struct Doubt: Sendable, Equatable {
        package let direction: Direction
        /// The first of these readings.
        package let since: Int64
        /// The last of these readings.
        var last: Int64
        /// The time between the first and the last reading by the monotonic clock, in this opening.
        var heldMilliseconds: Int64 = 0

        package init(_ direction: Direction, since: Int64) {
            self.direction = direction
            self.since = since
            last = since
        }
    }

    /// The changes of an observation, for reports.
    package struct Change: Sendable, Equatable {
        /// The difference to `trusted` of a reading that is newly doubted; negative if it is behind.
        package var doubtedMilliseconds: Int64?
        /// The number of milliseconds by which `shown` went back.
        package var discardedMilliseconds: Int64?

        var isEmpty: Bool { doubtedMilliseconds == nil && discardedMilliseconds == nil }
    }

    /// The largest difference at which a reading is accepted. `shown` goes back only by more than this.
    package static let toleranceMilliseconds: Int64 = 86_400_000
    /// The time for which a contradicting reading must hold before it is accepted.
    package static let confirmationMilliseconds: Int64 = 86_400_000
    /// The largest lead of an unconfirmed reading that is shown: five years.
    package static let leapMilliseconds: Int64 = 5 * 365 * 86_400_000
    /// The beginning of 2020. A clock that reads less is certainly wrong: it began at zero, or at its firmware's date.
    package static let earliestMilliseconds: Int64 = 1_577_836_800_000
    /// The bound on readings and stored times, around 1970, so that no sum overflows.
    package static let limitMilliseconds: Int64 = 1 << 60

    /// The time of removal: entries that have expired by it may be removed.
    package private(set) var trusted: Int64
    /// The time of readers: entries that have expired by it are invisible.
    package private(set) var shown: Int64
    package private(set) var doubt: Doubt?
    /// The reading that `trusted` began with, until it is confirmed.
    package private(set) var provisionalSince: Int64?
    private var provisionalMilliseconds: Int64 = 0

    /// Creates the clock of a store without one. The first reading has nothing to contradict, so it is accepted until
    /// another reading contradicts it.
    package init(firstReading reading: Int64) {
        trusted = StoreClock.bounded(reading)
        shown = trusted
        provisionalSince = trusted
    }

    /// Creates a clock from its stored parts.
    package init(trusted: Int64, shown: Int64, provisionalSince: Int64?, doubt: Doubt?) {
        self.trusted = trusted
        self.shown = max(trusted, shown)
        self.provisionalSince = provisionalSince
        self.doubt = doubt
    }

    /// True if the floor alone stores the same state: a time that a single reading supports.
    package var isFloorAlone: Bool { doubt == nil && shown == trusted && provisionalSince == trusted }

    /// Raises `shown` to a time that was shown after the last observation.
    package mutating func raise(shown milliseconds: Int64) { shown = max(shown, milliseconds) }

    /// The largest reading that may be shown without another observation; `Int64.min` if every reading has to be
    /// observed.
    package var limit: Int64 {
        switch doubt?.direction {
        case nil: return trusted + StoreClock.toleranceMilliseconds
        case .ahead where isShown(doubt?.last ?? .max): return (doubt?.last ?? 0) + StoreClock.toleranceMilliseconds
        case .ahead, .behind: return .min
        }
    }

    /// The difference between the readings and the time, negative if they are behind; `nil` while readings are
    /// accepted.
    package var doubtedMilliseconds: Int64? { doubt.map { $0.last - trusted } }

    // MARK: - Observing

    /// Observes the first reading of an opening.
    ///
    /// The time that has passed since the clock was stored is unknown. But readings of two openings that are a day
    /// apart, and agree, count as confirmation.
    package mutating func open(_ reading: Int64) -> Change? {
        let reading = StoreClock.bounded(reading)
        if let since = provisionalSince, reading - since >= StoreClock.confirmationMilliseconds {
            provisionalSince = nil
        }
        if let old = doubt {
            let held = reading - old.since
            if held >= StoreClock.confirmationMilliseconds, direction(of: reading, at: trusted) == old.direction,
                mayAdopt(reading)
            {
                trusted = old.since
                doubt = nil
            } else if held < -StoreClock.toleranceMilliseconds {
                doubt = nil
            } else {
                doubt?.last = reading
                doubt?.heldMilliseconds = 0
            }
        }
        return observe(reading, elapsed: 0)
    }

    /// Observes a reading, `elapsed` milliseconds of the monotonic clock after the previous one. Returns the change it
    /// caused.
    package mutating func observe(_ reading: Int64, elapsed: Int64) -> Change? {
        let reading = StoreClock.bounded(reading)
        let elapsed = min(max(0, elapsed), StoreClock.limitMilliseconds)
        let expected = StoreClock.bounded(trusted + elapsed)
        var change = Change()
        let candidate: Int64
        if let direction = direction(of: reading, at: expected) {
            if isBaseWrong(direction, reading) {
                begin(with: reading)
            } else {
                trusted = expected
                let isHeld = hold(direction, reading, elapsed)
                if !isHeld { change.doubtedMilliseconds = reading - expected }
            }
            candidate = doubt?.direction == .ahead && isShown(reading) ? reading : trusted
        } else {
            doubt = nil
            trusted = max(trusted, reading)
            confirmBase(elapsed)
            candidate = trusted
        }
        if candidate < shown - StoreClock.toleranceMilliseconds {
            change.discardedMilliseconds = shown - candidate
            shown = candidate
        } else {
            shown = max(shown, candidate)
        }
        return change.isEmpty ? nil : change
    }

    /// Returns `nil` if the reading is accepted.
    private func direction(of reading: Int64, at expected: Int64) -> Direction? {
        if reading > expected + StoreClock.toleranceMilliseconds { return .ahead }
        if reading < expected - StoreClock.toleranceMilliseconds { return .behind }
        return nil
    }

    /// True if `reading` replaces the trusted time at once. It does so if it is behind a provisional time, or if the
    /// trusted time is before ``earliestMilliseconds``.
    private func isBaseWrong(_ direction: Direction, _ reading: Int64) -> Bool {
        switch direction {
        case .ahead: trusted < StoreClock.earliestMilliseconds && reading >= StoreClock.earliestMilliseconds
        // Not if the reading only stands still while the monotonic clock runs.
        case .behind:
            provisionalSince != nil && mayAdopt(reading) && reading < trusted - StoreClock.toleranceMilliseconds
        }
    }

    /// True if `reading` can ever be accepted. A clock that began at zero never is, however long it holds.
    private func mayAdopt(_ reading: Int64) -> Bool {
        reading >= StoreClock.earliestMilliseconds || trusted < StoreClock.earliestMilliseconds
    }

    private mutating func begin(with reading: Int64) {
        trusted = reading
        provisionalSince = reading
        provisionalMilliseconds = 0
        doubt = nil
    }

    /// Records a doubted reading, and accepts it if it has held for long enough. Returns false if the doubt is new.
    private mutating func hold(_ direction: Direction, _ reading: Int64, _ elapsed: Int64) -> Bool {
        guard var held = doubt, held.direction == direction,
            abs(reading - held.last - elapsed) <= StoreClock.toleranceMilliseconds
        else {
            doubt = Doubt(direction, since: reading)
            return false
        }
        held.last = reading
        held.heldMilliseconds += elapsed
        doubt = held
        if held.heldMilliseconds >= StoreClock.confirmationMilliseconds, mayAdopt(reading) {
            trusted = reading
            doubt = nil
            provisionalSince = nil
        }
        return true
    }

    private mutating func confirmBase(_ elapsed: Int64) {
        provisionalMilliseconds += elapsed
        if provisionalMilliseconds >= StoreClock.confirmationMilliseconds { provisionalSince = nil }
    }

    private func isShown(_ reading: Int64) -> Bool { reading - trusted <= StoreClock.leapMilliseconds }

    package static func bounded(_ milliseconds: Int64) -> Int64 {
        min(max(milliseconds, -limitMilliseconds), limitMilliseconds)
    }
}

/// On disk, do not change: DESIGN.md, "Manifest", fact 0x8011.
///
///      0  trusted           i64
///      8  shown             i64
///     16  flags             u8: 1 = provisional, 2 = doubted reading ahead, 4 = doubted reading behind
///     17  provisionalSince  i64, 0 unless provisional
///     25  doubt.since       i64, 0 unless there is a doubt
extension StoreClock {
    private static let provisionalFlag: UInt8 = 1
    private static let aheadFlag: UInt8 = 2
    private static let behindFlag: UInt8 = 4

    func encode(into buffer: inout ByteBuffer) {
        buffer.append(trusted)
        buffer.append(shown)
        var flags: UInt8 = provisionalSince == nil ? 0 : StoreClock.provisionalFlag
        switch doubt?.direction {
        case nil: break
        case .ahead: flags |= StoreClock.aheadFlag
        case .behind: flags |= StoreClock.behindFlag
        }
        buffer.append(flags)
        buffer.append(provisionalSince ?? 0)
        buffer.append(doubt?.since ?? 0)
    }

    init(decoding reader: inout ByteReader) throws(ParseFailure) {
        let trusted = try StoreClock.time(&reader)
        let shown = try StoreClock.time(&reader)
        let flags = try reader.u8("the clock's flags")
        let provisionalSince = try StoreClock.time(&reader)
        let doubtSince = try StoreClock.time(&reader)
        let doubt: Doubt?
        switch flags & ~StoreClock.provisionalFlag {
        case 0: doubt = nil
        case StoreClock.aheadFlag: doubt = Doubt(.ahead, since: doubtSince)
        case StoreClock.behindFlag: doubt = Doubt(.behind, since: doubtSince)
        default: throw ParseFailure("the clock has flags \(flags)")
        }
        self.init(
            trusted: trusted, shown: shown,
            provisionalSince: flags & StoreClock.provisionalFlag == 0 ? nil : provisionalSince, doubt: doubt)
    }

    private static func time(_ reader: inout ByteReader) throws(ParseFailure) -> Int64 {
        let milliseconds = try reader.i64("a time of the clock")
        guard milliseconds == bounded(milliseconds) else { throw ParseFailure("a time of the clock is out of bounds") }
        return milliseconds
    }
}

extension StoreState {
    /// Returns the clock at the first reading of an opening, and the change that the reading caused.
    ///
    /// A store of an older version has only the floor. It may come from one wrong reading, so it counts as unconfirmed.
    package func clock(at reading: Int64) -> (StoreClock, StoreClock.Change?) {
        let floor = StoreClock.bounded(clockFloor)
        var clock =
            clock
            ?? (clockFloor == 0
                ? StoreClock(firstReading: reading)
                : StoreClock(trusted: floor, shown: floor, provisionalSince: floor, doubt: nil))
        let change = clock.open(reading)
        return (clock, change)
    }
}
