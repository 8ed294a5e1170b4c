#if SHALE_SCHEDULES
    /// Programs of few calls, each about one promise, whose schedules are all run up to a number of preemptions.
    enum SmallPrograms {
        static let all: [Program] =
            [
                // Groups: two leaders, a member, and what joins behind them.
                " | put 0 synced | put 0 synced",
                " | put 0 synced; get 1 | put 1; sync",
                " | put 0 synced | put 0 | get 0; get 0",
                // A sync beside a rotation.
                " | put 0; sync | put 1 large; flush",
                " | put 0 large; put 1 large; put 2 large | sync; put 0 synced",
                // Control operations beside writers and syncs.
                " | put 0 synced | purge",
                " | put 0 purgeable; sync | purge; get 0",
                "fault=syncLog@1 | put 0; sync | truncate",
                // Copies.
                " | put 0; checkpoint | purge; put 1",
                // Readers beside a change of the view.
                " | put 0; flush | hold; readHeld 0; readHeld 0",
                " | put 0; flush | open; step; endCursor",
                // Transactions.
                " | copy 0 1 | copy 1 0",
                // The end.
                " | put 0 synced; close | put 1 synced; close",
                "fault=create@1 | put 0 synced | put 1; close",
                // Observers.
                " | observe; awaitChange | put 0; put 1 synced",
                // More changes than the ring has room for.
                " | observe; putAll; putAll",
                // A snapshot beside a group that is applied.
                " | put 0 synced | hold; readHeld 0; readHeld 0",
                // A rotation during a sync without members; then a synced write.
                " | put 0 large; put 0 large; sync | put 1 large; put 1 large; put 2 synced",
                " | put 0; sync | put 1; sync",
                // A snapshot beside a flush that drops older values.
                " | put 0; hold; readHeld 0 | put 0; flush",
            ].map(SmallPrograms.program) + closings + sweep("put 0; flush | purge") + sweep("put 0; close | close")

        /// A power loss before, in or after each file call of a `close` that finds full memtables. The manifest once
        /// named a newest log that was older than the oldest one.
        private static let closings: [Program] = (0..<150).map { call in
            program("crash=0@\(call) | put 0 large; put 1 large; put 2 large; put 0 large; close")
        }

        /// A power loss at different file calls.
        private static func sweep(_ threads: String) -> [Program] {
            stride(from: 0, to: 90, by: 6).map { program("crash=0@\($0) | \(threads)") }
        }

        private static func program(_ text: String) -> Program {
            guard let program = Program(text) else { preconditionFailure("no program: \(text)") }
            return program
        }
    }
#endif
