import ShaleBase

/// The rule for damaged logs, written a second time and naively: it knows the undamaged bytes.
struct DamageModel {
    struct Chunk {
        var range: Range<Int>
        var type: UInt8
        var syncedOffset: Int
        /// How many records are whole before this chunk.
        var recordsBefore: Int
    }

    enum Outcome: Equatable {
        case records(Int)
        case corruption(offset: Int)
    }

    let original: [UInt8]
    let chunks: [Chunk]

    init(_ original: [UInt8]) {
        self.original = original
        var chunks: [Chunk] = []
        var offset = 64
        var recordCount = 0
        while offset < original.count {
            let room = 32768 - offset % 32768
            if room < 20 {
                offset += room
                continue
            }
            guard offset + 20 <= original.count, original[offset + 10] != 0 else { break }
            let count = Int(original[offset + 8]) | Int(original[offset + 9]) << 8
            let type = original[offset + 10]
            let header = type == 6 ? 15 : 20
            let synced =
                type == 6
                ? offset - (0..<4).reduce(0) { $0 | Int(original[offset + 11 + $1]) << (8 * $1) }
                : (0..<8).reduce(0) { $0 | Int(original[offset + 12 + $1]) << (8 * $1) }
            chunks.append(
                Chunk(
                    range: offset..<offset + header + count, type: type, syncedOffset: synced,
                    recordsBefore: recordCount))
            if type == 1 || type == 4 || type == 6 { recordCount += 1 }
            offset += header + count
        }
        self.chunks = chunks
        totalRecords = recordCount
    }

    let totalRecords: Int

    /// What reading `damaged` must give, for a log whose header is intact.
    func outcome(of damaged: [UInt8]) -> Outcome {
        func isIntact(_ chunk: Chunk) -> Bool {
            chunk.range.upperBound <= damaged.count && damaged[chunk.range] == original[chunk.range]
        }
        guard let bad = chunks.firstIndex(where: { !isIntact($0) }) else { return .records(totalRecords) }
        let badOffset = chunks[bad].range.lowerBound
        let isVouched = chunks[(bad + 1)...].contains { isIntact($0) && $0.syncedOffset > badOffset }
        return isVouched ? .corruption(offset: badOffset) : .records(chunks[bad].recordsBefore)
    }

    /// nil when `result` is what the rule says, else what is wrong.
    func complaint(about result: ReadResult, of damaged: [UInt8], records: [[UInt8]]) -> String? {
        guard result.records == Array(records.prefix(result.records.count)) else { return "a wrong record" }
        switch outcome(of: damaged) {
        case .records(let count):
            guard result.error == nil else { return "unexpected error \(String(describing: result.error))" }
            return result.records.count == count ? nil : "\(result.records.count) records instead of \(count)"
        case .corruption(let offset):
            guard let error = result.error else { return "no error, expected corruption at \(offset)" }
            guard error.code == .corruption, error.offset == UInt64(offset), error.file == "wal/" + TestLog.name else {
                return "wrong error \(error), expected corruption at \(offset)"
            }
            return nil
        }
    }
}
