package import ShaleBase

/// A directory that survives a shortage of file descriptors: it closes idle files and retries once.
package final class DescriptorRetryingDirectory: Directory {
    private let base: any Directory
    /// Closes idle files; returns false if there are none.
    private let relieve: @Sendable () -> Bool

    package init(_ base: any Directory, relieve: @escaping @Sendable () -> Bool) {
        self.base = base
        self.relieve = relieve
    }

    private func opening<Result>(_ body: () throws(IOFailure) -> Result) throws(IOFailure) -> Result {
        do throws(IOFailure) {
            return try body()
        } catch {
            guard error.isOutOfDescriptors, !PlantedBug.isActive(.keepIdleFiles), relieve() else { throw error }
            return try body()
        }
    }

    // MARK: - Calls that take a descriptor

    package func create(_ name: String) throws(IOFailure) -> any WritableFile {
        try opening { () throws(IOFailure) in try base.create(name) }
    }

    package func open(_ name: String) throws(IOFailure) -> any ReadableFile {
        try opening { () throws(IOFailure) in try base.open(name) }
    }

    package func reopen(_ name: String) throws(IOFailure) -> any WritableFile {
        try opening { () throws(IOFailure) in try base.reopen(name) }
    }

    package func openDirectory(_ name: String, create: Bool) throws(IOFailure) -> any Directory {
        DescriptorRetryingDirectory(
            try opening { () throws(IOFailure) in try base.openDirectory(name, create: create) }, relieve: relieve)
    }

    package func lock(_ name: String) throws(IOFailure) -> any FileLock {
        try opening { () throws(IOFailure) in try base.lock(name) }
    }

    package func openHolds(_ name: String) throws(IOFailure) -> any FileHolds {
        try opening { () throws(IOFailure) in try base.openHolds(name) }
    }

    package func list() throws(IOFailure) -> [String] { try opening { () throws(IOFailure) in try base.list() } }

    // MARK: - Calls that take none

    package var path: String { base.path }
    package var identity: FileIdentity { base.identity }
    package var isOpenToOthers: Bool { base.isOpenToOthers }
    package var isPrivate: Bool { base.isPrivate }
    package var durabilityIsReduced: Bool { base.durabilityIsReduced }

    package func exists(_ name: String) throws(IOFailure) -> Bool { try base.exists(name) }

    package func allocatedBytes(of name: String) throws(IOFailure) -> UInt64 { try base.allocatedBytes(of: name) }

    package func rename(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        try base.rename(name, to: newName, in: DescriptorRetryingDirectory.plain(target))
    }

    package func link(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        try base.link(name, to: newName, in: DescriptorRetryingDirectory.plain(target))
    }

    package func remove(_ name: String) throws(IOFailure) { try base.remove(name) }
    package func removeInSteps(_ name: String) throws(IOFailure) { try base.removeInSteps(name) }
    package func removeAndCut(_ name: String) throws(IOFailure) { try base.removeAndCut(name) }
    package func removeDirectory(_ name: String) throws(IOFailure) { try base.removeDirectory(name) }
    package func sync() throws(IOFailure) { try base.sync() }
    package func freeBytes() throws(IOFailure) -> UInt64 { try base.freeBytes() }

    /// Unwraps the directory: file systems accept only their own directories.
    private static func plain(_ directory: any Directory) -> any Directory {
        (directory as? DescriptorRetryingDirectory)?.base ?? directory
    }
}
