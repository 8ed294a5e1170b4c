import ShalePlatform

/// The target of a name.
enum SimulatedNode {
    case file(SimulatedFile)
    case folder(SimulatedFolder)

    var identifier: ObjectIdentifier {
        switch self {
        case .file(let file): ObjectIdentifier(file)
        case .folder(let folder): ObjectIdentifier(folder)
        }
    }
}

/// A change of a directory that no sync has made durable yet: `name` refers to `node`, or to nothing.
struct NameChange {
    let name: String
    let node: SimulatedNode?
    /// The number of this change among the changes of the directory.
    let number: Int
    /// Shared by the two halves of a rename.
    var rename: Int?
    /// True if a failed sync has dropped this change.
    var isLost = false
}

/// A directory object. Guarded by the file system's lock.
final class SimulatedFolder {
    let inode: UInt64
    /// The names that processes see.
    private(set) var names: [String: SimulatedNode] = [:]
    /// The names on the medium.
    private(set) var durable: [String: SimulatedNode] = [:]
    private(set) var pending: [NameChange] = []
    /// The number of the next change.
    private(set) var nextChange = 0
    var errors = WritebackErrors()

    init(inode: UInt64) { self.inode = inode }

    init(
        _ original: SimulatedFolder, durable: [String: SimulatedNode], names: [String: SimulatedNode],
        pending: [NameChange], errors: WritebackErrors
    ) {
        inode = original.inode
        self.durable = durable
        self.names = names
        self.pending = pending
        self.errors = errors
        nextChange = original.nextChange
    }

    func set(_ name: String, _ node: SimulatedNode?, rename: Int? = nil) {
        names[name] = node
        pending.append(NameChange(name: name, node: node, number: nextChange, rename: rename))
        nextChange += 1
    }

    /// Sets a name that exists before the simulation begins: it is durable from the start.
    func setDurably(_ name: String, _ node: SimulatedNode?) {
        names[name] = node
        durable[name] = node
        pending.removeAll { $0.name == name }
    }

    /// Makes the changes with numbers below `end` durable.
    func sync(before end: Int) {
        for change in pending where !change.isLost && change.number < end { durable[change.name] = change.node }
        pending.removeAll { !$0.isLost && $0.number < end }
    }

    func failWriteback(_ number: Int32) {
        for index in pending.indices { pending[index].isLost = true }
        errors.record(number)
    }

    /// A hash of the names that processes see and of the files below them.
    var digest: UInt64 {
        var digest = UInt64(names.count)
        for (name, node) in names.sorted(by: { $0.key < $1.key }) {
            for byte in name.utf8 { digest = SparseBytes.combined(digest, UInt64(byte)) }
            let inner =
                switch node {
                case .file(let file): file.digest
                case .folder(let folder): folder.digest
                }
            digest = SparseBytes.combined(digest, inner)
        }
        return digest
    }
}
