import ShaleBase
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The content of a file.
final class MemoryFile: Sendable {
    let content = Locked(SparseBytes())
    private let isLocked = Atomic(false)
    /// The positions of all ``MemoryHolds``, with the number of their holders.
    let holds = Locked<[UInt64: Int]>([:])
    /// The number of names. Changes only under the file system's lock.
    private let names = Atomic(1)

    var hasOtherNames: Bool { names.load(ordering: .acquiring) > 1 }

    var hasNames: Bool { names.load(ordering: .acquiring) > 0 }

    func addName() { names.add(1, ordering: .releasing) }

    func removeName() { names.subtract(1, ordering: .releasing) }

    func takeLock() -> Bool {
        isLocked.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }

    func releaseLock() { isLocked.store(false, ordering: .releasing) }
}

/// An open file. It keeps working after the file's last name is removed.
final class MemoryHandle: WritableFile, ReadableFile {
    /// The largest offset, as that of usual file systems.
    private static let offsetMax: UInt64 = 1 << 46

    let name: String
    private let label: String
    private let file: MemoryFile
    private let isClosed = Atomic(false)

    init(_ file: MemoryFile, _ name: String, _ label: String) {
        self.file = file
        self.name = name
        self.label = label
    }

    private func requireOpen(_ operation: String) throws(IOFailure) {
        if isClosed.load(ordering: .relaxed) { throw IOFailure(operation, label, EBADF) }
    }

    private func position(_ offset: UInt64, _ count: Int, _ operation: String) throws(IOFailure) -> Int {
        try requireOpen(operation)
        guard offset <= MemoryHandle.offsetMax, count <= Int(MemoryHandle.offsetMax) else {
            throw IOFailure(operation, label, EFBIG)
        }
        return Int(offset)
    }

    // MARK: Reading

    func size() throws(IOFailure) -> UInt64 {
        try requireOpen("size")
        return UInt64(file.content.withLock { $0.count })
    }

    func read(into target: MutableBytes, at offset: UInt64) throws(IOFailure) -> Int {
        try requireOpen("read")
        return file.content.withLock { $0.read(into: target, at: Int(clamping: offset)) }
    }

    func contentOffset(from offset: UInt64) throws(IOFailure) -> UInt64 {
        try requireOpen("seek")
        return file.content.withLock { content in
            offset < UInt64(content.count) ? UInt64(content.contentOffset(from: Int(offset))) : offset
        }
    }

    func adviseSequential(offset: UInt64, count: UInt64) {}

    // MARK: Writing

    func write(_ bytes: Bytes, at offset: UInt64) throws(IOFailure) {
        let offset = try position(offset, bytes.count, "write")
        file.content.withLock { $0.write(bytes, at: offset) }
    }

    /// Extends the file with zeros, which take no memory until they are written.
    func preallocate(_ size: UInt64) throws(IOFailure) {
        let size = try position(size, 0, "preallocate")
        file.content.withLock { content in
            if size > content.count { content.resize(to: size) }
        }
    }

    func truncate(to size: UInt64) throws(IOFailure) {
        let size = try position(size, 0, "truncate")
        file.content.withLock { $0.resize(to: size) }
    }

    func sync() throws(IOFailure) { try requireOpen("sync") }

    /// False: memory is the medium.
    var durabilityIsReduced: Bool { false }

    func close() { isClosed.store(true, ordering: .relaxed) }
}

/// A held lock.
final class MemoryLock: FileLock {
    private let file: MemoryFile
    private let label: String
    private let isInPlace: @Sendable () -> Bool
    private let isReleased = Atomic(false)

    init(_ file: MemoryFile, _ label: String, _ isInPlace: @escaping @Sendable () -> Bool) {
        self.file = file
        self.label = label
        self.isInPlace = isInPlace
    }

    deinit { release() }

    func publish(_ text: Bytes) throws(IOFailure) {
        guard !file.hasOtherNames else { throw IOFailure("write", label, EMLINK) }
        file.content.withLock { content in
            content.resize(to: 0)
            content.write(text, at: 0)
        }
    }

    func verify() throws(IOFailure) {
        guard isInPlace() else { throw IOFailure("lock", label, ESTALE) }
    }

    func heldPositions() throws(IOFailure) -> [UInt64] {
        let positions = file.holds.withLock { Array($0.keys) }
        return positions.count > FileHoldLimits.positions ? [0] : positions
    }

    func release() {
        if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { file.releaseLock() }
    }
}

/// Held positions.
final class MemoryHolds: FileHolds {
    private let file: MemoryFile
    private let label: String
    private let isInPlace: @Sendable () -> Bool
    private let held = Locked<Set<UInt64>>([])

    init(_ file: MemoryFile, _ label: String, _ isInPlace: @escaping @Sendable () -> Bool) {
        self.file = file
        self.label = label
        self.isInPlace = isInPlace
    }

    deinit { close() }

    func hold(_ position: UInt64) throws(IOFailure) {
        guard position <= FileHoldLimits.positionMax else { throw IOFailure("lock", label, EINVAL) }
        held.withLock { held in
            guard held.insert(position).inserted else { return }
            file.holds.withLock { $0[position, default: 0] += 1 }
        }
    }

    func release(_ position: UInt64) {
        held.withLock { held in
            if held.remove(position) != nil { drop(position) }
        }
    }

    func verify() throws(IOFailure) {
        guard isInPlace() else { throw IOFailure("lock", label, ESTALE) }
    }

    func close() {
        held.withLock { held in
            for position in held { drop(position) }
            held = []
        }
    }

    private func drop(_ position: UInt64) {
        file.holds.withLock { holds in
            let left = (holds[position] ?? 1) - 1
            holds[position] = left == 0 ? nil : left
        }
    }
}
