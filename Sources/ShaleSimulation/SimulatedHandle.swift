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
    /// Guarded by the file system's lock.
    private var isOpen = true

    init(
        _ fileSystem: SimulatedFileSystem, _ file: SimulatedFile, name: String, label: String, absolute: String
    ) {
        self.fileSystem = fileSystem
        self.file = file
        self.name = name
        self.label = label
        self.absolute = absolute
    }

    deinit { close() }

    func perform<Result>(
        _ kind: OperationKind, _ body: (SimulatedFile, FaultRule.Effect?) throws(IOFailure) -> Result
    ) throws(IOFailure) -> Result {
        try fileSystem.perform(kind, absolute, label: label) { effect throws(IOFailure) in
            guard isOpen else { throw IOFailure(kind.rawValue, label, EBADF) }
            return try body(file, effect)
        }
    }

    /// Looks at the file without making a call of the seam.
    func look(_ body: (SimulatedFile) -> Void) { fileSystem.withLock { body(file) } }

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
