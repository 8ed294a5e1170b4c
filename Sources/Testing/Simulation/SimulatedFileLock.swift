package import ShaleBase
import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A held lock on a file of a ``SimulatedFileSystem``. A crash releases it: clones have no locks.
package final class SimulatedFileLock: FileLock, @unchecked Sendable {
    private let handle: SimulatedHandle
    private let process: Int
    /// Returns true if the file still has the name under which it was locked.
    private let isNamed: (SimulatedFile) -> Bool

    init(_ handle: SimulatedHandle, isNamed: @escaping (SimulatedFile) -> Bool) {
        self.handle = handle
        self.isNamed = isNamed
        process = handle.fileSystem.withLock { handle.fileSystem.processes.current }
    }

    deinit { release() }

    package func publish(_ text: Bytes) throws(IOFailure) {
        try handle.perform(.write) { file, effect throws(IOFailure) in
            guard file.linkCount <= 1 else { throw IOFailure("write", handle.label, EMLINK) }
            if case .shortWrite(let keeping, let number) = effect {
                handle.fileSystem.accounting(for: file) { file.write(text.slice(0, min(keeping, text.count)), at: 0) }
                throw IOFailure("write", handle.label, number)
            }
            handle.fileSystem.accounting(for: file) {
                file.resize(to: text.count)
                file.write(text, at: 0)
            }
        }
    }

    /// Verifies the name. This is not a counted call, so faults don't apply.
    package func verify() throws(IOFailure) {
        var isValid = false
        handle.look { isValid = isNamed($0) }
        guard isValid else { throw IOFailure("lock", handle.label, ESTALE) }
    }

    /// Releases the lock if the calling process owns it.
    ///
    /// A child made by `fork` only closes its copy of the description.
    package func release() {
        let current = handle.fileSystem.withLock { handle.fileSystem.processes.current }
        if current == process {
            handle.close { $0.lockHolders = [] }
        } else {
            handle.look { $0.lockHolders.remove(current) }
        }
    }
}
