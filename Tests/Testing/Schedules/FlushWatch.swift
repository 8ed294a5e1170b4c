#if SHALE_SCHEDULES
    /// Notices a flush that waits for memtables that writers fill meanwhile.
    ///
    /// 1. A thread in `flush` that waits for a condition has rotated the memtable before. So its memtables are among
    ///    those that the calls begun until now can have filled.
    /// 2. The engine's thread writes memtables to segments in their order, and ends each with an edit of the manifest.
    /// 3. If that thread begins a later memtable while the thread in `flush` still waits, the flush waits for the
    ///    memtables of others. A flush whose memtables are segments has been notified, and waits for no condition.
    struct FlushWatch {
        /// A memtable has room for at least so many large values.
        private static let largeValuesMin = 3

        private var largeValues = 0
        private var rotations = 0
        private var memtables = 0
        private var isInMemtable = false
        /// The threads in `flush`, with the number of their newest memtable at most, once they have been seen waiting.
        private var waiting: [(thread: Int, newest: Int?)] = []

        mutating func begin(_ action: Action, thread: Int) {
            switch action {
            case .put(_, _, _, isLarge: true): largeValues += 1
            case .flush:
                rotations += 1
                waiting.append((thread, nil))
            case .compact, .reclaim, .checkpoint, .backUp, .close, .purge, .truncate, .drop: rotations += 1
            default: break
            }
        }

        mutating func end(thread: Int) { waiting.removeAll { $0.thread == thread } }

        /// Called when the engine's thread edits the manifest.
        mutating func endMemtable() { isInMemtable = false }

        /// Called when the engine's thread creates a segment. Returns true if a flush outlasts its memtables.
        mutating func outlasts(_ waits: (Int) -> Bool) -> Bool {
            guard !isInMemtable else { return false }
            isInMemtable = true
            memtables += 1
            var found = false
            for index in waiting.indices where waits(waiting[index].thread) {
                let newest = waiting[index].newest ?? largeValues / FlushWatch.largeValuesMin + rotations
                waiting[index].newest = newest
                if memtables > newest { found = true }
            }
            return found
        }
    }
#endif
