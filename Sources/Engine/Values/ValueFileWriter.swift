package import ShaleBase
package import ShalePlatform
import Synchronization

/// Appends values to one value file.
///
/// When `append` returns, the value is in the page cache and survives the death of the process. ``sync()`` makes it
/// durable.
///
/// Threads: one thread at a time appends (callers hold their commit lock). Any thread may call ``sync()`` and
/// ``endOffset`` meanwhile.
///
/// Failure: a failed append leaves the end where it was, so the next one overwrites what may have been written. After a
/// failed sync the content is unknown, and every later sync throws that failure: the kernel reports a lost page only
/// once.
@safe
package final class ValueFileWriter: @unchecked Sendable {
    package let number: UInt64
    package let name: String
    private let file: any WritableFile
    private let directory: any Directory
    private let end = Atomic<UInt64>(ValueFileFormat.start)
    /// The number of appends. An offset would not show what was written in the place of removed records.
    private let appends = Atomic<UInt64>(0)
    /// Small values are joined with their headers here, so that each takes one write.
    private let frame = OwnedBytes(count: ValueFileWriter.frameBytes)

    private struct Durable {
        var appends: UInt64 = 0
        var hasName = false
        var failure: IOFailure?
    }

    /// Held during a sync: of two concurrent syncs the kernel reports a failure to one only.
    private let syncing = Lock()
    /// Under `syncing`.
    private var durable = Durable()

    private static let frameBytes = 128 << 10

    /// Creates the file, which must not exist, and writes its header. Neither content nor name is durable.
    package init(directory: any Directory, number: UInt64) throws(IOFailure) {
        self.directory = directory
        self.number = number
        name = ValueFileName.make(number)
        file = try directory.create(name)
        let header = frame.mutable.slice(0, ValueFileFormat.headerBytes)
        ValueFileFormat.encodeHeader(into: header, number: number)
        do {
            try file.write(header.bytes, at: 0)
        } catch {
            // A file without a header holds no value. If the removal fails, it only takes space until the next open.
            do { try directory.remove(name) } catch { throw error }
            throw error
        }
    }

    /// The end of the last record.
    package var endOffset: UInt64 { end.load(ordering: .acquiring) }

    /// Appends a value of at most 32 MiB.
    ///
    /// - Parameter hash: `XXH3.hash` of the value, which callers compute before they take a lock.
    package func append(_ value: Bytes, hash: UInt64) throws(IOFailure) -> ValueReference {
        let offset = end.load(ordering: .relaxed)
        let header = frame.mutable.slice(0, ValueFileFormat.recordHeaderBytes)
        let reference = ValueFileFormat.encodeRecordHeader(
            into: header, hash: hash, count: value.count, file: number, offset: offset)
        if value.count <= frame.count - header.count {
            frame.mutable.copy(value, at: header.count)
            try file.write(frame.bytes.slice(0, header.count + value.count), at: offset)
        } else {
            try file.write(value, at: reference.offset)
            try file.write(header.bytes, at: offset)
        }
        end.store(reference.end, ordering: .releasing)
        appends.wrappingAdd(1, ordering: .releasing)
        return reference
    }

    /// Removes the records from `offset` on, which nothing refers to, so that the next append takes their place.
    package func rewind(to offset: UInt64) { end.store(offset, ordering: .releasing) }

    /// Makes everything appended before the call durable, and the file's name.
    package func sync() throws(IOFailure) {
        syncing.lock()
        defer { syncing.unlock() }
        if let failure = durable.failure { throw failure }
        let target = appends.load(ordering: .acquiring)
        guard target > durable.appends else { return }
        do {
            try file.sync()
            if !durable.hasName { try directory.sync() }
        } catch {
            durable.failure = error
            throw error
        }
        durable.appends = target
        durable.hasName = true
    }

    /// Closes the file. Nothing is appended later.
    package func close() throws(IOFailure) { try file.close() }
}
