package import ShaleBase
package import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// A file open for writing in a ``SimulatedFileSystem``.
package final class SimulatedWritableFile: WritableFile {
    let handle: SimulatedHandle

    init(_ handle: SimulatedHandle) { self.handle = handle }

    package var name: String { handle.name }

    package func write(_ bytes: Bytes, at offset: UInt64) throws(IOFailure) {
        try handle.perform(.write) { file, effect throws(IOFailure) in
            let offset = try position(offset, bytes.count, "write")
            if case .shortWrite(let keeping, let number) = effect {
                _ = store(bytes.slice(0, min(max(0, keeping), bytes.count)), file, at: offset)
                throw IOFailure("write", handle.label, number)
            }
            // A full disk stores what fits before it refuses, as the kernel does.
            if let refusal = store(bytes, file, at: offset) { throw IOFailure("write", handle.label, refusal) }
        }
    }

    /// Stores what fits. Returns the error number if the disk or the quota cut the write short.
    private func store(_ bytes: Bytes, _ file: SimulatedFile, at offset: Int) -> Int32? {
        let growth = max(0, offset + bytes.count - file.content.count)
        let space = handle.fileSystem.space
        let missing = max(0, growth - space.room)
        let fitting = bytes.slice(0, max(0, bytes.count - missing))
        if !fitting.isEmpty { handle.fileSystem.accounting(for: file) { file.write(fitting, at: offset) } }
        return missing > 0 ? space.refusal : nil
    }

    package func window(offset: UInt64, count: Int) -> FileWindow? {
        guard handle.fileSystem.mapsFiles, handle.reaches(offset &+ UInt64(count)) else { return nil }
        let backing = SimulatedMapping(handle, offset: Int(offset), count: count)
        return FileWindow(
            offset: offset, bytes: backing.bytes, backing: backing, faults: nil, file: handle.label)
    }

    package func truncate(to size: UInt64) throws(IOFailure) {
        try handle.perform(.truncate) { file, _ throws(IOFailure) in
            let size = try position(size, 0, "truncate")
            handle.fileSystem.accounting(for: file) { file.resize(to: size) }
        }
    }

    package func sync() throws(IOFailure) { try handle.sync() }

    package func isOnMedium() throws(IOFailure) -> Bool {
        try handle.perform(.read) { file, _ in file.pending.allSatisfy { !$0.isLost } }
    }

    /// Closes the file. Counts as a call only the first time; a close that fails has still closed the file.
    package func close() throws(IOFailure) {
        guard handle.mustClose else { return }
        defer { handle.close() }
        try handle.perform(.close) { _, _ in }
    }

    /// Converts an offset. Rejects offsets beyond the largest possible file, as the kernel does.
    func position(_ offset: UInt64, _ count: Int, _ operation: String) throws(IOFailure) -> Int {
        guard offset <= 1 << 46, count <= 1 << 46 else { throw IOFailure(operation, handle.label, EFBIG) }
        return Int(offset)
    }
}
