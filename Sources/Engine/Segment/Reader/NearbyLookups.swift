package import ShaleBase
import ShalePlatform
import Synchronization

/// Lookups of keys that are close to each other in one segment, in any order.
///
/// They hold the block of the last lookup. A key between two entries of this block needs neither filter nor index. Used
/// by one thread, which need not be pinned.
@safe
package final class NearbyLookups {
    /// The newest version of a key.
    package struct Version {
        package let trailer: Trailer
        package let expiry: Int64
    }

    /// The answer of one block for a key.
    private enum Answer {
        case found(Version)
        case absent
        /// Other blocks may hold the key, or its older versions.
        case unknown
    }

    private let segment: Segment
    /// Owns a counted reference.
    private var held: DataBlock?

    package init(_ segment: Segment) { self.segment = segment }

    deinit { held?.release() }

    /// Returns the newest version of `key` with sequence ≤ `limit`, of any kind; `nil` if the segment has none.
    package func newest(_ key: Bytes, through limit: SequenceNumber) throws(StorageError) -> Version? {
        if let held {
            switch NearbyLookups.find(key, through: limit, in: held, isFirst: false) {
            case .found(let version): return version
            case .absent: return nil
            case .unknown: break
            }
        }
        let pin = segment.domain.pin()
        defer { segment.domain.unpin(pin) }
        if let block = try hold(key) {
            switch NearbyLookups.find(key, through: limit, in: block, isFirst: true) {
            case .found(let version): return version
            case .absent: return nil
            case .unknown: break
            }
        }
        let found = try segment.get(key, hash: XXH3.hash(key), through: limit)
        return found.map { Version(trailer: $0.trailer, expiry: $0.expiry) }
    }

    /// Holds the first block that may contain `key` if it is in the cache. The calling thread is pinned.
    private func hold(_ key: Bytes) throws(StorageError) -> DataBlock? {
        held?.release()
        held = nil
        let tables = unsafe try segment.tables()
        let index = unsafe tables.pointee.index.find(key)
        guard unsafe index < tables.pointee.index.count,
            let header = unsafe tables.pointee.slots[index].load(ordering: .acquiring)
        else { return nil }
        let block = unsafe DataBlock(header)
        // The pin keeps the cache's reference alive until this reference is taken.
        block.retain()
        block.touch()
        segment.hints.countHit()
        held = block
        return block
    }

    /// Searches one block. `isFirst` is true if no earlier block has a version of `key`.
    private static func find(
        _ key: Bytes, through limit: SequenceNumber, in block: DataBlock, isFirst: Bool
    ) -> Answer {
        let prefix = block.prefix
        guard key.starts(with: prefix) else { return .unknown }
        var index = block.lowerBound(key)
        // Earlier blocks may have what precedes the first entry, and newer versions of its key.
        if index == block.count || (index == 0 && !isFirst) { return .unknown }
        let wanted = key.suffix(from: prefix.count)
        guard block.suffix(index) == wanted else { return .absent }
        while index < block.count, block.sequence(index) > limit { index += 1 }
        guard index < block.count else { return .unknown }
        guard block.suffix(index) == wanted else { return .absent }
        return .found(Version(trailer: block.trailer(index), expiry: block.expiry(index)))
    }
}
