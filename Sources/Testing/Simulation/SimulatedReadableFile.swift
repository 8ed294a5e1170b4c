package import ShaleBase
import ShalePlatform

/// A file open for reading in a ``SimulatedFileSystem``. It keeps working after the file's last name is removed.
package final class SimulatedReadableFile: ReadableFile {
    private let handle: SimulatedHandle

    init(_ handle: SimulatedHandle) { self.handle = handle }

    package var name: String { handle.name }

    package func size() throws(IOFailure) -> UInt64 {
        try handle.perform(.size) { file, _ in UInt64(file.content.count) }
    }

    package func read(into target: MutableBytes, at offset: UInt64) throws(IOFailure) -> Int {
        try handle.perform(.read) { file, effect in
            let count = file.content.read(into: target, at: Int(clamping: offset))
            if case .corruptRead(let byte, let mask) = effect, count > 0 {
                target[abs(byte % count)] ^= mask
            }
            return count
        }
    }

    /// Returns the offset at or after `offset` at which content begins: everything between is a hole and reads as
    /// zeros.
    package func contentOffset(from offset: UInt64) throws(IOFailure) -> UInt64 {
        try handle.perform(.size) { file, _ in
            offset < UInt64(file.content.count) ? UInt64(file.content.contentOffset(from: Int(offset))) : offset
        }
    }

    package func adviseSequential(offset: UInt64, count: UInt64) {}

    package func close() { handle.close() }
}
