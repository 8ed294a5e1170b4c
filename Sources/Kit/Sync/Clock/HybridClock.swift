import ShaleBase
package import ShalePlatform

/// A hybrid logical clock (Kulkarni et al., 2014) over the server's time as far as the client knows it.
///
/// 1. *Physical time* is the machine's clock plus an offset that exchanges with the server measure. So clients whose
///    clocks are wrong by years stamp alike, from their first exchange on.
/// 2. *Logical time* never falls while the offset stays: it is at least that of every change made or seen before, so a
///    change that follows another one has a greater stamp.
/// 3. *The drift is bounded.* After each exchange logical time is at most the server's time plus
///    ``toleranceMilliseconds``. A clock that ran ahead, here or elsewhere, does not carry on.
///
/// Thread-safe.
package final class HybridClock: Sendable {
    /// The part that survives a restart.
    package struct State: Sendable, Hashable, Codable {
        /// The difference that is added to the machine's clock.
        package var offset: Int64 = 0
        package var time: Int64 = 0
        package var count: UInt32 = 0

        package init() {}
    }

    /// A difference from the server up to which the offset stays: 1 s.
    package static let toleranceMilliseconds: Int64 = 1000

    private let time: any TimeSource
    private let known: Locked<State>

    package init(time: any TimeSource, state: State = State()) {
        self.time = time
        known = Locked(state)
    }

    package var state: State { known.withLock { $0 } }

    /// The machine's clock plus the offset.
    package var now: Int64 { time.wallMilliseconds &+ known.withLock { $0.offset } }

    /// Returns the time of a change that is made now, and the offset that it was made with.
    package func next() -> (time: Int64, count: UInt32, offset: Int64) {
        let wall = time.wallMilliseconds
        return known.withLock { state in
            let physical = wall &+ state.offset
            if physical > state.time {
                state.time = physical
                state.count = 0
            } else if state.count == .max {
                state.time += 1
                state.count = 0
            } else {
                state.count += 1
            }
            return (state.time, state.count, state.offset)
        }
    }

    /// Takes note of a change that was made elsewhere.
    package func saw(_ stamp: SyncStamp) {
        known.withLock { state in
            guard stamp.time > state.time || (stamp.time == state.time && stamp.count > state.count) else { return }
            state.time = stamp.time
            state.count = stamp.count
        }
    }

    /// Takes note of the server's time.
    ///
    /// - Parameter duration: The time in milliseconds that the exchange took. The server's time is of some moment in
    ///   it.
    package func measured(_ serverTime: Int64, duration: Int64) {
        let wall = time.wallMilliseconds
        known.withLock { state in
            let middle = serverTime &- (wall &- duration / 2)
            let tolerance = HybridClock.toleranceMilliseconds &+ duration / 2
            if (middle &- state.offset).magnitude > tolerance.magnitude, !PlantedBug.isActive(.trustWrongClock) {
                state.offset = middle
            }
            if state.time > serverTime &+ HybridClock.toleranceMilliseconds {
                state.time = serverTime
                state.count = 0
            }
        }
    }

    /// Returns the time of an earlier change by the present offset: clients that learn the server's time late had made
    /// changes before.
    package func corrected(_ changeTime: Int64, offset: Int64) -> Int64 {
        changeTime &- offset &+ known.withLock { $0.offset }
    }
}
