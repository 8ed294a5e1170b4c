import ShaleBase
import ShalePlatform
import ShaleSegment

extension EngineCore {
    /// Small timed work that may fail and be tried again.
    func maintain() throws(StorageError) {
        segmentEnvironment.cache.trim()
        do { try reserve?.refill() } catch { throw error.storageError }
    }
}
