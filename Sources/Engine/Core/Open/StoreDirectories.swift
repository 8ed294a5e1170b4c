import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// The store's directory and its subdirectories, open while the engine is.
final class StoreDirectories: Sendable {
    let root: any Directory
    let logs: any Directory
    let segments: any Directory
    /// Shared syncs of ``segments``, for flushes and compactions.
    let segmentNames: SharedSync

    init(root: any Directory, create: Bool) throws(IOFailure) {
        self.root = root
        logs = try root.openDirectory(StoreLayout.logDirectory, create: create)
        let segments = try root.openDirectory(StoreLayout.segmentDirectory, create: create)
        self.segments = segments
        segmentNames = SharedSync { () throws(IOFailure) in try segments.sync() }
        if create { try root.sync() }
    }

    private init(root: any Directory, logs: any Directory, segments: any Directory) {
        self.root = root
        self.logs = logs
        self.segments = segments
        segmentNames = SharedSync { () throws(IOFailure) in try segments.sync() }
    }

    /// Returns the same directories, which close idle ones of `files` if descriptors run out (contract E-4).
    func retrying(_ files: OpenFiles) -> StoreDirectories {
        func retrying(_ directory: any Directory) -> any Directory {
            DescriptorRetryingDirectory(directory) { files.closeHalf() }
        }
        return StoreDirectories(root: retrying(root), logs: retrying(logs), segments: retrying(segments))
    }

    /// Returns the disk space of all files in bytes, as `du` counts it: segments, logs with their reserved space,
    /// manifests and the reserve. O(files).
    func allocatedBytes() throws(StorageError) -> UInt64 {
        do throws(IOFailure) {
            var total: UInt64 = 0
            for directory in [root, logs, segments] {
                for name in try directory.list() {
                    // A thread of the engine may have deleted the file meanwhile. The root also lists the two
                    // subdirectories.
                    do throws(IOFailure) {
                        total += try directory.allocatedBytes(of: name)
                    } catch {
                        guard error.isMissing || error.isWrongKind else { throw error }
                    }
                }
            }
            return total
        } catch {
            throw error.storageError
        }
    }

    /// Makes the names of new segments durable, before an edit refers to them.
    ///
    /// - Parameter mark: Taken before the first of the segments was created.
    func syncSegments(since mark: SharedSync.Mark) throws(StorageError) {
        do { try segmentNames.sync(since: mark) } catch { throw error.storageError }
    }

    /// Makes the names of new segments durable during an opening, while no other thread creates any.
    func syncSegments() throws(StorageError) { try syncSegments(since: segmentNames.mark) }
}

/// The files in a store's directories, classified by their names.
struct StoreFiles {
    let manifests: [UInt64]
    let logs: [UInt64]
    let segments: [UInt64]
    let values: [UInt64]
    let hasTemporaryCurrent: Bool

    init(_ directories: StoreDirectories) throws(StorageError) {
        do throws(IOFailure) {
            let root = try directories.root.list()
            manifests = root.compactMap { StoreLayout.manifestNumber($0) }
            hasTemporaryCurrent = root.contains(StoreLayout.currentTemporary)
            logs = try directories.logs.list().compactMap { StoreLayout.logNumber($0) }
            let names = try directories.segments.list()
            segments = names.compactMap { StoreLayout.segmentNumber($0) }
            values = names.compactMap { StoreLayout.valuesNumber($0) }
        } catch {
            throw error.storageError
        }
    }

    var largestNumber: UInt64 { (manifests + logs + segments + values).max() ?? 0 }

    /// Removes the remains of unfinished work: files with Shale's names to which neither `state` nor the opening
    /// refers. Of the manifests only those in `kept` stay.
    ///
    /// Other files in the directories are not touched. Old logs are left to the engine, because deleting one can take
    /// long. A failed removal does not fail the opening: the file only takes space until the next open.
    ///
    /// - Parameters:
    ///   - logs: Logs that stay in use.
    ///   - streams: The files of streamed values to which these logs refer.
    ///   - held: Files that stay, because readers in other processes may hold them.
    func removeOrphans(
        state: StoreState, keeping kept: [UInt64], logs: [UInt64] = [], streams: Set<UInt64> = [],
        held: HeldOrphans = HeldOrphans(), in directories: StoreDirectories
    ) -> RemovedFiles {
        var files = RemovedFiles()
        let heldSegments = Set(held.numbers)
        for number in orphanSegments(state) where !heldSegments.contains(number) {
            files.remove(StoreLayout.segment(number), from: directories.segments)
        }
        let heldValues = Set(held.values)
        for number in orphanValues(state, logs: logs)
        where !heldValues.contains(number) && !streams.contains(number) {
            files.remove(StoreLayout.values(number), from: directories.segments)
        }
        for number in manifests where !kept.contains(number) {
            files.remove(StoreLayout.manifest(number), from: directories.root)
        }
        if hasTemporaryCurrent { files.remove(StoreLayout.currentTemporary, from: directories.root) }
        return files
    }

    func orphanSegments(_ state: StoreState) -> [UInt64] {
        let live = Set(state.version.levels.flatMap { $0.segments.map(\.number) })
        return segments.filter { !live.contains($0) }
    }

    /// Returns the value files that no segment of `state` uses and that belong to none of `logs`.
    func orphanValues(_ state: StoreState, logs: [UInt64]) -> [UInt64] {
        values.filter { state.version.valueUses[$0] == nil && !logs.contains($0) }
    }

    /// Returns the logs that the current manifest does not need: those before its floor, and prepared ones without a
    /// header after `newest`, the last log with a header. A log in between without a header may be named by its
    /// successor.
    func unneededLogs(_ state: StoreState, newest: UInt64) -> [UInt64] {
        guard state.logFloor != 0 else { return logs }
        return logs.filter { $0 < state.logFloor || $0 > max(newest, state.newestLog) }
    }
}

/// The result of removing files.
struct RemovedFiles {
    private(set) var removed = 0
    private(set) var failed = 0
    private var hasCut = false

    /// True if space may have been freed.
    var isAnything: Bool { removed > 0 || hasCut }

    mutating func remove(_ name: String, from directory: any Directory) {
        do {
            try directory.remove(name)
            removed += 1
        } catch {
            // A directory under a file's name is not an orphan, and stays.
            if !error.isWrongKind { failed += 1 }
        }
    }

    /// Truncates a log after its content. Counts as freed space but not as a removed file.
    mutating func cut(_ name: String, to size: UInt64, in directory: any Directory) {
        do throws(IOFailure) {
            guard try directory.sizeOfFile(name) > size else { return }
            let file = try directory.reopen(name)
            try file.truncate(to: size)
            try file.close()
            hasCut = true
        } catch {
            failed += 1
        }
    }
}
