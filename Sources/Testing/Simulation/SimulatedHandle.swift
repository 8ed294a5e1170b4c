import ShaleBase
import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// What all handles of a file share: the file, its place in errors and operation lists, and closing once.
final class SimulatedHandle: @unchecked Sendable {
    let fileSystem: SimulatedFileSystem
    /// Touched under the file system's lock only.
    private let file: SimulatedFile
    let name: String
    let label: String
    private let absolute: String
    // Guarded by the file system's lock:
    private var isOpen = true
    /// The file's writeback errors that this description has been told of.
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

    /// A call that takes time: other threads' calls come between `begin` and `end`.
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

    /// Makes durable what was written before the call began, and perhaps some of what came meanwhile.
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

    /// Looks at the file without making a call of the seam.
    func look(_ body: (SimulatedFile) -> Void) { fileSystem.withLock { body(file) } }

    /// Whether the file has this size at least: behind its end there is nothing to map.
    func reaches(_ size: UInt64) -> Bool { fileSystem.withLock { UInt64(file.content.count) >= size } }

    /// Idempotent; no call that can fail.
    func close(_ also: (SimulatedFile) -> Void = { _ in }) {
        fileSystem.withLock {
            guard isOpen else { return }
            isOpen = false
            also(file)
            fileSystem.accounting(for: file) { file.handleCount -= 1 }
            fileSystem.closed(absolute)
        }
    }

    /// Whether `close` still has something to do.
    var mustClose: Bool { fileSystem.withLock { isOpen } }
}
