import ShaleBase
import ShaleMemtable
import ShalePlatform
import ShaleValues

/// The large values of a batch, which go to a value file. The batch has their references, which are not known yet.
///
/// It is built, and its values are hashed, before the commit lock is taken. Under the lock the values are appended to
/// the value file, and their references are stored into the batch.
struct LargeValues {
    private struct Value {
        /// Borrowed from the caller until the batch is committed.
        let bytes: Bytes
        let digest: ValueDigest
        /// The offset of the reference in the batch.
        let place: Int
    }

    private var values: [Value] = []
    /// The streamed value to which the batch refers. It is in a file of its own already.
    private(set) var streamed: StreamedValue?
    /// The bytes that the values take in a value file.
    private(set) var byteCount: UInt64 = 0

    /// The bytes of the values, less those of their references in the batch.
    private(set) var extraUserBytes = 0

    private static let placeholder = OwnedBytes([UInt8](repeating: 0, count: ValueReference.encodedBytes))

    /// Adds a put with a large value to a batch.
    mutating func append(
        _ namespace: NamespaceID, _ key: Bytes, _ kind: EntryKind, _ expiry: Int64, _ value: Bytes,
        to encoder: inout BatchEncoder
    ) {
        encoder.append(
            namespace: namespace, key: key, kind: kind.ofReference, expiry: expiry,
            value: LargeValues.placeholder.bytes)
        let place = encoder.byteCount - ValueReference.encodedBytes
        values.append(Value(bytes: value, digest: ValueDigest(of: value), place: place))
        byteCount += ValueFileFormat.recordBytes(value.count)
        extraUserBytes += value.count - ValueReference.encodedBytes
    }

    /// Adds a put of a streamed value to a batch.
    mutating func append(
        _ namespace: NamespaceID, _ key: Bytes, _ kind: EntryKind, _ expiry: Int64, streamed: StreamedValue,
        to encoder: inout BatchEncoder
    ) {
        let encoded = OwnedBytes(count: ValueReference.encodedBytes)
        defer { withExtendedLifetime(encoded) {} }
        streamed.reference.encode(into: encoded.mutable)
        encoder.append(namespace: namespace, key: key, kind: kind.ofReference, expiry: expiry, value: encoded.bytes)
        self.streamed = streamed
        extraUserBytes += streamed.reference.count - ValueReference.encodedBytes
    }

    /// Appends the values to `file`, and completes `batch` with their references. If it fails, the file's end is where
    /// it was.
    func write(to file: ValueFileWriter, completing batch: MutableBytes) throws(IOFailure) {
        let start = file.endOffset
        do throws(IOFailure) {
            for value in values {
                let reference = try file.append(value.bytes, value.digest)
                reference.encode(into: batch.slice(value.place, ValueReference.encodedBytes))
            }
        } catch {
            file.rewind(to: start)
            throw error
        }
    }
}

/// A value in a value file of its own, which is durable.
struct StreamedValue: Sendable {
    let reference: ValueReference
    let file: ValueFile
}

/// The place of new value files, in a store that separates large values.
struct ValueSeparation: Sendable {
    /// The size at which a value file is full, unless it has one batch only.
    let fileBytesMax: UInt64
    let source: ValueSource
    /// Parks the thread that makes growing value files durable: ``EngineCore/syncGrownValue()``.
    let wakeup = Parker(spinCount: 0)

    /// The unsynced bytes of a value file from which that thread syncs it.
    var stepBytes: UInt64 { min(16 << 20, fileBytesMax / 4) }
}
