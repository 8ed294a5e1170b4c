import ShaleBase

/// A change of a file's content that no sync has made durable yet.
struct DataChange {
    enum Effect {
        case write([UInt8], offset: Int)
        /// Truncation, or an extension with zeros.
        case resize(Int)
    }

    let effect: Effect
    /// Counts the changes of the file.
    let number: Int
    /// A failed sync has dropped this change: the page cache shows it, no later sync will write it.
    var isLost = false
}

/// A file object (what POSIX calls an inode). Names refer to it, handles keep it alive when the last name has gone.
/// Guarded by the file system's lock.
final class SimulatedFile {
    let inode: UInt64
    /// What processes see: the page cache.
    private(set) var content = SparseBytes()
    /// What the medium holds.
    private(set) var durable = SparseBytes()
    /// In order; applying those not lost to `durable` is what a sync does.
    private(set) var pending: [DataChange] = []
    /// The number of the next change.
    private(set) var nextChange = 0
    var errors = WritebackErrors()
    /// Current names, and open handles: while either is there, the content counts against the quota.
    var linkCount = 0
    var handleCount = 0
    /// The processes that have the description open on which the lock is held.
    var lockHolders: Set<Int> = []
    /// Bytes that no block stands behind, at most all of them: they cost no space.
    private var holeBytes = 0

    init(inode: UInt64) { self.inode = inode }

    /// A copy as after a restart of the machine or the process: no handle, no lock.
    init(
        _ original: SimulatedFile, durable: SparseBytes, content: SparseBytes, pending: [DataChange],
        errors: WritebackErrors = WritebackErrors()
    ) {
        inode = original.inode
        self.durable = durable
        self.content = content
        self.pending = pending
        self.errors = errors
        nextChange = original.nextChange
        holeBytes = original.holeBytes
    }

    /// What counts against the quota.
    var usedSpace: Int {
        linkCount > 0 || handleCount > 0 ? max(0, content.count - holeBytes) : 0
    }

    func write(_ bytes: Bytes, at offset: Int) {
        content.write(bytes, at: offset)
        note(.write(bytes.array(), offset: offset))
    }

    func resize(to size: Int) {
        guard size != content.count else { return }
        content.resize(to: size)
        note(.resize(size))
    }

    private func note(_ effect: DataChange.Effect) {
        pending.append(DataChange(effect: effect, number: nextChange))
        nextChange += 1
    }

    /// Makes the changes with numbers below `end` durable.
    func sync(before end: Int) {
        if pending.allSatisfy({ !$0.isLost && $0.number < end }) {
            durable = content
            pending = []
        } else {
            // The lost changes stay listed, because a crash of the process alone still leaves them in the page cache.
            for change in pending where !change.isLost && change.number < end { durable.apply(change) }
            pending.removeAll { !$0.isLost && $0.number < end }
        }
    }

    /// Kernels mark pages clean after a failed write-back: the data is lost although a later sync reports success.
    func failWriteback(_ number: Int32) {
        for index in pending.indices { pending[index].isLost = true }
        errors.record(number)
    }

    /// Replaces everything, durably.
    func overwrite(_ bytes: [UInt8]) {
        content = SparseBytes(bytes)
        durable = content
        pending = []
        holeBytes = 0
    }

    /// Extends the file by a hole, durably.
    func extendWithHole(to size: Int) {
        holeBytes += max(0, size - content.count)
        content.resize(to: size)
        durable.resize(to: size)
    }

    /// Replaces bytes in the page cache and on the medium alike.
    func patch(at offset: Int, _ bytes: [UInt8]) {
        content.write(bytes, at: offset)
        durable.write(bytes, at: offset)
    }

    /// Flips bits in the page cache and on the medium alike.
    func corrupt(at offset: Int, xor mask: UInt8) {
        SimulatedFile.flip(&content, at: offset, mask)
        SimulatedFile.flip(&durable, at: offset, mask)
    }

    private static func flip(_ bytes: inout SparseBytes, at offset: Int, _ mask: UInt8) {
        guard offset >= 0, offset < bytes.count else { return }
        let buffer = OwnedBytes(count: 1)
        _ = bytes.read(into: buffer.mutable, at: offset)
        buffer.mutable[0] ^= mask
        bytes.write(buffer.bytes, at: offset)
    }
}

extension SparseBytes {
    mutating func apply(_ change: DataChange) {
        switch change.effect {
        case .write(let bytes, let offset): write(bytes, at: offset)
        case .resize(let size): resize(to: size)
        }
    }
}
