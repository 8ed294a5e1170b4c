import ShalePlatform

/// Access for tests, without handles, counting and faults. Paths start at the simulated root.
extension SimulatedFileSystem {
    /// Returns what a process would read now; `nil` if there is no such file.
    package func read(_ path: String) -> [UInt8]? {
        withLock { find(path)?.content.array }
    }

    /// Creates or replaces a file and its directories, durably. Open handles see the new content.
    package func write(_ path: String, _ bytes: [UInt8]) {
        withLock {
            var folder = root
            var components = path.split(separator: "/").map(String.init)
            guard let name = components.popLast() else { return }
            for component in components {
                if case .folder(let inner) = folder.names[component] {
                    folder = inner
                } else {
                    let inner = makeFolder()
                    folder.setDurably(component, .folder(inner))
                    folder = inner
                }
            }
            if case .file(let file) = folder.names[name] {
                accounting(for: file) { file.overwrite(bytes) }
                folder.setDurably(name, .file(file))
            } else {
                let file = makeFile()
                accounting(for: file) {
                    file.overwrite(bytes)
                    file.linkCount = 1
                }
                folder.setDurably(name, .file(file))
            }
        }
    }

    /// Creates a durable file of `size` bytes that begins with `bytes`.
    ///
    /// The rest is a hole that uses neither memory nor space.
    package func writeSparse(_ path: String, _ bytes: [UInt8], size: Int) {
        write(path, bytes)
        withLock {
            if let file = find(path) { accounting(for: file) { file.extendWithHole(to: size) } }
        }
    }

    /// Creates the missing directories of `path` without any sync: a crash may remove them, with everything in them.
    package func makeDirectory(_ path: String) {
        withLock {
            var folder = root
            for component in path.split(separator: "/").map(String.init) {
                if case .folder(let inner) = folder.names[component] {
                    folder = inner
                } else {
                    let inner = makeFolder()
                    folder.set(component, .folder(inner))
                    folder = inner
                }
            }
        }
    }

    /// Flips the bits of `mask` in one byte, on the medium and in the page cache.
    ///
    /// Returns false if there is no such byte.
    @discardableResult
    package func corrupt(_ path: String, at offset: Int, xor mask: UInt8) -> Bool {
        withLock {
            guard let file = find(path), offset >= 0, offset < file.content.count else { return false }
            file.corrupt(at: offset, xor: mask)
            return true
        }
    }

    /// Replaces bytes inside a file, on the medium and in the page cache.
    ///
    /// Returns false if the file ends before the range does.
    @discardableResult
    package func patch(_ path: String, at offset: Int, _ bytes: [UInt8]) -> Bool {
        withLock {
            guard let file = find(path), offset >= 0, offset + bytes.count <= file.content.count else { return false }
            file.patch(at: offset, bytes)
            return true
        }
    }

    /// Removes a file durably, as if it had been lost.
    package func remove(_ path: String) {
        withLock {
            var components = path.split(separator: "/").map(String.init)
            guard let file = find(path), let name = components.popLast() else { return }
            var folder = root
            for case .folder(let inner) in components.lazy.map({ folder.names[$0] }) { folder = inner }
            folder.setDurably(name, nil)
            accounting(for: file) { file.linkCount -= 1 }
        }
    }

    /// Returns a hash of all names and files below the directory at `path`; `nil` without such a directory.
    ///
    /// Two stores with equal hashes open in the same way, unless a sync has still an error to report.
    package func digest(of path: String) -> UInt64? {
        withLock {
            guard case .folder(let folder) = node(path) else { return nil }
            return folder.digest
        }
    }

    /// Returns the paths of all files, sorted.
    package func paths() -> [String] {
        withLock {
            var result: [String] = []
            SimulatedFileSystem.collect(root, "", &result)
            return result.sorted()
        }
    }

    private static func collect(_ folder: SimulatedFolder, _ prefix: String, _ result: inout [String]) {
        for (name, node) in folder.names {
            switch node {
            case .file: result.append(prefix + "/" + name)
            case .folder(let inner): collect(inner, prefix + "/" + name, &result)
            }
        }
    }

    /// Returns the file at `path`. The caller holds the lock.
    private func find(_ path: String) -> SimulatedFile? {
        guard case .file(let file) = node(path) else { return nil }
        return file
    }

    /// Returns the file or directory at `path`. The caller holds the lock.
    private func node(_ path: String) -> SimulatedNode? {
        var node = SimulatedNode.folder(root)
        for component in path.split(separator: "/") {
            guard case .folder(let folder) = node, let inner = folder.names[String(component)] else { return nil }
            node = inner
        }
        return node
    }
}
