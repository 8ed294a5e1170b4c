import ShaleBase
import ShalePlatform

/// The directory of a child, beside those of its siblings in `nodes`. For a long name it is named after the name's
/// position in a register, a file that contains all whole names with one hash. Two names with one hash thus have two
/// directories.
///
/// No crash leaves a directory with content whose name is unknown:
///
/// 1. A name is entered in the register, durably, before its directory is created.
/// 2. No single name is removed from a register. The register is removed as a whole after all directories of its names
///    have been emptied.
struct NodeFolder {
    private let name: [UInt8]
    private let hash: UInt64
    /// The directory's name if no register is needed.
    private let spelt: String?

    init(of name: String) {
        self.name = Array(name.utf8)
        spelt = NodeFileName.spelt(name, .node)
        hash = spelt == nil ? NameBucket.hash(self.name) : 0
    }

    /// Returns the directory's name; `nil` while the child's name is not in the register.
    func existing(in nodes: any Directory) throws(StorageError) -> String? {
        if let spelt { return spelt }
        let register = try NodeFile.read(NodeFileName.register(hash), in: nodes)
        return register?.index(of: name).map { NodeFileName.longNode(hash, $0) }
    }

    /// Returns the directory's name, and enters it in a register if necessary. Call it in a change of the tree.
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
