#if SHALE_SCHEDULES
    /// The content of a key.
    struct Held: Hashable, Sendable {
        var value: Int
        var isPurgeable: Bool
    }

    /// The contents of the store as the model has them.
    struct Contents: Hashable, Sendable {
        var keys = [Held?](repeating: nil, count: Program.keyCount)
        var isDropped = false
        /// Stands for each value of a dropped namespace.
        static let dropped = -2
        var values: [Int?] { keys.map { isDropped ? Contents.dropped : $0?.value } }
    }

    /// One call and what came of it.
    struct Call: Sendable {
        enum Effect: Sendable, Equatable {
            case set([Int: Held?])
            case truncate, purge, drop
            /// Reads of one moment: what was found under each key.
            case read([Int: Int?])
            /// Reads one key and sets another in the same moment.
            case copy(from: Int, found: Int?, to: Int, value: Int)
            case none
        }

        enum Outcome: Sendable, Equatable {
            case running
            case done
            /// Nothing happened, and never will.
            case failed
            /// It happened wholly or not at all.
            case unknown
        }

        let thread: Int
        let name: String
        var effect: Effect
        var outcome = Outcome.running
        let began: Int
        var ended = Int.max
        /// Durable with everything before it once it has ended.
        var isBarrier: Bool

        /// This call as it was at `moment`.
        func asSeen(at moment: Int) -> Call {
            guard ended > moment else { return self }
            var result = self
            result.outcome = .unknown
            result.ended = .max
            switch effect {
            case .read: result.effect = .none
            case .copy(_, _, let to, let value): result.effect = .set([to: Held(value: value, isPurgeable: false)])
            case .set, .truncate, .purge, .drop, .none: break
            }
            return result
        }

        /// The number of changes of a key that observers receive for the call.
        func changeCount(of key: Int) -> Int {
            switch effect {
            case .set(let changes): changes[key] == nil ? 0 : 1
            case .copy(_, _, let to, _): to == key ? 1 : 0
            default: 0
            }
        }

        /// The contents after this call; nil if it can't have happened in `contents`.
        func apply(to contents: Contents) -> Contents? {
            var next = contents
            switch effect {
            case .none: break
            case .set(let changes):
                guard !contents.isDropped else { return nil }
                for (key, held) in changes { next.keys[key] = held }
            case .truncate:
                guard !contents.isDropped else { return nil }
                next.keys = Contents().keys
            case .purge:
                guard !contents.isDropped else { return nil }
                next.keys = next.keys.map { $0?.isPurgeable == true ? nil : $0 }
            case .drop:
                guard !contents.isDropped else { return nil }
                next = Contents(isDropped: true)
            case .read(let found):
                let values = contents.values
                for (key, value) in found where values[key] != value { return nil }
            case .copy(let from, let found, let to, let value):
                guard !contents.isDropped, contents.keys[from]?.value == found else { return nil }
                next.keys[to] = Held(value: value, isPurgeable: false)
            }
            return next
        }
    }

    /// Looks for an order of the calls that explains what they returned (Wing and Gong, 1993), and that passes through
    /// the contents after a crash.
    struct HistoryCheck {
        let calls: [Call]
        /// The contents after a crash, and the moment of the crash.
        let crash: (contents: [Int?], moment: Int)?
        /// The end of the earliest call that a durable call covers: what had ended before is durable.
        private let barrier: Int

        /// With `crash`, later calls don't count, and the outcome of running calls is unknown. With `keepsWrites` only
        /// the process died, so that every call that had ended is durable.
        init(_ calls: [Call], crash: (contents: [Int?], moment: Int)? = nil, keepsWrites: Bool = false) {
            self.crash = crash
            guard let crash else {
                self.calls = calls
                barrier = -1
                return
            }
            self.calls = calls.filter { $0.began <= crash.moment }.map { call in
                var seen = call.asSeen(at: crash.moment)
                if keepsWrites { seen.isBarrier = true }
                return seen
            }
            barrier =
                self.calls.filter { $0.isBarrier && $0.outcome == .done && $0.ended <= crash.moment }
                .map(\.began).max() ?? -1
        }

        private struct Place: Hashable {
            var taken: UInt64
            var contents: Contents
            var hasCrashed: Bool
        }

        /// True if such an order exists.
        func isExplained() -> Bool {
            precondition(calls.count <= 64)
            var seen: Set<Place> = []
            return search(Place(taken: 0, contents: Contents(), hasCrashed: crash == nil), &seen)
        }

        private func search(_ place: Place, _ seen: inout Set<Place>) -> Bool {
            guard seen.insert(place).inserted else { return false }
            if !place.hasCrashed, mayHaveCrashed(place) {
                var next = place
                next.hasCrashed = true
                if search(next, &seen) { return true }
            }
            var isComplete = true
            // A call may come next if no other that is left had ended before it began.
            var earliestEnd = Int.max
            for (index, call) in calls.enumerated() where place.taken & (1 << UInt64(index)) == 0 {
                guard call.outcome == .done else { continue }
                isComplete = false
                earliestEnd = min(earliestEnd, call.ended)
            }
            if isComplete, place.hasCrashed { return true }
            for (index, call) in calls.enumerated() where place.taken & (1 << UInt64(index)) == 0 {
                guard call.outcome != .failed, call.began < earliestEnd, let contents = call.apply(to: place.contents)
                else { continue }
                var next = place
                next.taken |= 1 << UInt64(index)
                next.contents = contents
                if search(next, &seen) { return true }
            }
            return false
        }

        /// True if the crash may have left the calls taken so far: all durable calls are among them, and the contents
        /// are the same.
        private func mayHaveCrashed(_ place: Place) -> Bool {
            guard let crash, place.contents.values == crash.contents else { return false }
            for (index, call) in calls.enumerated() where place.taken & (1 << UInt64(index)) == 0 {
                guard call.outcome == .done else { continue }
                if call.isBarrier, call.ended <= crash.moment { return false }
                // A barrier covers every call that returned before the barrier began.
                if call.ended < barrier { return false }
            }
            return true
        }
    }
#endif
