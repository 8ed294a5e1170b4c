import ShaleBase
import ShalePlatform

/// One purge of the files of one ``PurgeablePath``: look at all, decide, remove. Memory O(files).
struct PathSweep {
    /// Directories inside each other that are looked into; a descriptor each.
    private static let depthMax = 64

    private struct Candidate {
        let item: TreeItem
        /// `nil`: right in the root.
        let folder: Folder?
    }

    /// A directory that was looked into: where it is, opened again when something in it is to go.
    private final class Folder {
        let parent: Folder?
        let item: TreeItem

        init(_ parent: Folder?, _ item: TreeItem) {
            self.parent = parent
            self.item = item
        }

        func open(_ root: TreeDirectory) throws(IOFailure) -> TreeDirectory {
            try (try parent?.open(root) ?? root).open(item)
        }
    }

    private let path: PurgeablePath
    private let patterns: [KeyPattern]
    private let root: TreeDirectory
    private let check: () throws(StorageError) -> Void
    private var candidates: [Candidate] = []
    /// Below directories that the path meets, so that they may go when nothing is left in them. Outer ones first.
    private var folders: [Folder] = []
    private var report: PurgeableReport

    /// `check` is called now and then and may throw to cancel.
    init(
        _ path: PurgeablePath, _ patterns: [KeyPattern], _ root: TreeDirectory,
        _ check: @escaping () throws(StorageError) -> Void
    ) {
        self.path = path
        self.patterns = patterns
        self.root = root
        self.check = check
        report = PurgeableReport(name: path.path)
    }

    mutating func run(atMilliseconds now: Int64, isDry: Bool) throws(StorageError) -> PurgeableReport {
        try look(into: root, nil, patterns[...], depth: 0)
        for candidate in chosen(now) {
            try check()
            if isDry || remove(candidate.item, in: candidate.folder) {
                report.files += 1
                report.returnedBytes += Int64(candidate.item.freeableBytes)
            }
        }
        if !isDry { removeEmptyFolders() }
        return report
    }

    // MARK: Looking

    private mutating func look(
        into directory: TreeDirectory, _ folder: Folder?, _ patterns: ArraySlice<KeyPattern>, depth: Int
    ) throws(StorageError) {
        try check()
        guard let items = attempt({ () throws(IOFailure) in try directory.items() }) else { return }
        let rest = patterns.dropFirst()
        for item in items where directory.holds(item) {
            if let pattern = patterns.first, try !pattern.matches(item.bytes) { continue }
            switch item.kind {
            // Behind the last component everything counts; before it only directories lead on.
            case .file, .link: if rest.isEmpty { candidates.append(Candidate(item: item, folder: folder)) }
            case .other: continue
            case .directory:
                let inner = Folder(folder, item)
                let opened = attempt { () throws(IOFailure) in
                    guard depth < PathSweep.depthMax else { throw directory.tooDeep }
                    return try directory.open(item)
                }
                guard let opened else { continue }
                if patterns.isEmpty { folders.append(inner) }
                try look(into: opened, inner, rest, depth: depth + 1)
            }
        }
    }

    // MARK: Deciding

    /// What is too old, and of the rest the oldest while it is too much.
    private func chosen(_ now: Int64) -> [Candidate] {
        guard path.maximumAge != nil || path.maximumBytes != nil else { return candidates }
        let sorted = candidates.sorted { $0.item.modifiedMilliseconds < $1.item.modifiedMilliseconds }
        var count = 0
        if let age = path.maximumAge {
            let limit = Double(now) - age * 1000
            count = sorted.prefix { Double($0.item.modifiedMilliseconds) <= limit }.count
        }
        guard let maximum = path.maximumBytes else { return Array(sorted[..<count]) }
        var bytes = sorted[count...].reduce(Int64(0)) { $0 + Int64($1.item.freeableBytes) }
        guard bytes > maximum else { return Array(sorted[..<count]) }
        let goal = Int64(Double(maximum) * (path.trimTo ?? 0.5))
        while count < sorted.count, bytes > goal {
            bytes -= Int64(sorted[count].item.freeableBytes)
            count += 1
        }
        return Array(sorted[..<count])
    }

    // MARK: Removing

    private mutating func remove(_ item: TreeItem, in folder: Folder?) -> Bool {
        let root = root
        return attempt { () throws(IOFailure) in try (try folder?.open(root) ?? root).remove(item) } != nil
    }

    /// From the inside out. One that is not empty is not in the way.
    private mutating func removeEmptyFolders() {
        for folder in folders.reversed() {
            do throws(IOFailure) {
                try (try folder.parent?.open(root) ?? root).remove(folder.item)
            } catch {
                if error.isNotEmpty || error.isMissing { continue }
                report.failures.append(error.storageError)
            }
        }
    }

    /// `nil` for a failure, which is noted, but for things that somebody else removed meanwhile.
    private mutating func attempt<R>(_ body: () throws(IOFailure) -> R) -> R? {
        do throws(IOFailure) {
            return try body()
        } catch {
            if !error.isMissing { report.failures.append(error.storageError) }
            return nil
        }
    }
}
