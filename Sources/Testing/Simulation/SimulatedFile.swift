import ShaleBase
import ShalePlatform

/// A change of a file's content that no sync has made durable yet.
struct DataChange {
    enum Effect {
        case write([UInt8], offset: Int)
        /// A truncation, or an extension with zeros.
        case resize(Int)
    }

    let effect: Effect
    /// The number of this change among the changes of the file.
    let number: Int
    /// True if a failed sync has dropped this change: the page cache shows it, but no later sync writes it.
    var isLost = false

    /// True if the change may concern the first `count` bytes.
    func isWithin(first count: UInt64) -> Bool {
        switch effect {
        case .write(_, let offset): UInt64(offset) < count
        case .resize: true
        }
    }
}

/// A file object (an inode in POSIX). Names refer to it; handles keep it alive after its last name is removed. Guarded
/// by the file system's lock.
final class SimulatedFile {
    let inode: UInt64
    /// The content that processes see: the page cache.
    private(set) var content = SparseBytes()
    /// The content on the medium.
    private(set) var durable = SparseBytes()
    /// The changes in order. A sync applies those that are not lost to `durable`.
    private(set) var pending: [DataChange] = []
    /// The number of the next change.
    private(set) var nextChange = 0
    var errors = WritebackErrors()
    /// The numbers of current names and of open handles. While either is above zero, the content counts against the
    /// quota.
    var linkCount = 0
    var handleCount = 0
    /// The processes that have the description open on which the lock is held.
    var lockHolders: Set<Int> = []
    /// The positions that processes hold.
    var holds: [SimulatedHold] = []
    /// An upper bound of the bytes without a block, which use no space.
    private var holeBytes = 0

    init(inode: UInt64) { self.inode = inode }

    /// Copies a file as after a restart of the machine or the process: without handles and locks.
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

    /// The bytes that count against the quota.
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
            // Lost changes stay in the list, because a crash of the process alone keeps them in the page cache.
            for change in pending where !change.isLost && change.number < end { durable.apply(change) }
            pending.removeAll { !$0.isLost && $0.number < end }
        }
    }

    /// Simulates a failed writeback. Kernels then mark pages clean: the data is lost although a later sync reports
    /// success.
    func failWriteback(_ number: Int32) {
        for index in pending.indices { pending[index].isLost = true }
        errors.record(number)
    }

    /// Replaces the whole content durably.
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

    /// Replaces bytes in the page cache and on the medium.
    func patch(at offset: Int, _ bytes: [UInt8]) {
        content.write(bytes, at: offset)
        durable.write(bytes, at: offset)
    }

    /// Flips bits in the page cache and on the medium.
    func corrupt(at offset: Int, xor mask: UInt8) {
        SimulatedFile.flip(&content, at: offset, mask)
        SimulatedFile.flip(&durable, at: offset, mask)
    }

    /// A hash of what processes see, and of what the medium holds if that may differ.
    var digest: UInt64 {
        pending.isEmpty ? content.digest : SparseBytes.combined(content.digest, durable.digest)
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

/// The writeback errors of one file or directory, as Linux keeps them (`errseq_t`).
///
/// 1. An error marks the file. The data is lost, although reads still return it and later syncs succeed.
/// 2. The next sync of every open description reports the error once, and several errors together.
/// 3. A description that is opened later reports the error only if no other one has reported it before.
/// 4. Therefore exactly one of two syncs on one description fails.
struct WritebackErrors {
    private var count = 0
    private var number: Int32 = 0
    private var isReported = true

    mutating func record(_ number: Int32) {
        count += 1
        self.number = number
        isReported = false
    }

    /// The error count that a description opened now starts with.
    var seenAtOpen: Int { isReported ? count : 0 }

    /// Returns the error that a sync on a description reports, if the description has not reported it before.
    mutating func report(to seen: inout Int) -> Int32? {
        guard seen != count else { return nil }
        seen = count
        isReported = true
        return number
    }
}
