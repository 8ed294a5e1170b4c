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
        withLock { forEachFile { $0.lockHolders.remove(process) } }
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
