/// The set of recently evicted blocks, by fingerprint, for about as many insertions as its capacity.
///
/// Constant memory, O(1). A forgotten or colliding fingerprint only puts a block into the wrong queue.
struct GhostSet {
    private struct Place {
        var fingerprint: UInt32 = 0
        /// The time of the insertion; 0 if the place is empty.
        var time: UInt32 = 0
    }

    private static let ways = 4

    private var places: [Place]
    private let bucketMask: Int
    private var time: UInt32 = 1

    /// Makes an empty set; `capacity` is rounded up to a power of two.
    init(capacity: Int) {
        var buckets = 1
        while buckets * GhostSet.ways < capacity { buckets *= 2 }
        places = Array(repeating: Place(), count: buckets * GhostSet.ways)
        bucketMask = buckets - 1
    }

    mutating func insert(_ fingerprint: UInt64) {
        let bucket = bucket(fingerprint)
        let oldest = bucket.min { age(places[$0]) > age(places[$1]) } ?? bucket.lowerBound
        places[oldest] = Place(fingerprint: UInt32(truncatingIfNeeded: fingerprint >> 32), time: time)
        time = time == .max ? 1 : time + 1
    }

    /// Removes the fingerprint. Returns true if it was inserted recently.
    mutating func remove(_ fingerprint: UInt64) -> Bool {
        let wanted = UInt32(truncatingIfNeeded: fingerprint >> 32)
        for i in bucket(fingerprint) where places[i].time != 0 && places[i].fingerprint == wanted {
            let isRecent = age(places[i]) <= UInt32(places.count)
            places[i] = Place()
            return isRecent
        }
        return false
    }

    private func age(_ place: Place) -> UInt32 { place.time == 0 ? .max : time &- place.time }

    private func bucket(_ fingerprint: UInt64) -> Range<Int> {
        let first = (Int(truncatingIfNeeded: fingerprint) & bucketMask) * GhostSet.ways
        return first..<(first + GhostSet.ways)
    }
}
