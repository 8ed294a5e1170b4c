/// The number of bytes by time, in bounded memory: buckets of equal width, which doubles when there are too many
/// buckets.
struct TimeHistogram {
    private static let bucketMax = 4096

    private var buckets: [Int64: Int64] = [:]
    /// The width of a bucket is 2^shift milliseconds.
    private var shift: Int64 = 0
    private(set) var totalBytes: Int64 = 0

    mutating func add(_ milliseconds: Int64, bytes: Int64) {
        totalBytes += bytes
        buckets[milliseconds >> shift, default: 0] += bytes
        while buckets.count > TimeHistogram.bucketMax {
            shift += 1
            var coarser: [Int64: Int64] = [:]
            for (bucket, bytes) in buckets { coarser[bucket >> 1, default: 0] += bytes }
            buckets = coarser
        }
    }

    /// The range to remove so that at least the requested bytes go, oldest first: everything up to `through`, and
    /// `boundaryBytes` of what is later, up to `boundary`.
    struct Cut {
        var through = Int64.min
        var boundary = Int64.min
        var boundaryBytes: Int64 = 0
    }

    func cut(removing bytes: Int64) -> Cut {
        var cut = Cut()
        var rest = bytes
        for bucket in buckets.keys.sorted() where rest > 0 {
            let end = (bucket << shift) + (Int64(1) << shift) - 1
            let here = buckets[bucket] ?? 0
            if here <= rest {
                cut.through = end
            } else {
                cut.boundary = end
                cut.boundaryBytes = rest
            }
            rest -= here
        }
        return cut
    }
}
