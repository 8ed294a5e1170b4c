import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShaleSegment

extension ScanCore {
    /// A scan reads its first 8 blocks through the cache, like lookups. Later blocks bypass the cache in growing reads,
    /// so that a long scan does not evict the blocks of lookups.
    private static let options = ScanOptions(fillCache: false, readAheadBytes: 256 << 10, cachedBlocks: 8)

    /// Returns cursors over everything that a view shows.
    static func sources(_ view: View) -> [EntryCursor] {
        var cursors = view.memtables.map { $0.makeCursor(headOffset: 0) }
        for level in view.version.levels where !level.isEmpty {
            if level.level == 0 {
                cursors += level.segments.map { EntryCursor($0, headOffset: 0, options: options) }
            } else {
                cursors.append(EntryCursor(level: level.segments, headOffset: 0, options: options))
            }
        }
        return cursors
    }
}
