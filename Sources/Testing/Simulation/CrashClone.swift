import ShaleBase
import ShalePlatform

/// Builds the file tree that a crash leaves. Only reads the original: its objects are copied and share their pages.
///
/// Random decisions are drawn in an order that depends only on the tree (names sorted, changes in order). The same
/// history, policy and seed therefore give the same result.
struct CrashClone {
    private let policy: CrashPolicy
    private let random: SeededRandom
    /// Copies by original: a file with two names stays one file.
    private var files: [ObjectIdentifier: SimulatedFile] = [:]
    private var folders: [ObjectIdentifier: SimulatedFolder] = [:]
    /// The outcomes of renames whose two halves are both pending, and the halves found during the survey.
    private var renameFates: [Int: Bool] = [:]
    private var pendingRemovals: Set<Int> = []
    /// The source of stale bytes.
    private var staleSource: SparseBytes?

    static func make(_ root: SimulatedFolder, _ policy: CrashPolicy, _ random: SeededRandom) -> SimulatedFolder {
        var clone = CrashClone(policy: policy, random: random)
        var visited: Set<ObjectIdentifier> = []
        clone.survey(root, &visited)
        return clone.copy(root)
    }

    private init(policy: CrashPolicy, random: SeededRandom) {
        self.policy = policy
        self.random = random
    }

    // MARK: - Survey

    /// Records which renames have a pending removal, and selects the source of stale bytes.
    private mutating func survey(_ folder: SimulatedFolder, _ visited: inout Set<ObjectIdentifier>) {
        guard visited.insert(ObjectIdentifier(folder)).inserted else { return }
        for change in folder.pending where change.node == nil {
            if let rename = change.rename { pendingRemovals.insert(rename) }
        }
        for node in nodes(of: folder) {
            switch node {
            case .folder(let inner): survey(inner, &visited)
            case .file(let file):
                if file.content.count > (staleSource?.count ?? 0) { staleSource = file.content }
            }
        }
    }

    /// Returns all nodes to which the folder refers now, refers durably, or may refer after the crash.
    private func nodes(of folder: SimulatedFolder) -> [SimulatedNode] {
        let current = folder.names.sorted { $0.key < $1.key }.map(\.value)
        let durable = folder.durable.sorted { $0.key < $1.key }.map(\.value)
        return current + durable + folder.pending.compactMap(\.node)
    }

    // MARK: - Names

    private mutating func copy(_ folder: SimulatedFolder) -> SimulatedFolder {
        if let known = folders[ObjectIdentifier(folder)] { return known }
        let names = policy.keepsPageCache ? folder.names : namesAfterCrash(folder)
        var copies: [String: SimulatedNode] = [:]
        for (name, node) in names.sorted(by: { $0.key < $1.key }) { copies[name] = copy(node) }
        var durable = copies
        var pending: [NameChange] = []
        if policy.keepsPageCache {
            durable = [:]
            for (name, node) in folder.durable.sorted(by: { $0.key < $1.key }) { durable[name] = copy(node) }
            for change in folder.pending {
                var kept = NameChange(
                    name: change.name, node: change.node.map { copy($0) }, number: change.number, rename: change.rename)
                kept.isLost = change.isLost
                pending.append(kept)
            }
        }
        let clone = SimulatedFolder(
            folder, durable: durable, names: copies, pending: pending,
            errors: policy.keepsPageCache ? folder.errors : WritebackErrors())
        folders[ObjectIdentifier(folder)] = clone
        return clone
    }

    private mutating func copy(_ node: SimulatedNode) -> SimulatedNode {
        switch node {
        case .file(let file): .file(copy(file))
        case .folder(let folder): .folder(copy(folder))
        }
    }

    private mutating func namesAfterCrash(_ folder: SimulatedFolder) -> [String: SimulatedNode] {
        var names = folder.durable
        for change in folder.pending {
            if survives(change) {
                names[change.name] = change.node
            } else if !policy.reorders {
                break
            }
        }
        return names
    }

    private mutating func survives(_ change: NameChange) -> Bool {
        if change.isLost { return false }
        guard let rename = change.rename, policy.renamesAreAtomic else { return random.chance(policy.keepNames) }
        // The removal of the old name is durable, so an atomic rename has also made the new name.
        if change.node != nil, !pendingRemovals.contains(rename) { return true }
        if let fate = renameFates[rename] { return fate }
        let fate = random.chance(policy.keepNames)
        renameFates[rename] = fate
        return fate
    }

    // MARK: - Data

    private mutating func copy(_ file: SimulatedFile) -> SimulatedFile {
        if let known = files[ObjectIdentifier(file)] { return known }
        let clone: SimulatedFile
        if policy.keepsPageCache {
            clone = SimulatedFile(
                file, durable: file.durable, content: file.content, pending: file.pending, errors: file.errors)
        } else {
            let content = contentAfterCrash(file)
            clone = SimulatedFile(file, durable: content, content: content, pending: [])
        }
        files[ObjectIdentifier(file)] = clone
        return clone
    }

    private func contentAfterCrash(_ file: SimulatedFile) -> SparseBytes {
        var content = file.durable
        for change in file.pending {
            if change.isLost { continue }
            let draw = random.fraction()
            if draw < policy.keepData {
                content.apply(change)
                continue
            }
            if case .write(let bytes, let offset) = change.effect {
                damage(&content, bytes, at: offset, draw - policy.keepData)
            }
            if !policy.reorders { break }
        }
        return content
    }

    /// Applies the outcome of a write that did not survive whole. `draw` is the random number minus the probability of
    /// survival.
    private func damage(_ content: inout SparseBytes, _ bytes: [UInt8], at offset: Int, _ draw: Double) {
        if draw < policy.tear {
            content.write(Array(bytes.prefix(random.below(bytes.count))), at: offset)
        } else if draw < policy.tear + policy.zeroFill {
            content.write([UInt8](repeating: 0, count: bytes.count), at: offset)
        } else if draw < policy.tear + policy.zeroFill + policy.stale {
            content.write(staleBytes(bytes.count), at: offset)
        }
    }

    /// Returns bytes of the largest file from a random offset after its first byte: most likely a part of an old log.
    /// The reserved space at the beginning of a log reads as zeros until it is written.
    private func staleBytes(_ count: Int) -> [UInt8] {
        let buffer = OwnedBytes(count: count)
        buffer.mutable.zero(0, count)
        if let staleSource { _ = staleSource.read(into: buffer.mutable, at: 1 + random.below(staleSource.count)) }
        return buffer.bytes.array()
    }
}
