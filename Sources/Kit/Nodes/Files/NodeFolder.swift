import ShaleBase
import ShalePlatform

/// The directory of a child, side by side with those of others in `nodes`. A long name's has the name of its place in a register, a file that
/// holds the whole names with one hash: so two that have the same are two directories.
///
/// A name is entered, durably, before its directory is made, and is not taken out before the whole register is: that goes after all
/// directories of its names were emptied. No crash leaves a directory with something in it whose name is not known.
struct NodeFolder {
    private let name: [UInt8]
    private let hash: UInt64
    /// Where no register is needed.
    private let spelt: String?

    init(of name: String) {
        self.name = Array(name.utf8)
        spelt = NodeFileName.spelt(name, .node)
        hash = spelt == nil ? NameBucket.hash(self.name) : 0
    }

    /// The directory's name; `nil` while the child's is not in the register.
    func existing(in nodes: any Directory) throws(StorageError) -> String? {
        if let spelt { return spelt }
        let register = try NodeFile.read(NodeFileName.register(hash), in: nodes)
        return register?.index(of: name).map { NodeFileName.longNode(hash, $0) }
    }

    /// The directory's name, in a register if need be. In a change of the tree.
    func entered(in nodes: any Directory) throws(StorageError) -> String {
        if let spelt { return spelt }
        let file = NodeFileName.register(hash)
        var register = try NodeFile.read(file, in: nodes) ?? NameBucket()
        if let index = register.index(of: name) { return NodeFileName.longNode(hash, index) }
        register[name] = []
        try NodeFile.write(register, file, in: nodes)
        return NodeFileName.longNode(hash, register.entries.count - 1)
    }
}
