import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// The files in a store's directories, classified by their names.
struct StoreFiles {
    let manifests: [UInt64]
    let logs: [UInt64]
    let segments: [UInt64]
    let hasTemporaryCurrent: Bool

    init(_ directories: StoreDirectories) throws(StorageError) {
        do throws(IOFailure) {
            let root = try directories.root.list()
            manifests = root.compactMap { StoreLayout.manifestNumber($0) }
            hasTemporaryCurrent = root.contains(StoreLayout.currentTemporary)
            logs = try directories.logs.list().compactMap { StoreLayout.logNumber($0) }
            segments = try directories.segments.list().compactMap { StoreLayout.segmentNumber($0) }
        } catch {
            throw error.storageError
        }
    }

    var largestNumber: UInt64 { (manifests + logs + segments).max() ?? 0 }

    /// Removes the remains of unfinished work: files with Shale's names to which neither `state` nor the opening
    /// refers. Of the manifests only those in `kept` stay.
    ///
    /// Other files in the directories are not touched. Old logs are left to the engine, because deleting one can take
    /// long. A failed removal does not fail the opening: the file only takes space until the next open.
    func removeOrphans(
        state: StoreState, keeping kept: [UInt64], in directories: StoreDirectories
    ) -> RemovedFiles {
        var files = RemovedFiles()
        for number in orphanSegments(state) { files.remove(StoreLayout.segment(number), from: directories.segments) }
        for number in manifests where !kept.contains(number) {
            files.remove(StoreLayout.manifest(number), from: directories.root)
        }
        if hasTemporaryCurrent { files.remove(StoreLayout.currentTemporary, from: directories.root) }
        return files
    }

    private func orphanSegments(_ state: StoreState) -> [UInt64] {
        let live = Set(state.version.levels.flatMap { $0.segments.map(\.number) })
        return segments.filter { !live.contains($0) }
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
