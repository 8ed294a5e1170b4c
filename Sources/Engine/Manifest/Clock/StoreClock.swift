import ShaleBase

/// What a store takes for the time, judged from readings of a wall clock that may be wrong.
///
/// Two times are kept. ``shown`` decides what readers see. ``trusted`` decides what flushes, compactions and purge policies
/// remove, which nothing can undo. `trusted` is never ahead of `shown`. DESIGN.md, section 34, has the argument.
///
/// The monotonic clock says how far `trusted` must have come since the reading before. A reading within
/// ``toleranceMilliseconds`` of that is believed. Any other is doubted until it has held for
/// ``confirmationMilliseconds``, measured by the monotonic clock or, from one opening to another, by the readings.
package struct StoreClock: Sendable, Equatable {
    package enum Direction: UInt8, Sendable { case ahead = 1, behind = 2 }

    /// A reading that contradicts `trusted`, and those since that agreed with it.
    package struct Doubt: Sendable, Equatable {
        package let direction: Direction
        /// The first of the readings.
        package let since: Int64
        /// The last of them.
        var last: Int64
        /// What the monotonic clock counted between the first and the last, in this opening.
        var heldMilliseconds: Int64 = 0

        package init(_ direction: Direction, since: Int64) {
            self.direction = direction
            self.since = since
            last = since
        }
    }

    /// What an observation changed, for reports.
    package struct Change: Sendable, Equatable {
        /// A doubt has arisen about a reading so far ahead of `trusted`, or behind it (negative).
        package var doubtedMilliseconds: Int64?
        /// `shown` went back by this.
        package var discardedMilliseconds: Int64?

        var isEmpty: Bool { doubtedMilliseconds == nil && discardedMilliseconds == nil }
    }

    /// Readings that contradict the time by no more are believed, and `shown` does not go back by less.
    package static let toleranceMilliseconds: Int64 = 86_400_000
    /// A reading that contradicts the time is believed once it has held for this long.
    package static let confirmationMilliseconds: Int64 = 86_400_000
    /// Readings that are ahead by more are not shown either, unless confirmed: five years.
    package static let leapMilliseconds: Int64 = 5 * 365 * 86_400_000
    /// The beginning of 2020. A clock that reads less is wrong for certain: it began at zero, or at its firmware's date.
    package static let earliestMilliseconds: Int64 = 1_577_836_800_000
    /// Readings and stored times are taken as no further from 1970, so that no sum overflows.
    package static let limitMilliseconds: Int64 = 1 << 60

    /// What has expired by this may be removed.
    package private(set) var trusted: Int64
    /// What has expired by this is not seen.
    package private(set) var shown: Int64
    package private(set) var doubt: Doubt?
    /// The reading that `trusted` began with, as long as nothing has confirmed that reading.
    package private(set) var provisionalSince: Int64?
    private var provisionalMilliseconds: Int64 = 0

    /// The clock of a store that has none yet. There is nothing to compare the reading with, so it is believed until another
    /// contradicts it.
    package init(firstReading reading: Int64) {
        trusted = StoreClock.bounded(reading)
        shown = trusted
        provisionalSince = trusted
    }

    /// What was stored.
    package init(trusted: Int64, shown: Int64, provisionalSince: Int64?, doubt: Doubt?) {
        self.trusted = trusted
        self.shown = max(trusted, shown)
        self.provisionalSince = provisionalSince
        self.doubt = doubt
    }

    /// True if the floor alone says the same: a time that one reading vouches for.
    package var isFloorAlone: Bool { doubt == nil && shown == trusted && provisionalSince == trusted }

    /// Raises `shown` to what was shown since the observation before.
    package mutating func raise(shown milliseconds: Int64) { shown = max(shown, milliseconds) }

    /// The largest reading that may be shown without another observation; `Int64.min` when every reading has to be observed.
    package var limit: Int64 {
        switch doubt?.direction {
        case nil: return trusted + StoreClock.toleranceMilliseconds
        case .ahead where isShown(doubt?.last ?? .max): return (doubt?.last ?? 0) + StoreClock.toleranceMilliseconds
        case .ahead, .behind: return .min
        }
    }

    /// How far the readings are ahead of the time, or behind it (negative); `nil` while they are believed.
    package var doubtedMilliseconds: Int64? { doubt.map { $0.last - trusted } }

    // MARK: - Observing

    /// Compares with the first reading of an opening. Nothing is known about how much time has passed since the clock was
    /// stored, but readings of two openings that are a day apart, and agree, count as confirmation.
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

    /// Takes a reading, `elapsed` milliseconds of the monotonic clock after the one before.
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

    /// `nil` when the reading is believed.
    private func direction(of reading: Int64, at expected: Int64) -> Direction? {
        if reading > expected + StoreClock.toleranceMilliseconds { return .ahead }
        if reading < expected - StoreClock.toleranceMilliseconds { return .behind }
        return nil
    }

    /// True if `reading` replaces the trusted time at once: a provisional time that is ahead of the reading, or a time before
    /// ``earliestMilliseconds``.
    private func isBaseWrong(_ direction: Direction, _ reading: Int64) -> Bool {
        switch direction {
        case .ahead: trusted < StoreClock.earliestMilliseconds && reading >= StoreClock.earliestMilliseconds
        // Not if it merely stands still while the monotonic clock runs.
        case .behind:
            provisionalSince != nil && mayAdopt(reading) && reading < trusted - StoreClock.toleranceMilliseconds
        }
    }

    /// A clock that began at zero is never right, however long it holds.
    private func mayAdopt(_ reading: Int64) -> Bool {
        reading >= StoreClock.earliestMilliseconds || trusted < StoreClock.earliestMilliseconds
    }

    private mutating func begin(with reading: Int64) {
        trusted = reading
        provisionalSince = reading
        provisionalMilliseconds = 0
        doubt = nil
    }

    /// Notes a doubted reading, and believes it if it has held for long enough. False if the doubt is a new one.
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
