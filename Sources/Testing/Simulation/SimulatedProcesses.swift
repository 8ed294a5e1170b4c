package import ShaleBase
import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The processes that use one simulated disk. Every call comes from the current process.
struct SimulatedProcesses {
    /// The parent process.
    static let first = 1

    private(set) var current = SimulatedProcesses.first
    private var last = SimulatedProcesses.first

    mutating func make() -> Int {
        last += 1
        return last
    }

    /// Makes `process` current. Returns the previous one.
    mutating func enter(_ process: Int) -> Int {
        defer { current = process }
        return current
    }
}

extension SimulatedFileSystem {
    /// Makes a child of the current process, as `fork` does, with copies of all descriptors.
    ///
    /// A lock lasts until its owner releases it, or until every process with a copy of its descriptor has closed it or
    /// ended.
    package func fork() -> Int {
        withLock {
            let child = processes.make()
            let parent = processes.current
            forEachFile { file in
                if file.lockHolders.contains(parent) { file.lockHolders.insert(child) }
                file.holds += file.holds.filter { $0.process == parent }.map { hold in
                    SimulatedHold(process: child, opener: hold.opener, position: hold.position)
                }
            }
            return child
        }
    }

    /// Runs `body` in another process, from which its calls then come. For tests with one thread.
    package func run<Result>(in process: Int, _ body: () throws -> Result) rethrows -> Result {
        let before = withLock { processes.enter(process) }
        defer { withLock { _ = processes.enter(before) } }
        return try body()
    }

    /// Ends a process: closes its descriptors, without any other effect.
    package func end(_ process: Int) {
        withLock {
            forEachFile { file in
                file.lockHolders.remove(process)
                file.holds.removeAll { $0.process == process }
            }
        }
    }

    /// Calls `body` with every file. The caller holds the lock.
    private func forEachFile(_ body: (SimulatedFile) -> Void) {
        var folders = [root]
        while let folder = folders.popLast() {
            for node in folder.names.values {
                switch node {
                case .file(let file): body(file)
                case .folder(let inner): folders.append(inner)
                }
            }
        }
    }
}

extension SimulatedHandle {
    /// Throws `ESTALE` unless the file has the name that `isNamed` knows. This is not a counted call, so faults don't
    /// apply.
    fileprivate func requireLock(_ isNamed: (SimulatedFile) -> Bool) throws(IOFailure) {
        var isValid = false
        look { isValid = isNamed($0) }
        guard isValid else { throw IOFailure("lock", label, ESTALE) }
    }
}

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

    package func verify() throws(IOFailure) { try handle.requireLock(isNamed) }

    /// Returns the held positions. This is not a counted call, so faults don't apply.
    package func heldPositions() throws(IOFailure) -> [UInt64] {
        var positions: Set<UInt64> = []
        handle.look { positions = Set($0.holds.map(\.position)) }
        return positions.count > FileHoldLimits.positions ? [0] : Array(positions)
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

/// A position that a process holds on a file.
struct SimulatedHold {
    let process: Int
    /// The open description by which it is held.
    let opener: ObjectIdentifier
    let position: UInt64
}

/// Positions held on a file of a ``SimulatedFileSystem``. A crash releases them, and so does
/// ``SimulatedFileSystem/end(_:)``.
package final class SimulatedFileHolds: FileHolds, @unchecked Sendable {
    private let handle: SimulatedHandle
    private let process: Int
    private let isNamed: (SimulatedFile) -> Bool

    init(_ handle: SimulatedHandle, isNamed: @escaping (SimulatedFile) -> Bool) {
        self.handle = handle
        self.isNamed = isNamed
        process = handle.fileSystem.withLock { handle.fileSystem.processes.current }
    }

    deinit { close() }

    private var opener: ObjectIdentifier { ObjectIdentifier(self) }

    package func hold(_ position: UInt64) throws(IOFailure) {
        guard position <= FileHoldLimits.positionMax else { throw IOFailure("lock", handle.label, EINVAL) }
        handle.look { file in
            guard !file.holds.contains(where: { $0.opener == opener && $0.position == position }) else { return }
            file.holds.append(SimulatedHold(process: process, opener: opener, position: position))
        }
    }

    package func release(_ position: UInt64) {
        handle.look { file in file.holds.removeAll { $0.opener == opener && $0.position == position } }
    }

    package func verify() throws(IOFailure) { try handle.requireLock(isNamed) }

    package func close() { handle.close { file in file.holds.removeAll { $0.opener == opener } } }
}
