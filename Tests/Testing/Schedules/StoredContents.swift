#if SHALE_SCHEDULES
    /// The findings of an opening.
    struct StoredContents {
        let found: [Int: Int?]
        /// The files that belonged to nothing.
        let removed: Int

        /// All that an opening depends on: the files and the clocks.
        struct Key: Hashable {
            let digest: UInt64
            let wallMilliseconds: Int64
            let nanoseconds: UInt64
        }

        private static let keptMax = 200_000
        /// Only the one thread touches them.
        private nonisolated(unsafe) static var kept: [Key: StoredContents] = [:]
        private nonisolated(unsafe) static var counts = (all: 0, repeated: 0)

        /// The number of stores that had to be read, and of those among them that had been read before.
        static var readings: (all: Int, repeated: Int) { unsafe counts }

        static func known(_ key: Key) -> StoredContents? {
            let known = unsafe kept[key]
            unsafe counts.all += 1
            if known != nil { unsafe counts.repeated += 1 }
            return known
        }

        static func note(_ contents: StoredContents, _ key: Key) {
            if unsafe kept.count == keptMax { unsafe kept.removeAll() }
            unsafe kept[key] = contents
        }
    }
#endif
