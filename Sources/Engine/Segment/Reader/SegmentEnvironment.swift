package import ShalePlatform

/// The resources that all segments of a store share: cache, open files, memory budget, epoch domain. Thread-safe.
package final class SegmentEnvironment: Sendable {
    package let budget: MemoryBudget
    package let cache: BlockCache
    package let files: OpenFiles
    package let domain: EpochDomain
    let scratch = ReadScratchPool()

    package init(budget: MemoryBudget, openFileLimit: Int, domain: EpochDomain = .shared) {
        self.budget = budget
        self.domain = domain
        cache = BlockCache(budget: budget, domain: domain)
        files = OpenFiles(limit: openFileLimit)
    }

    package convenience init(
        memoryBudget: Int, openFileLimit: Int, domain: EpochDomain = .shared, bufferFloorBytes: Int = 0
    ) {
        self.init(
            budget: MemoryBudget(limitBytes: memoryBudget, bufferFloorBytes: bufferFloorBytes),
            openFileLimit: openFileLimit, domain: domain)
    }
}
