import ShaleBase
import ShalePlatform
import ShaleSegment
package import ShaleValues

/// The treatment of references to value files by outputs.
package struct ValuePlan: Sendable {
    /// The sizes of the files to which the inputs refer.
    package var sizes: [UInt64: UInt64] = [:]
    /// The files whose values are copied: those that are to be collected, or that may not be durable.
    package var copied: Set<UInt64> = []
    /// The files to read copied values from.
    package var source: ValueSource?

    package init(sizes: [UInt64: UInt64] = [:], copied: Set<UInt64> = [], source: ValueSource? = nil) {
        self.sizes = sizes
        self.copied = copied
        self.source = source
    }
}

/// The references of one output segment: counts them, and copies values to a value file with the segment's number.
struct ValueOutput: ~Copyable {
    private let plan: ValuePlan
    private var counter = ValueUseCounter()
    private var writer: ValueFileWriter?
    /// The reference that was made last.
    private let encoded = OwnedBytes(count: ValueReference.encodedBytes)

    init(_ plan: ValuePlan) { self.plan = plan }

    /// Returns the encoded reference that the output gets for `value`, an encoded reference of an input. Valid until
    /// the next call.
    mutating func pass(
        _ value: Bytes, to directory: any Directory, number: UInt64
    ) throws(StorageError) -> Bytes {
        var reference = try ValueReference(stored: value)
        if plan.copied.contains(reference.file) {
            reference = try copy(reference, to: directory, number: number)
            reference.encode(into: encoded.mutable)
            counter.add(reference)
            return encoded.bytes
        }
        counter.add(reference)
        return value
    }

    private mutating func copy(
        _ reference: ValueReference, to directory: any Directory, number: UInt64
    ) throws(StorageError) -> ValueReference {
        guard let source = plan.source else { throw .corruption("a value to copy has no file") }
        let target: ValueFileWriter
        do throws(IOFailure) { target = try self.target(in: directory, number) } catch { throw error.storageError }
        guard reference.count <= FormatLimits.valueBytes else {
            return try target.append(copyOf: reference, from: source)
        }
        let value = try source.read(reference)
        defer { withExtendedLifetime(value) {} }
        do throws(IOFailure) {
            return try target.append(value.bytes, ValueDigest(of: value.bytes))
        } catch {
            throw error.storageError
        }
    }

    private mutating func target(
        in directory: any Directory, _ number: UInt64
    ) throws(IOFailure) -> ValueFileWriter {
        if let writer { return writer }
        let fresh = try ValueFileWriter(directory: directory, number: number)
        writer = fresh
        return fresh
    }

    /// Makes copied values durable and returns the uses of all files. Their file is still removed by ``abandon(in:)``
    /// until ``forget()``.
    mutating func finish() throws(StorageError) -> [ValueUse] {
        if counter.isEmpty { return [] }
        let own = writer
        do throws(IOFailure) {
            try own?.sync()
            try own?.close()
        } catch {
            throw error.storageError
        }
        let uses = counter.sorted { file in
            own?.number == file ? own?.endOffset ?? 0 : plan.sizes[file] ?? 0
        }
        guard uses.allSatisfy({ $0.fileBytes > 0 }) else {
            throw .corruption("a segment refers to a value file that its metadata does not name")
        }
        return uses
    }

    /// Removes copied values after an error, which the caller reports. If the removal fails, the file is an orphan that
    /// the next open removes.
    mutating func abandon(in directory: any Directory) {
        let name = writer?.name
        forget()
        guard let name else { return }
        do { try directory.remove(name) } catch { return }
    }

    /// Begins the next output.
    mutating func forget() {
        counter = ValueUseCounter()
        writer = nil
    }
}
