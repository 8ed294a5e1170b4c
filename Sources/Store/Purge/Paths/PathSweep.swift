import ShaleBase
import ShalePlatform

/// One purge of the files of one ``PurgeablePath``: finds all candidates, selects the files to remove, removes them.
/// Memory O(files).
struct PathSweep {
    /// The maximum nesting of directories; each level keeps a descriptor open.
    private static let depthMax = 64

    private struct Candidate {
        let item: TreeItem
        /// `nil` for items directly in the root.
        let folder: Folder?
    }

    /// A directory that was searched. It is opened again for each removal in it.
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
    /// The directories below those that the path matches, outer ones first. They are removed if they are empty at the
    /// end.
    private var folders: [Folder] = []
    private var report: PurgeableReport

    /// `check` is called for each directory and each selected file, and may throw to cancel.
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
        try search(in: root, nil, patterns[...], depth: 0)
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

    // MARK: Searching

    private mutating func search(
        in directory: TreeDirectory, _ folder: Folder?, _ patterns: ArraySlice<KeyPattern>, depth: Int
    ) throws(StorageError) {
        try check()
        guard let items = attempt({ () throws(IOFailure) in try directory.items() }) else { return }
        let rest = patterns.dropFirst()
        for item in items where directory.holds(item) {
            if let pattern = patterns.first, try !pattern.matches(item.bytes) { continue }
            switch item.kind {
            // After the last component every item matches; before it only directories are followed.
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
                try search(in: opened, inner, rest, depth: depth + 1)
            }
        }
    }

    // MARK: Deciding

    /// Returns the files that are too old. If the rest is too large, adds its oldest files until the goal is met.
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

    /// Removes empty directories from the inside out. A directory that is not empty is no failure.
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

    /// Returns `nil` after a failure. Failures are recorded, except for items that another process removed meanwhile.
    private mutating func attempt<R>(_ body: () throws(IOFailure) -> R) -> R? {
        do throws(IOFailure) {
            return try body()
        } catch {
            if !error.isMissing { report.failures.append(error.storageError) }
            return nil
        }
    }
}
