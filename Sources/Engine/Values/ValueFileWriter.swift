package import ShaleBase
package import ShalePlatform
import Synchronization

/// Appends values to one value file.
///
/// When `append` returns, the value is in the page cache and survives the death of the process. ``sync()`` makes it
/// durable.
///
/// Threads: one thread at a time appends (callers hold their commit lock). Any thread may call ``sync()``,
/// ``endOffset`` and ``unsyncedBytes`` meanwhile.
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
    /// An end that the last sync covered.
    private let synced = Atomic<UInt64>(0)
    /// The header that is being written: the file's or a record's.
    private let header = OwnedBytes(count: ValueFileFormat.headerBytes)

    private struct Durable {
        var appends: UInt64 = 0
        var hasName = false
        var failure: IOFailure?
    }

    /// The time that syncs in steps took. The users of the file guard it.
    package var stepNanoseconds: UInt64 = 0

    /// Held during a sync: of two concurrent syncs the kernel reports a failure to one only.
    private let syncing = Lock()
    /// Under `syncing`.
    private var durable = Durable()

    /// Creates the file, which must not exist, and writes its header. Neither content nor name is durable.
    package init(directory: any Directory, number: UInt64) throws(IOFailure) {
        self.directory = directory
        self.number = number
        name = ValueFileName.make(number)
        file = try directory.create(name)
        ValueFileFormat.encodeHeader(into: header.mutable, number: number)
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

    /// About the number of bytes that were appended since the last sync began.
    @inline(__always)
    package var unsyncedBytes: UInt64 {
        let (end, synced) = (end.load(ordering: .relaxed), synced.load(ordering: .relaxed))
        // A rewind may have moved the end back.
        return end > synced ? end - synced : 0
    }

    /// Appends a value of at most 32 MiB. A longer one is a ``GrowingValue``.
    ///
    /// - Parameter digest: That of the value, which callers compute before they take a lock.
    package func append(_ value: Bytes, _ digest: ValueDigest) throws(IOFailure) -> ValueReference {
        let offset = end.load(ordering: .relaxed)
        let header = header.mutable.slice(0, ValueFileFormat.recordHeaderBytes)
        let reference = ValueFileFormat.encodeRecordHeader(
            into: header, hash: digest.hash, count: value.count, file: number, offset: offset)
        try file.write(header.bytes, value, at: offset)
        if let table = digest.table { try file.write(table.bytes, at: reference.tableOffset) }
        noteAppend(of: reference)
        return reference
    }

    private func noteAppend(of reference: ValueReference) {
        end.store(reference.end, ordering: .releasing)
        appends.wrappingAdd(1, ordering: .releasing)
    }

    /// Writes a part of the record at the end of the file. The record does not exist until ``complete(count:hash:)``.
    func write(_ bytes: Bytes, intoRecordAt place: Int) throws(IOFailure) {
        try file.write(bytes, at: end.load(ordering: .relaxed) + UInt64(place))
    }

    /// Writes the header of the record at the end of the file, whose value and chunk table were written. The file then
    /// ends after the record.
    func complete(count: Int, hash: UInt64) throws(IOFailure) -> ValueReference {
        let offset = end.load(ordering: .relaxed)
        let header = header.mutable.slice(0, ValueFileFormat.recordHeaderBytes)
        let reference = ValueFileFormat.encodeRecordHeader(
            into: header, hash: hash, count: count, file: number, offset: offset)
        try file.write(header.bytes, at: offset)
        noteAppend(of: reference)
        return reference
    }

    /// Removes the records from `offset` on, which nothing refers to, so that the next append takes their place.
    package func rewind(to offset: UInt64) { end.store(offset, ordering: .releasing) }

    /// Makes everything appended before the call durable, and the file's name.
    package func sync() throws(IOFailure) {
        syncing.lock()
        defer { syncing.unlock() }
        if let failure = durable.failure { throw failure }
        var target = appends.load(ordering: .acquiring)
        guard target > durable.appends else { return }
        let end = endOffset
        do {
            try file.sync()
            if !durable.hasName { try directory.sync() }
        } catch {
            if !PlantedBug.isActive(.forgetValueSyncFailure) { durable.failure = error }
            throw error
        }
        if PlantedBug.isActive(.syncCoversLaterValues) { target = appends.load(ordering: .acquiring) }
        durable.appends = target
        durable.hasName = true
        synced.store(end, ordering: .relaxed)
    }

    /// Closes the file, after a sync that runs. Nothing is appended later.
    package func close() throws(IOFailure) {
        syncing.lock()
        defer { syncing.unlock() }
        try file.close()
    }
}
