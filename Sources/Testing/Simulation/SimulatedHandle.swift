package import ShaleBase
import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The common part of file handles: the file, its paths for errors and operation lists, and an idempotent close.
final class SimulatedHandle: @unchecked Sendable {
    let fileSystem: SimulatedFileSystem
    /// Accessed under the file system's lock only.
    private let file: SimulatedFile
    let name: String
    let label: String
    private let absolute: String
    // Guarded by the file system's lock:
    private var isOpen = true
    /// The number of the file's writeback errors that this description has reported.
    private var seenErrors = 0

    init(
        _ fileSystem: SimulatedFileSystem, _ file: SimulatedFile, name: String, label: String, absolute: String
    ) {
        self.fileSystem = fileSystem
        self.file = file
        self.name = name
        self.label = label
        self.absolute = absolute
        seenErrors = fileSystem.withLock { file.errors.seenAtOpen }
    }

    deinit { close() }

    func perform<Result>(
        _ kind: OperationKind, _ body: (SimulatedFile, FaultRule.Effect?) throws(IOFailure) -> Result
    ) throws(IOFailure) -> Result {
        try fileSystem.perform(kind, absolute, label: label) { effect throws(IOFailure) in
            guard isOpen else { throw IOFailure(kind.rawValue, label, EBADF) }
            let result = try body(file, effect)
            if case .writebackError(let number) = effect { file.failWriteback(number) }
            return result
        }
    }

    /// Performs a call that takes time: calls of other threads come between `begin` and `end`.
    func perform<Begun, Result>(
        _ kind: OperationKind, begin: (SimulatedFile, FaultRule.Effect?) throws(IOFailure) -> Begun,
        end: (SimulatedFile, Begun) throws(IOFailure) -> Result
    ) throws(IOFailure) -> Result {
        try fileSystem.perform(kind, absolute, label: label) { effect throws(IOFailure) in
            guard isOpen else { throw IOFailure(kind.rawValue, label, EBADF) }
            return (try begin(file, effect), effect)
        } end: { begun throws(IOFailure) in
            let result = try end(file, begun.0)
            if case .writebackError(let number) = begun.1 { file.failWriteback(number) }
            return result
        }
    }

    /// Makes durable what was written before the call began, and possibly some later changes.
    func sync() throws(IOFailure) {
        try perform(.sync) { file, effect in
            if case .error(let number) = effect { file.failWriteback(number) }
            return (file.nextChange, effect == .syncLies)
        } end: { file, begun throws(IOFailure) in
            let (end, isLie) = begun
            if isLie { return }
            file.sync(before: end + fileSystem.injector.drawMore(file.nextChange - end))
            try fileSystem.report(&file.errors, to: &seenErrors, label)
        }
    }

    /// Accesses the file without a counted call.
    func look(_ body: (SimulatedFile) -> Void) { fileSystem.withLock { body(file) } }

    /// Returns true if the file has at least this size: a file can't be mapped beyond its end.
    func reaches(_ size: UInt64) -> Bool { fileSystem.withLock { UInt64(file.content.count) >= size } }

    /// Closes the handle. Idempotent; can't fail.
    func close(_ also: (SimulatedFile) -> Void = { _ in }) {
        fileSystem.withLock {
            guard isOpen else { return }
            isOpen = false
            also(file)
            fileSystem.accounting(for: file) { file.handleCount -= 1 }
            fileSystem.closed(absolute)
        }
    }

    /// True if `close` has not been called.
    var mustClose: Bool { fileSystem.withLock { isOpen } }
}

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
