import ShaleBase
import TestSupport

/// A second, naive implementation of the rule for damaged logs, which knows the undamaged bytes.
struct DamageModel {
    enum Outcome: Equatable {
        case records(Int)
        case corruption(offset: Int)
    }

    let original: [UInt8]
    let chunks: [LogImage.Chunk]

    init(_ original: [UInt8]) {
        self.original = original
        chunks = LogImage(original).chunks
        totalRecords = chunks.count { $0.endsRecord }
    }

    let totalRecords: Int

    /// Returns the correct outcome of reading `damaged`, for a log with an intact header.
    func outcome(of damaged: [UInt8]) -> Outcome {
        func isIntact(_ chunk: LogImage.Chunk) -> Bool {
            chunk.range.upperBound <= damaged.count && damaged[chunk.range] == original[chunk.range]
        }
        guard let bad = chunks.firstIndex(where: { !isIntact($0) }) else { return .records(totalRecords) }
        let badOffset = chunks[bad].range.lowerBound
        let isVouched = chunks[(bad + 1)...].contains { isIntact($0) && $0.syncedOffset > badOffset }
        return isVouched ? .corruption(offset: badOffset) : .records(chunks[..<bad].count { $0.endsRecord })
    }

    /// Returns `nil` if `result` follows the rule, otherwise a description of the difference.
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
