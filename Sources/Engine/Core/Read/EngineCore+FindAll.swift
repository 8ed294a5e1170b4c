import ShaleBase
import ShaleManifest
import ShalePlatform
import Synchronization

extension EngineCore {
    /// Finds the entries of several user keys at one moment and passes them to `body`, in the order of `keys`.
    ///
    /// One pin and one set of watermarks serve all keys. The moment must be a registered snapshot, because older
    /// watermarks that it needs would otherwise be forgotten.
    func findAll(
        _ keys: [[UInt8]], in namespace: NamespaceID, at snapshot: Snapshot?,
        _ body: (_ index: Int, _ found: FoundEntry?) throws(StorageError) -> Void
    ) throws(StorageError) {
        for key in keys where key.count > FormatLimits.keyBytes {
            throw .invalid("the key is \(key.count) bytes, over the limit of 16 KiB")
        }
        let moment = snapshot ?? Snapshot(self)
        let observer = moment.observer
        defer { withExtendedLifetime(moment) {} }
        let slot = domain.pin()
        defer { domain.unpin(slot) }
        try viewCell.withPinned { (view) throws(StorageError) in
            let marks = erasures.watermarks(of: namespace, at: observer.sequence)
            // After taking the view, so that the view contains everything of a live namespace.
            try checkReadable(namespace)
            for index in keys.indices {
                // Encoded again for each key, because `body` may search too and uses the same scratch.
                let scratch = slot.keyScratch
                scratch.store(namespace.rawValue.byteSwapped, at: 0)
                unsafe keys[index].withUnsafeBytes { scratch.copy(unsafe Bytes($0), at: EncodedKey.namespaceWidth) }
                let encoded = scratch.bytes.slice(0, EncodedKey.namespaceWidth &+ keys[index].count)
                let found = try view.find(encoded, through: observer.sequence, fillCache: true)
                let isPresent = found.map {
                    Visibility.isPresent(
                        $0.trailer, expiry: $0.expiry, truncatedThrough: marks.truncatedThrough,
                        purgedThrough: marks.purgedThrough, wallMilliseconds: observer.wallMilliseconds)
                }
                try body(index, isPresent == true ? found : nil)
            }
        }
    }
}
