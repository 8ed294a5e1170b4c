import ShaleBase
import ShaleManifest
import ShaleSegment

/// The base of a count, in which keys from outside of it are looked up. See ``KeyCount``.
struct CountBase {
    let engine: EngineCore
    /// In ascending order and without overlaps.
    let segments: [Segment]
    let rule: CountRule

    /// Returns the correction for a key whose newest version outside the base is given: −1, 0 or 1, and true if the
    /// base has the key.
    func correction(
        _ key: Bytes, _ trailer: Trailer, expiry: Int64
    ) throws(StorageError) -> (count: Int, isInBase: Bool) {
        let isPresentOutside = rule.isPresent(trailer, expiry: expiry)
        guard let inBase = try newest(key) else { return (isPresentOutside ? 1 : 0, false) }
        let isPresent = trailer.sequence > inBase.sequence ? isPresentOutside : inBase.isPresent
        return ((isPresent ? 1 : 0) - (inBase.isPresent ? 1 : 0), true)
    }

    private func newest(
        _ key: Bytes
    ) throws(StorageError) -> (sequence: SequenceNumber, isPresent: Bool)? {
        let index = CountSources.firstIndex(in: segments, endingAtOrAfter: key)
        guard index < segments.count, segments[index].smallestKey <= key else { return nil }
        // For one lookup only: a pin keeps all memory that is retired meanwhile.
        let pin = engine.domain.pin()
        defer { engine.domain.unpin(pin) }
        let found = try segments[index].get(key, hash: XXH3.hash(key), through: rule.readPoint.sequence)
        return found.map { ($0.trailer.sequence, rule.isPresent($0.trailer, expiry: $0.expiry)) }
    }
}
