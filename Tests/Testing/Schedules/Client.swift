#if SHALE_SCHEDULES
    import ShaleBase
    import ShaleEngine

    /// The state that a client thread keeps from one call to the next.
    final class Client {
        /// A cursor, which can't be copied, in a place of its own.
        final class OpenCursor {
            var cursor: Engine.Cursor
            /// The call that opened it.
            let call: Int
            /// The keys that the next step may stand on begin here.
            var position = 0

            init(_ cursor: consuming Engine.Cursor, call: Int) {
                self.cursor = cursor
                self.call = call
            }
        }

        let thread: Int
        var snapshot: (call: Int, snapshot: Engine.Snapshot)?
        var cursor: OpenCursor?
        var observation: Observation?

        init(_ thread: Int) { self.thread = thread }
    }

    /// The changes that one thread has received.
    final class Observation {
        let subscription: ChangeSubscription
        /// Changes whose call began after this moment are told.
        let since: Int
        /// No change whose call ended before this moment is told.
        let asked: Int
        private(set) var changes: [ObservedChange] = []
        /// The sequences of each change, and those of each gap, as they were told.
        private(set) var told: [ClosedRange<UInt64>] = []
        private(set) var hasGap = false
        /// True if a gap was told that ends before it begins.
        private(set) var hasReversedGap = false

        init(_ subscription: ChangeSubscription, asked: Int, since: Int) {
            self.subscription = subscription
            self.asked = asked
            self.since = since
        }

        func note(_ event: ChangeEvent) {
            switch event {
            case .change(let change):
                changes.append(change)
                told.append(change.sequence...change.sequence)
            case .gap(let from, let through):
                hasGap = true
                if from <= through { told.append(from...through) } else { hasReversedGap = true }
            }
        }

        /// Takes all remaining events after the store is closed.
        func drain() { while let event = subscription.poll() { note(event) } }

        /// The number of changes of the key that the observer received.
        func count(of key: Int) -> Int {
            changes.count { ($0.kind == .set || $0.kind == .removed) && $0.key == [UInt8(key)] }
        }
    }
#endif
