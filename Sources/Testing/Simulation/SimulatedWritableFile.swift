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

    package func isOnMedium(first count: UInt64) throws(IOFailure) -> Bool {
        try handle.perform(.read) { file, _ in file.pending.allSatisfy { !$0.isLost || !$0.isWithin(first: count) } }
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

/// `preallocate` with the behaviour of different systems.
extension SimulatedWritableFile {
    private static let blockBytes = 4 << 10

    /// False if the simulated system can't reserve.
    package var keepsReservations: Bool { handle.fileSystem.model.reservation != .unsupported }

    package func preallocate(_ size: UInt64) throws(IOFailure) {
        let reservation = handle.fileSystem.model.reservation
        try handle.perform(.preallocate) { file, _ throws(IOFailure) in
            (size: try position(size, 0, "preallocate"), was: file.content.count)
        } end: { file, begun throws(IOFailure) in
            let (size, was) = begun
            guard size > was else { return }
            switch reservation {
            case .unsupported: return
            case .kept, .partial: try extend(file, to: size, inPart: reservation == .partial)
            case .zeroBytes: try fill(file, from: was, to: size)
            case .sizeLast:
                try extend(file, to: size, inPart: false)
                handle.fileSystem.accounting(for: file) { file.resize(to: size) }
            }
        }
    }

    private func extend(_ file: SimulatedFile, to size: Int, inPart: Bool) throws(IOFailure) {
        let growth = size - file.content.count
        guard growth > 0 else { return }
        let space = handle.fileSystem.space
        if growth <= space.room { return handle.fileSystem.accounting(for: file) { file.resize(to: size) } }
        let blocks = space.room / SimulatedWritableFile.blockBytes
        if inPart, blocks > 0 {
            let part = file.content.count + blocks * SimulatedWritableFile.blockBytes
            handle.fileSystem.accounting(for: file) { file.resize(to: part) }
        }
        throw IOFailure("preallocate", handle.label, space.refusal)
    }

    /// Writes a zero to the last byte of every block up to `size`. Below `was`, the size when the call began, a byte
    /// that is not zero stays.
    private func fill(_ file: SimulatedFile, from was: Int, to size: Int) throws(IOFailure) {
        let zero = OwnedBytes(count: 1)
        let first = was / SimulatedWritableFile.blockBytes * SimulatedWritableFile.blockBytes
        for block in stride(from: first, to: size, by: SimulatedWritableFile.blockBytes) {
            let last = min(block + SimulatedWritableFile.blockBytes, size) - 1
            guard last >= was else { continue }
            let space = handle.fileSystem.space
            guard last + 1 - file.content.count <= space.room else {
                throw IOFailure("preallocate", handle.label, space.refusal)
            }
            zero.mutable.zero(0, 1)
            handle.fileSystem.accounting(for: file) { file.write(zero.bytes, at: last) }
        }
    }
}

/// Memory that simulates a mapped range of a file.
///
/// A process can die between any two stores. A confirmed range therefore reaches the file in two calls: first a random
/// part of its words, then all of it. A crash before the second call leaves what a kill in the middle would leave.
private final class SimulatedMapping: FileWindowBacking, @unchecked Sendable {
    private let handle: SimulatedHandle
    private let memory: OwnedBytes

    init(_ handle: SimulatedHandle, offset: Int, count: Int) {
        self.handle = handle
        memory = OwnedBytes(count: count)
        memory.mutable.zero(0, count)
        handle.look { file in _ = file.content.read(into: memory.mutable, at: offset) }
    }

    var bytes: MutableBytes { memory.mutable }

    func stored(_ bytes: Bytes, at offset: UInt64) throws(IOFailure) {
        try perform(at: offset) { file, offset in
            let torn = OwnedBytes(count: bytes.count)
            _ = file.content.read(into: torn.mutable, at: offset)
            let isStored = handle.fileSystem.injector.drawStored(bytes.count / 8 + 1)
            for index in 0..<bytes.count where isStored[index / 8] { torn.mutable[index] = bytes[index] }
            file.write(torn.bytes, at: offset)
        }
        try perform(at: offset) { file, offset in file.write(bytes, at: offset) }
    }

    /// Performs one call. A failed store may have left any bytes, so its bytes stay. Beyond the end of a truncated file
    /// a store fails.
    private func perform(at offset: UInt64, _ body: (SimulatedFile, Int) -> Void) throws(IOFailure) {
        try handle.perform(.write) { file, effect throws(IOFailure) in
            guard Int(offset) < file.content.count else { throw IOFailure("write", handle.label, EIO) }
            handle.fileSystem.accounting(for: file) { body(file, Int(offset)) }
            if case .shortWrite(_, let number) = effect { throw IOFailure("write", handle.label, number) }
        }
    }
}
