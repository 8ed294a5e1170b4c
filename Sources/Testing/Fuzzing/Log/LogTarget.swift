import ShaleBase
import ShaleLog
import ShalePlatform
import ShaleSimulation

extension FuzzTarget {
    /// Input: a byte of settings, then a log file. Bit 0: the header may be missing. Bits 1–7: the number of the chunk
    /// that keeps its checksum, which may be wrong; the highest value means none.
    static let log = FuzzTarget("log", "record log: header, chunks, torn tails", seeds: LogTarget.seeds) { input in
        guard let settings = input.first else { return }
        var file = Array(input.dropFirst())
        let spared = Int(settings >> 1)
        LogSealer.seal(&file, number: LogTarget.number, spared: spared == 127 ? nil : spared)
        try LogTarget.run(file, mayLackHeader: settings & 1 != 0)
    }
}

enum LogTarget {
    static let number: UInt64 = 12
    private static let name = "0000000012.wal"

    static func run(_ file: [UInt8], mayLackHeader: Bool) throws {
        var records: [[UInt8]] = []
        do throws(StorageError) {
            let reader = try LogReader(
                file: ReadOnlyFile(name, file), path: name, number: number, kind: .wal, mayLackHeader: mayLackHeader)
            let end = try reader.forEach { records.append($0.payload.array()) }
            try check(end, records, file)
        } catch {
            try requireTyped(error)
        }
        try requireRoundTrip(records)
    }

    private static func check(_ end: LogEnd, _ records: [[UInt8]], _ file: [UInt8]) throws(StorageError) {
        let size = UInt64(file.count)
        guard end.offset <= max(size, UInt64(LogFormat.headerSize)), end.lastSyncedOffset <= max(end.offset, size),
            records.reduce(0, { $0 + $1.count }) <= file.count
        else { throw StorageError(.invalidArgument, "a log ends behind its file: \(end)") }
    }

    /// Checks that the records read are the same after writing them again.
    private static func requireRoundTrip(_ records: [[UInt8]]) throws {
        let files = SimulatedFileSystem()
        let directory = try files.openDirectory("/log", create: true)
        let writer = try LogWriter(
            directory: directory, name: name, number: number, kind: .wal, previous: .none, preallocate: 0)
        for record in records {
            let memory = OwnedBytes(record)
            try withExtendedLifetime(memory) { try writer.append(memory.bytes) }
        }
        try writer.close(truncating: false)
        let file = try directory.open(name)
        let reader = try LogReader(file: file, path: name, number: number, kind: .wal)
        var again: [[UInt8]] = []
        let end = try reader.forEach { again.append($0.payload.array()) }
        try require(again == records && !end.wasTorn, "a log's records don't survive being written")
    }

    static func seeds() throws -> [[UInt8]] {
        try [[0], [5, 300], [1, 40_000, 7], [70_000], [10, 10, 10, 10]].flatMap { lengths in
            let file = try write(lengths)
            return [[254] + file, [255] + file, [2] + file, [254] + file.dropLast(3)]
        }
    }

    private static func write(_ lengths: [Int]) throws -> [UInt8] {
        let files = SimulatedFileSystem()
        let directory = try files.openDirectory("/log", create: true)
        let writer = try LogWriter(
            directory: directory, name: name, number: number, kind: .wal,
            previous: LogPredecessor(number: 11, size: 4711, lastSequence: 99), preallocate: 0)
        for length in lengths {
            let memory = OwnedBytes([UInt8](repeating: UInt8(truncatingIfNeeded: length), count: length))
            try withExtendedLifetime(memory) { try writer.append(memory.bytes) }
            try writer.sync()
            writer.markSynced(through: writer.endOffset)
        }
        try writer.appendMark()
        try writer.close(truncating: false)
        return files.read("/log/" + name) ?? []
    }
}

/// Writes correct checksums into a mutated log, so that its reader parses the covered bytes.
enum LogSealer {
    /// Seals the chunks by their lengths, as the reader finds them; after an invalid length it continues with the next
    /// block.
    ///
    /// Chunk number `spared` keeps its checksum: a log whose chunks are all valid has no torn tail.
    static func seal(_ bytes: inout [UInt8], number: UInt64, spared: Int? = nil) {
        guard bytes.count >= LogFormat.headerSize else { return }
        bytes.put(number, at: 16)
        bytes.put(bytes.checksum(0, 56, file: number), at: 56)
        var offset = LogFormat.headerSize
        var index = 0
        while true {
            offset = Int(LogFormat.chunkOffset(after: UInt64(offset)))
            let blockRest = LogFormat.blockSize - offset % LogFormat.blockSize
            let room = min(blockRest, bytes.count - offset)
            guard room >= LogFormat.chunkHeaderSize, let length = bytes.word(UInt16.self, at: offset + 8) else {
                return
            }
            let isSingle = bytes[offset + 10] == LogFormat.ChunkType.single.rawValue
            let count = (isSingle ? LogFormat.singleHeaderSize : LogFormat.chunkHeaderSize) + Int(length)
            guard count <= room, bytes[offset + 10] != 0 else {
                offset += blockRest
                continue
            }
            if index != spared {
                bytes.put(bytes.checksum(offset + 8, count - 8, file: number, position: offset), at: offset)
            }
            index += 1
            offset += count
        }
    }
}
