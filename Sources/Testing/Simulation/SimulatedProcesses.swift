/// The processes that use one simulated disk. A call comes from the current one.
struct SimulatedProcesses {
    /// The parent.
    static let first = 1

    private(set) var current = SimulatedProcesses.first
    private var last = SimulatedProcesses.first

    mutating func make() -> Int {
        last += 1
        return last
    }

    /// Returns the process that was current before.
    mutating func enter(_ process: Int) -> Int {
        defer { current = process }
        return current
    }
}

extension SimulatedFileSystem {
    /// Makes a child of the current process, as `fork` does: it has copies of all descriptors. A lock lives until its owner
    /// releases it, or until every process that has a copy of its descriptor has closed it or has ended.
    package func fork() -> Int {
        withLock {
            let child = processes.make()
            let parent = processes.current
            forEachFile { file in
                if file.lockHolders.contains(parent) { file.lockHolders.insert(child) }
            }
            return child
        }
    }

    /// Runs `body` in another process: its calls come from there. For tests of one thread.
    package func run<Result>(in process: Int, _ body: () throws -> Result) rethrows -> Result {
        let before = withLock { processes.enter(process) }
        defer { withLock { _ = processes.enter(before) } }
        return try body()
    }

    /// The process dies: its descriptors are closed, and nothing else happens.
    package func end(_ process: Int) {
        withLock { forEachFile { $0.lockHolders.remove(process) } }
    }

    /// The lock is held.
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
