import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation

/// Real segments on a simulated disk, made from entries and read back as entries.
final class SegmentShelf {
    struct Row: Equatable, CustomStringConvertible {
        var key: [UInt8]
        var sequence: UInt64
        var kind = EntryKind.put
        var expiry: Int64 = 0
        var value: [UInt8] = []

        init(
            _ key: String, _ sequence: UInt64, _ kind: EntryKind = .put, expiry: Int64 = 0, value: [UInt8] = [],
            in namespace: UInt32 = 1
        ) {
            self.key = EncodedKey.start(of: NamespaceID(rawValue: namespace)) + Array(key.utf8)
            self.sequence = sequence
            self.kind = kind
            self.expiry = expiry
            self.value = value
        }

        var description: String { "\(String(decoding: key.dropFirst(4), as: UTF8.self))@\(sequence)/\(kind.rawValue)" }
    }

    let fileSystem = SimulatedFileSystem(seed: 1)
    let directory: any Directory
    private let environment = SegmentEnvironment(memoryBudget: 4 << 20, openFileLimit: 64)
    private let numbers = FileNumbers(next: 1)
    var options = CompactionOptions()

    init() throws {
        directory = try fileSystem.openDirectory("/", create: true)
        options.blockBytes = 1024
    }

    /// Makes a segment of `rows`, which are in order.
    func make(_ rows: [Row], codec: BlockCodec = .lz4) throws -> Segment {
        let writer = try SegmentWriter(
            directory: directory, number: numbers.allocate(),
            options: SegmentWriterOptions(blockBytes: options.blockBytes, codec: codec, filterBitsPerKey: 10))
        for row in rows {
            try row.key.withBytes { (key) throws(StorageError) in
                try row.value.withBytes { (value) throws(StorageError) in
                    try writer.add(key, trailer: Trailer(row.sequence, row.kind), expiry: row.expiry, value: value)
                }
            }
        }
        return open(try writer.finish(createdMilliseconds: 0))
    }

    func open(_ metadata: SegmentMetadata) -> Segment {
        Segment(metadata: metadata, directory: directory, environment: environment)
    }

    /// Runs a job, in ranges if the options say so, and returns the entries of its outputs.
    func run(
        _ job: CompactionJob, _ horizon: Horizon
    ) throws -> (rows: [Row], outputs: [Segment], statistics: CompactionStatistics) {
        let work = RangedCompaction(
            job, horizon: horizon, options: options, directory: directory,
            allocateNumber: { [numbers] in numbers.allocate() })
        let done = try work.run(createdMilliseconds: 0) { _ throws(StorageError) in }
        let outputs = done.outputs.map { open($0) }
        var rows: [Row] = []
        for segment in outputs {
            try segment.verify { _ throws(StorageError) in }
            rows += try SegmentShelf.rows(of: segment)
        }
        return (rows, outputs, done.statistics)
    }

    static func rows(of segment: Segment) throws -> [Row] {
        let cursor = EntryCursor(segment, headOffset: 0)
        try cursor.seek(nil, .forward)
        var rows: [Row] = []
        while cursor.runCount > 0 {
            for i in 0..<cursor.runCount {
                let entry = unsafe cursor.run[i]
                var row = Row("", entry.trailer.sequence, entry.trailer.kind, expiry: entry.expiry)
                row.key = entry.key.array()
                row.value = entry.value.array()
                rows.append(row)
            }
            try cursor.fill()
        }
        return rows
    }

    /// Returns the output of a merge that decodes everything: all rows in order, after retention.
    static func merged(
        _ inputs: [[Row]], _ job: CompactionJob, _ horizon: Horizon
    ) -> [Row] {
        let all = inputs.flatMap { $0 }.sorted {
            $0.key != $1.key ? $0.key.lexicographicallyPrecedes($1.key) : $0.sequence > $1.sequence
        }
        var retention = Retention(horizon, normalises: job.isLast)
        var last: [UInt8]?
        var output: [Row] = []
        for row in all {
            if row.key != last { retention.beginKey(row.key.withBytes { EncodedKey.namespace(of: $0) }) }
            last = row.key
            let isBottom = !row.key.withBytes { job.older.mayHold($0) }
            var kept = row
            switch retention.judge(Trailer(row.sequence, row.kind), expiry: row.expiry, isBottom: { isBottom }) {
            case .keep(let trailer): kept.sequence = trailer.sequence
            case .tombstone(let trailer):
                kept.sequence = trailer.sequence
                kept.kind = .delete
                kept.expiry = 0
                kept.value = []
            case .drop: continue
            }
            output.append(kept)
        }
        return output
    }
}
