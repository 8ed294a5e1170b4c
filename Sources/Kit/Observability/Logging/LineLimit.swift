#if Logging
    /// Keeps lines of one kind from flooding the log: at most `linesMax` in each `windowNanoseconds`.
    struct LineLimit: Sendable {
        static let linesMax = 10
        static let windowNanoseconds: UInt64 = 60_000_000_000

        private struct Window {
            var start: UInt64
            var lines = 0
            /// The number of lines left out since the last one that was written.
            var suppressed = 0
        }

        private var windows: [String: Window] = [:]

        /// Counts a line. Returns the number of lines of its kind that were left out before it; `nil` if this line is
        /// left out too.
        mutating func admit(_ kind: String, at nanoseconds: UInt64) -> Int? {
            var window = windows[kind] ?? Window(start: nanoseconds)
            defer { windows[kind] = window }
            if nanoseconds &- window.start >= LineLimit.windowNanoseconds {
                window.start = nanoseconds
                window.lines = 0
            }
            guard window.lines < LineLimit.linesMax else {
                window.suppressed += 1
                return nil
            }
            window.lines += 1
            defer { window.suppressed = 0 }
            return window.suppressed
        }

        /// The number of lines that were left out and that no later line has reported.
        var suppressed: Int { windows.values.reduce(0) { $0 + $1.suppressed } }
    }
#endif
