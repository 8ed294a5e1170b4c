#if SHALE_SCHEDULES
    /// Programs of few calls, each about one promise, whose schedules are all run up to a number of preemptions.
    enum SmallPrograms {
        static let all: [Program] =
            written + closings + sweep("put 0; flush | purge") + sweep("put 0; close | close") + floors

        /// Also drawn, so that they meet schedules that no bound on preemptions reaches.
        static let written: [Program] =
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
                " | put 0 purgeable; put 2; checkpoint | put 2; purge",
                " | put 1; flush; put 0; checkpoint | drop",
                " | put 1; flush; put 0; backUp | drop",
                // Readers beside a change of the view.
                " | put 0; flush | hold; readHeld 0; readHeld 0",
                " | put 0; flush | open; step; endCursor",
                // Transactions.
                " | copy 0 1 | copy 1 0",
                // The end.
                " | put 0 synced; close | put 1 synced; close",
                "fault=create@1 | put 0 synced | put 1; close",
                "fault=create@1 | put 0 synced | put 1 synced | put 2; close",
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
                // A snapshot beside an erasure: of its watermark, and of the entries that it sees.
                " | put 0; truncate; truncate | hold; readHeld 0",
                " | put 0; flush | hold; truncate; readHeld 0; readHeld 0",
                // A compaction that is planned beside a snapshot and a flush.
                "background | putAll; flush; putAll; hold; putAll; flush; sleep 120; readHeld 0",
                // A control operation behind a rotation: it follows writes of a log that is not durable.
                "crash=0@r4 | put 1; sync | put 0; purge | flush",
                // The timer makes older logs durable although there is no space for a segment.
                "background fault=create@2 crash=0@r3 | put 0; flush; sleep 480",
                "background fault=create@3 crash=0@r3 | put 0; flush; sleep 480",
                // A flush beside a writer that fills the next memtables.
                "background | put 0; flush | "
                    + "put 0 large; put 1 large; put 2 large; put 0 large; put 1 large; put 2 large; put 0 large",
                // The second of two closing threads waits for the first.
                "background | put 0; close | close",
            ].map(SmallPrograms.program)

        /// A power loss before, in or after each file call of a `close` that finds full memtables. The manifest once
        /// named a newest log that was older than the oldest one.
        private static let closings: [Program] = (0..<150).map { call in
            program("crash=0@\(call) | put 0 large; put 1 large; put 2 large; put 0 large; close")
        }

        /// The death of the process at different file calls, while the first of two full memtables is flushed.
        private static let floors: [Program] = stride(from: 0, to: 240, by: 2).map { call in
            let large = [0, 1, 2, 0, 1, 2, 0].map { "put \($0) large" }.joined(separator: "; ")
            return program("crash=2@\(call) | \(large); flush")
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
