import ShaleBase
import ShalePlatform
import ShaleSegment

extension EngineCore {
    /// Does small timed work that may fail and is retried.
    func maintain() throws(StorageError) {
        segmentEnvironment.cache.trim()
        do { try reserve?.refill() } catch { throw error.storageError }
    }
}
