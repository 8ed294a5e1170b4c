#if SHALE_SCHEDULES
    /// What a key holds.
    struct Held: Hashable, Sendable {
        var value: Int
        var isPurgeable: Bool
    }

    /// The contents of the store as the model has them.
    struct Contents: Hashable, Sendable {
        var keys = [Held?](repeating: nil, count: Program.keyCount)
        var values: [Int?] { keys.map { $0?.value } }
    }

    /// One call and what came of it.
    struct Call: Sendable {
        enum Effect: Sendable, Equatable {
            case set([Int: Held?])
            case truncate, purge
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
            case .set, .truncate, .purge, .none: break
            }
            return result
        }

        func apply(to contents: Contents) -> Contents? {
            var next = contents
            switch effect {
            case .none: break
            case .set(let changes): for (key, held) in changes { next.keys[key] = held }
            case .truncate: next = Contents()
            case .purge: next.keys = next.keys.map { $0?.isPurgeable == true ? nil : $0 }
            case .read(let found):
                for (key, value) in found where contents.keys[key]?.value != value { return nil }
            case .copy(let from, let found, let to, let value):
                guard contents.keys[from]?.value == found else { return nil }
                next.keys[to] = Held(value: value, isPurgeable: false)
            }
            return next
        }
    }

    /// Looks for an order of the calls that explains what they returned (Wing and Gong, 1993), and that passes through what
    /// a crash left.
    struct HistoryCheck {
        let calls: [Call]
        /// What a crash left, and when it happened.
        let crash: (contents: [Int?], moment: Int)?

        /// `crash`: nothing after it counts, and of what was under way then nobody knows the outcome.
        init(_ calls: [Call], crash: (contents: [Int?], moment: Int)? = nil) {
            self.crash = crash
            guard let crash else {
                self.calls = calls
                return
            }
            self.calls = calls.filter { $0.began <= crash.moment }.map { $0.asSeen(at: crash.moment) }
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

        /// Whether what was taken so far may be what the crash left: all that was durable then is among it, nothing that
        /// began later, and the contents are the same.
        private func mayHaveCrashed(_ place: Place) -> Bool {
            guard let crash, place.contents.values == crash.contents else { return false }
            var barrier = -1
            for call in calls where call.isBarrier && call.outcome == .done && call.ended <= crash.moment {
                barrier = max(barrier, call.began)
            }
            for (index, call) in calls.enumerated() {
                let isTaken = place.taken & (1 << UInt64(index)) != 0
                if isTaken, call.began > crash.moment { return false }
                guard !isTaken, call.outcome == .done else { continue }
                if call.isBarrier, call.ended <= crash.moment { return false }
                // What had returned before a barrier began is covered by it.
                if call.ended < barrier { return false }
            }
            return true
        }
    }
#endif
