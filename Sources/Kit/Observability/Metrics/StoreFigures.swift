#if Metrics
    import ShaleBase
    import ShalePlatform

    /// The figures of one sample.
    struct StoreFigures: Sendable {
        let statistics: Engine.Statistics
        let failedReads: Int
        let failedWrites: Int
        /// The disk space of the store's files; `nil` if it could not be read.
        let diskBytes: UInt64?
        /// The free space of its file system; `nil` if it could not be read.
        let freeBytes: UInt64?

        /// Reads the figures.
        ///
        /// - Complexity: O(files of the store).
        init(_ store: Store) {
            statistics = store.engine.statistics
            let health = store.health
            failedReads = health.failedReads
            failedWrites = health.failedWrites
            // The files of a closed store may be removed meanwhile; a gauge without a reading keeps its value.
            func reading(_ read: () throws(StorageError) -> UInt64) -> UInt64? {
                do throws(StorageError) { return try read() } catch { return nil }
            }
            diskBytes = reading { () throws(StorageError) in try store.engine.allocatedBytes }
            freeBytes = reading { () throws(StorageError) in try store.engine.freeBytes }
        }
    }
#endif
