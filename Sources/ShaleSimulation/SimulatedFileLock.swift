import ShalePlatform

/// A held lock on a file of a ``SimulatedFileSystem``. A crash frees it: clones have no locks.
package final class SimulatedFileLock: FileLock {
    private let handle: SimulatedHandle

    init(_ handle: SimulatedHandle) { self.handle = handle }

    deinit { release() }

    package func release() { handle.close { $0.isLocked = false } }
}
