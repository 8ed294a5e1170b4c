import ShaleBase
import ShaleLog
import ShaleMemtable

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
