import ShaleBase
package import ShaleManifest

/// The target size of each level, from the current tree (dynamic base level).
///
/// The target of the last level is the size of the largest level. Each level above may hold a `fanOut`-th of the one
/// below. Going up, the first level whose share is `baseLevelBytes` or less is the base: L0 is compacted into it, and
/// the levels between are empty. A small tree has one level below L0.
package struct LevelTargets: Sendable {
    package let baseLevel: Int
    package let lastLevel: Int
    /// The target stored bytes by level; 0 for levels above the base.
    package let bytes: [UInt64]

    package init(_ version: Version, _ options: CompactionOptions) {
        lastLevel = version.levels.count - 1
        var targets = [UInt64](repeating: 0, count: version.levels.count)
        var share = version.levels[1...].map(\.storedBytes).max() ?? 0
        var level = lastLevel
        while level > 1, share > options.baseLevelBytes {
            targets[level] = share
            share /= options.fanOut
            level -= 1
        }
        targets[level] = max(share, options.baseLevelBytes)
        // A tree that shrank keeps its highest occupied level as base until that level's data has moved down.
        let occupied = version.levels.firstIndex { $0.level > 0 && !$0.isEmpty } ?? lastLevel
        baseLevel = min(level, occupied)
        if baseLevel < level { for l in baseLevel..<level { targets[l] = 1 } }
        bytes = targets
    }
}
