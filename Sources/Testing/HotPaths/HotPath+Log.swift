import ShaleBase
import ShaleLog
import ShaleMemtable
import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension HotPath {
    static let recordAppend = HotPath("record-append", "one put encoded, framed, sealed, and given to a null file") {
        let data = HotPathData()
        let log = try LogWriter(
            file: NullFile("null"), number: 1, kind: .wal,
            previous: LogPredecessor(number: 0, size: 0, lastSequence: 0), preallocated: 0, isMapped: false)
        return { operations in try appendLoop(log, data, operations) }
    }

    @inline(never)
    private static func appendLoop(
        _ log: LogWriter, _ data: HotPathData, _ operations: Int
    ) throws(IOFailure) -> UInt64 {
        let size = SingleFormat.encodedSize(
            keyBytes: HotPathData.keyBytes, valueBytes: HotPathData.valueBytes, kind: .put)
        for step in 0..<operations {
            guard let frame = log.reserveSingle(size) else {
                // At the end of a log block, a record takes two chunks on another path, which this hot path does not
                // count.
                try log.append(data.value(0))
                continue
            }
            let index = HotPathData.visit(step)
            SingleFormat.encode(
                into: frame, Trailer(SequenceNumber(truncatingIfNeeded: step), .put), namespace: HotPathData.namespace,
                key: data.userKey(index), expiry: 0, value: data.value(index))
            try log.commit()
        }
        return UInt64(operations)
    }
}

/// A file that discards all writes, for measuring the work before the system call.
final class NullFile: WritableFile {
    let name: String

    init(_ name: String) { self.name = name }

    func write(_ bytes: Bytes, at offset: UInt64) {}
    func preallocate(_ size: UInt64) {}
    func truncate(to size: UInt64) {}
    func sync() {}
    func close() {}
}

/// A directory of ``NullFile``s, which can't be reopened.
final class NullDirectory: Directory {
    var path: String { "null" }
    var identity: FileIdentity { FileIdentity(device: 0, inode: 0) }

    func create(_ name: String) -> any WritableFile { NullFile(name) }
    func open(_ name: String) throws(IOFailure) -> any ReadableFile { throw absent("open", name) }
    func reopen(_ name: String) throws(IOFailure) -> any WritableFile { throw absent("open", name) }
    func openDirectory(_ name: String, create: Bool) throws(IOFailure) -> any Directory { throw absent("open", name) }
    func exists(_ name: String) -> Bool { false }
    func list() -> [String] { [] }
    func rename(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        throw absent("rename", name)
    }
    func link(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        throw absent("link", name)
    }
    var durabilityIsReduced: Bool { false }
    var isOpenToOthers: Bool { false }
    var isPrivate: Bool { true }
    func remove(_ name: String) {}
    func removeInSteps(_ name: String) {}
    func removeAndCut(_ name: String) {}
    func removeDirectory(_ name: String) throws(IOFailure) { throw absent("remove", name) }
    func sync() {}
    func lock(_ name: String) throws(IOFailure) -> any FileLock { throw absent("lock", name) }
    func openHolds(_ name: String) throws(IOFailure) -> any FileHolds { throw absent("open", name) }
    func freeBytes() -> UInt64 { .max }

    private func absent(_ operation: String, _ name: String) -> IOFailure { IOFailure(operation, name, ENOENT) }
}
