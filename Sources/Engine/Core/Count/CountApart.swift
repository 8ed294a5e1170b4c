import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShaleSegment

/// The smallest and the largest key that one source has in a range.
struct KeySpan {
    let smallest: [UInt8]
    let largest: [UInt8]

    /// Returns `nil` if a cursor finds no key from `lower` on and below `upper`.
    init?(_ cursor: EntryCursor, from lower: Bytes, below upper: Bytes) throws(StorageError) {
        try cursor.seek(lower, .forward)
        guard cursor.runCount > 0, unsafe cursor.run[0].key < upper else { return nil }
        smallest = unsafe cursor.run[0].key.array()
        try cursor.seek(upper, .backward)
        guard cursor.runCount > 0 else { return nil }
        largest = unsafe cursor.run[0].key.array()
    }

    /// True if all keys of this span are below those of another one.
    func isBelow(_ other: KeySpan) -> Bool {
        largest.withBytes { (largest) in other.smallest.withBytes { (smallest) in largest < smallest } }
    }
}

/// Counts by sums.
///
/// New keys often follow all earlier ones: records with ascending keys do, and the entries of one value in an index
/// over them. Then the keys of a range lie in each source by themselves, although the sources as a whole overlap. Each
/// key is in one source, whose newest version decides, so the count is the sum of the sources' counts.
extension KeyCount {
    /// With more sources outside the base, looking for their keys is not worth while.
    private static let apartMax = 16

    /// Returns the count if no source has a key between two keys of another one in the range; otherwise `nil`.
    ///
    /// - Complexity: Two seeks for each source outside the base and one in the base, then O(blocks) and the keys of the
    ///   memtables.
    func countApart() throws(StorageError) -> Int? {
        guard sources.memtables.count + sources.others.count <= KeyCount.apartMax else { return nil }
        var spans: [KeySpan] = []
        // Keys that come into a memtable later are not visible to the read point. They make a span wider at most.
        for memtable in sources.memtables { try append(memtable.makeCursor(headOffset: 0), to: &spans) }
        for segment in sources.others {
            try append(EntryCursor(segment, headOffset: 0, options: CountScan.options), to: &spans)
        }
        spans.sort { $0.isBelow($1) }
        for (span, next) in zip(spans, spans.dropFirst()) where !span.isBelow(next) { return nil }
        for span in spans where try sources.hasBaseKeys(in: span) { return nil }
        var total = try countInBase()
        for memtable in sources.memtables { total += count(in: memtable) }
        for segment in sources.others { total += try count(in: segment) }
        return total
    }

    private func append(_ cursor: EntryCursor, to spans: inout [KeySpan]) throws(StorageError) {
        if let span = try KeySpan(cursor, from: bounds.lower, below: bounds.upper) { spans.append(span) }
    }
}

extension CountSources {
    /// True if the base has a key, of any version, from the smallest to the largest key of a span.
    fileprivate func hasBaseKeys(in span: KeySpan) throws(StorageError) -> Bool {
        try span.smallest.withBytes { (smallest) throws(StorageError) in
            try span.largest.withBytes { (largest) throws(StorageError) in
                let index = CountSources.firstIndex(in: base, endingAtOrAfter: smallest)
                guard index < base.count, base[index].smallestKey <= largest else { return false }
                let cursor = EntryCursor(base[index], headOffset: 0, options: CountScan.options)
                try cursor.seek(smallest, .forward)
                return unsafe cursor.runCount > 0 && cursor.run[0].key <= largest
            }
        }
    }
}
