import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// The files that are in a store's directories, by what their names say.
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

    /// Removes what work that never finished has left behind: files with names of ours and numbers that were given out,
    /// which neither `state` nor the opening refers to, manifests but those `kept` among them. Anything else in the directories is not ours to touch. Old logs are
    /// left to the engine: deleting one takes as long as the device likes.
    ///
    /// What can't be removed only takes space until the next open, so it does not fail this one.
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

    /// Logs that the manifest in force does not need: those before its floor, and prepared ones without a header behind
    /// `newest`, the last log with one. (A log in between without a header may be named by its successor.)
    func unneededLogs(_ state: StoreState, newest: UInt64) -> [UInt64] {
        guard state.logFloor != 0 else { return logs }
        return logs.filter { $0 < state.logFloor || $0 > max(newest, state.newestLog) }
    }
}

/// What came of removing files.
struct RemovedFiles {
    private(set) var removed = 0
    private(set) var failed = 0
    private var hasCut = false

    /// True if there may be more space than before.
    var isAnything: Bool { removed > 0 || hasCut }

    mutating func remove(_ name: String, from directory: any Directory) {
        do {
            try directory.remove(name)
            removed += 1
        } catch {
            // A directory under a file's name is nobody's orphan, and stays.
            if !error.isWrongKind { failed += 1 }
        }
    }

    /// Cuts a log behind its content. Counts as nothing removed, but as given back.
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
