import ShaleBase

/// The children of a node whose names can't be spelt out in the path of a namespace, which is limited: they have numbers instead. The
/// register is a namespace `\0names` below the node's, and so goes when all below the node goes. On disk, do not change: key hash u64,
/// value data, a ``NameBucket`` without contents. A child is the namespace below the register that its hash has for a name, in sixteen
/// hexadecimal digits; where others with that hash were there before, `-` and their number follow.
///
/// A name is entered in the transaction of the first write below it: no crash leaves a value without its name, and of two who enter a
/// name at once one finds the other's. It is not taken out before the whole register is.
struct NameRegister {
    static let component = "\0names"

    /// What names that are spelt out leave of a path, for numbers further down.
    static let spelledBytesMax = 3072

    /// The register itself.
    private let namespace: Namespace
    private let name: [UInt8]
    private let hash: UInt64

    /// A name in the register of the node whose namespace is `node`.
    init(_ name: String, of node: Namespace) {
        let name = Array(name.utf8)
        self.init(name, NameBucket.hash(name), of: node)
    }

    init(_ name: [UInt8], _ hash: UInt64, of node: Namespace) {
        namespace = node.child(NameRegister.component)
        self.name = name
        self.hash = hash
    }

    /// Whether a child's name is part of the path of its namespace.
    static func isSpelt(_ name: String, below node: Namespace) -> Bool {
        // As the catalogue has it: each part behind two bytes, and one for the space.
        let parts = node.path + [node.space.userID ?? "", name]
        return name != component && parts.reduce(1) { $0 + 2 + $1.utf8.count } <= spelledBytesMax
    }

    private var key: EntryKey { EntryKey((0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }) }

    private func child(_ index: Int) -> Namespace { namespace.child(NameBucket.place(hash, index)) }

    /// The child's namespace; `nil` while the name is not in the register.
    func existing() throws(StorageError) -> Namespace? {
        try NameBucket(try namespace.value(forKey: key, as: [UInt8].self)).index(of: name).map { child($0) }
    }

    /// The child's namespace, once the transaction is committed.
    func entered(_ transaction: borrowing StoreTransaction) throws(StorageError) -> Namespace {
        var bucket = try NameBucket(try transaction.value(forKey: key, in: namespace, as: [UInt8].self))
        if let index = bucket.index(of: name) { return child(index) }
        bucket[name] = []
        try transaction.set(bucket.bytes, forKey: key, in: namespace)
        return child(bucket.entries.count - 1)
    }
}
