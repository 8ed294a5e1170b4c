package import ShaleBase
package import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Directories opened by path.
extension SimulatedFileSystem {
    /// Opens a directory.
    ///
    /// `path` starts at the simulated root, with or without a leading slash. Missing directories above the last
    /// component are created, because they stand for directories that existed before.
    package func openDirectory(_ path: String, create: Bool) throws(IOFailure) -> any Directory {
        let components = path.split(separator: "/").map(String.init)
        let absolute = "/" + components.joined(separator: "/")
        var made: SimulatedFolder?
        let folder = try perform(.openDirectory, absolute, label: path) { _ throws(IOFailure) in
            var folder = root
            for (index, name) in components.enumerated() {
                let isLast = index + 1 == components.count
                switch folder.names[name] {
                case .folder(let inner): folder = inner
                case .file: throw IOFailure("openDirectory", path, ENOTDIR)
                case nil:
                    guard create || !isLast else { throw IOFailure("openDirectory", path, ENOENT) }
                    let inner = makeFolder()
                    if isLast, !model.makesDurableRoots {
                        folder.set(name, .folder(inner))
                        made = folder
                    } else {
                        folder.setDurably(name, .folder(inner))
                    }
                    folder = inner
                }
            }
            opened(absolute)
            return folder
        }
        let directory = SimulatedDirectory(self, folder, path: path, absolute: absolute, isRoot: true)
        if let made, let name = components.last { try syncName(name, in: made, components) }
        return directory
    }

    /// Makes the names of the directory at `path` and of the directories above it durable.
    ///
    /// Does nothing if the model makes such names durable from the start.
    package func syncNames(above path: String) throws(IOFailure) {
        guard !model.makesDurableRoots else { return }
        var components = path.split(separator: "/").map(String.init)
        while components.popLast() != nil {
            try openDirectory(components.joined(separator: "/"), create: false).sync()
        }
    }

    /// Makes the name of a new directory durable. If that fails, removes the directory: a second attempt would take its
    /// unsynced name for a durable one.
    private func syncName(
        _ name: String, in folder: SimulatedFolder, _ components: [String]
    ) throws(IOFailure) {
        let above = "/" + components.dropLast().joined(separator: "/")
        let parent = SimulatedDirectory(self, folder, path: above, absolute: above, isRoot: true)
        withLock { opened(above) }
        do throws(IOFailure) {
            try parent.sync()
        } catch {
            if !hasCrashed { withLock { folder.set(name, nil) } }
            throw error
        }
    }
}
