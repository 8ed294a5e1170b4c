import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleValues

/// The value file of one segment of a store that is being made. Used by one thread.
final class BuiltValues {
    private let writer: ValueFileWriter
    private var counter = ValueUseCounter()
    /// The reference that was made last.
    private let encoded = OwnedBytes(count: ValueReference.encodedBytes)

    /// Begins the file with the number of its segment.
    init(_ number: UInt64, in directory: any Directory) throws(StorageError) {
        do { writer = try ValueFileWriter(directory: directory, number: number) } catch { throw error.storageError }
    }

    /// The size of the file.
    var byteCount: UInt64 { writer.endOffset }

    /// Appends a value. Returns its encoded reference, valid until the next call.
    func append(_ value: Bytes) throws(StorageError) -> Bytes {
        let reference: ValueReference
        do { reference = try writer.append(value, ValueDigest(of: value)) } catch { throw error.storageError }
        reference.encode(into: encoded.mutable)
        counter.add(reference)
        return encoded.bytes
    }

    /// Makes the values durable, and returns their use by the segment. Nothing is appended later.
    func finish() throws(StorageError) -> ValueUse {
        do throws(IOFailure) {
            try writer.sync()
            try writer.close()
        } catch {
            throw error.storageError
        }
        let use = counter.sorted { _ in writer.endOffset }.first
        return use ?? ValueUse(file: writer.number, fileBytes: writer.endOffset, usedBytes: 0)
    }
}
