package import ShaleBase
import ShalePlatform

/// A held lock on a file of a ``SimulatedFileSystem``. A crash frees it: clones have no locks.
package final class SimulatedFileLock: FileLock {
    private let handle: SimulatedHandle

    private let process: Int

    init(_ handle: SimulatedHandle) {
        self.handle = handle
        process = handle.fileSystem.withLock { handle.fileSystem.processes.current }
    }

    deinit { release() }

    package func publish(_ text: Bytes) throws(IOFailure) {
        try handle.perform(.write) { file, effect throws(IOFailure) in
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

    /// Ends the lock if its own process calls. A child made by `fork` only closes its copy of the description.
    package func release() {
        let current = handle.fileSystem.withLock { handle.fileSystem.processes.current }
        if current == process {
            handle.close { $0.lockHolders = [] }
        } else {
            handle.look { $0.lockHolders.remove(current) }
        }
    }
}
