/// What a name refers to.
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
    /// Shared by the two halves of a rename.
    var rename: Int?
    /// A failed sync has dropped this change.
    var isLost = false
}

/// A directory object. Guarded by the file system's lock.
final class SimulatedFolder {
    let inode: UInt64
    /// What processes see.
    private(set) var names: [String: SimulatedNode] = [:]
    /// What the medium holds.
    private(set) var durable: [String: SimulatedNode] = [:]
    private(set) var pending: [NameChange] = []

    init(inode: UInt64) { self.inode = inode }

    init(
        inode: UInt64, durable: [String: SimulatedNode], names: [String: SimulatedNode], pending: [NameChange]
    ) {
        self.inode = inode
        self.durable = durable
        self.names = names
        self.pending = pending
    }

    func set(_ name: String, _ node: SimulatedNode?, rename: Int? = nil) {
        names[name] = node
        pending.append(NameChange(name: name, node: node, rename: rename))
    }

    /// A name that the outside world provides: durable from the start.
    func setDurably(_ name: String, _ node: SimulatedNode?) {
        names[name] = node
        durable[name] = node
        pending.removeAll { $0.name == name }
    }

    func sync() {
        for change in pending where !change.isLost { durable[change.name] = change.node }
        pending.removeAll { !$0.isLost }
    }

    func failSync() {
        for index in pending.indices { pending[index].isLost = true }
    }
}
