import ShaleBase
import ShaleLog
import ShalePlatform

extension LogWriter {
    /// Appends records, each preceded in `input` by its length (u16), and closes the log as one that was synced: the
    /// input damages records and not their chunks.
    func appendAndClose(records input: [UInt8]) throws(IOFailure) {
        var rest = input[...]
        while let length = Array(rest.prefix(2)).word(UInt16.self, at: 0) {
            rest = rest.dropFirst(2)
            try Array(rest.prefix(Int(length))).withBytes { (bytes) throws(IOFailure) in try append(bytes) }
            rest = rest.dropFirst(Int(length))
        }
        let size = endOffset
        try sync()
        markSynced(through: size)
        try appendMark()
        try close(truncating: true)
    }
}
