package import ShaleBase
import ShalePlatform

/// A held lock on a file of a ``SimulatedFileSystem``. A crash frees it: clones have no locks.
package final class SimulatedFileLock: FileLock {
    private let handle: SimulatedHandle

    init(_ handle: SimulatedHandle) { self.handle = handle }

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

    package func release() { handle.close { $0.isLocked = false } }
}
