import ShaleBase

/// The location of a node in a store. Names that are not spelled out are looked up each time, so the value is never
/// stale.
struct NodeLocation: Sendable {
    /// The namespace as far as names are spelled out.
    private let namespace: Store.Namespace
    /// The names below it. The first is in its register.
    private let names: [String]

    init(_ namespace: Store.Namespace) { self.init(namespace, []) }

    private init(_ namespace: Store.Namespace, _ names: [String]) {
        self.namespace = namespace
        self.names = names
    }

    func child(_ name: String) -> NodeLocation {
        guard names.isEmpty, NameRegister.isLiteral(name, below: namespace) else {
            return NodeLocation(namespace, names + [name])
        }
        return NodeLocation(namespace.child(name))
    }

    /// The node's namespace if no register is needed.
    var literal: Store.Namespace? { names.isEmpty ? namespace : nil }

    /// Returns the node's namespace; `nil` if a name on the way is in no register, so that nothing was written below
    /// it.
    private func existing() throws(StorageError) -> Store.Namespace? {
        var current = namespace
        for name in names {
            try NodeLimits.check(name)
            if NameRegister.isLiteral(name, below: current) {
                current = current.child(name)
            } else {
                guard let found = try NameRegister(name, of: current).existing() else { return nil }
                current = found
            }
        }
        return current
    }

    /// Returns the node's namespace in a transaction that writes to it.
    func registered(_ transaction: borrowing Store.Transaction) throws(StorageError) -> Store.Namespace {
        var current = namespace
        for name in names {
            try NodeLimits.check(name)
            current =
                NameRegister.isLiteral(name, below: current)
                ? current.child(name) : try NameRegister(name, of: current).registered(transaction)
        }
        return current
    }

    /// Runs `body` with the node's namespace; returns `nil` if there is none.
    func reading<R>(_ body: (Store.Namespace) throws(StorageError) -> R?) throws(StorageError) -> R? {
        if names.isEmpty { return try body(namespace) }
        while let found = try existing() {
            let result = try body(found)
            // If the tree is cleared meanwhile, a number may now belong to another name with the same hash.
            if try existing() == found { return result }
        }
        return nil
    }
}

/// The register of a node's children whose names don't fit in the path of a namespace, which is limited. Such children
/// have numbers instead.
///
/// The register is a namespace `\0names` below the node's, so it is removed together with everything below the node. On
/// disk, do not change: key hash u64, value data, a ``NameBucket`` without contents. A child is the namespace below the
/// register that is named after its hash, in sixteen hexadecimal digits. If other names with that hash came before, `-`
/// and its number follow.
///
/// 1. A name is entered in the transaction of the first write below it, so no crash leaves a value without its name.
/// 2. If two threads enter a name at the same time, one transaction conflicts, runs again and finds the other's name.
/// 3. No single name is removed from a register; only the register as a whole is.
struct NameRegister {
    static let component = "\0names"

    /// The maximum of bytes for spelled-out names in a path. The rest is left for numbers further down.
    static let literalBytesMax = 3072

    /// The register itself.
    private let namespace: Store.Namespace
    private let name: [UInt8]
    private let hash: UInt64

    /// A name in the register of the node whose namespace is `node`.
    init(_ name: String, of node: Store.Namespace) {
        let name = Array(name.utf8)
        self.init(name, NameBucket.hash(name), of: node)
    }

    init(_ name: [UInt8], _ hash: UInt64, of node: Store.Namespace) {
        namespace = node.child(NameRegister.component)
        self.name = name
        self.hash = hash
    }

    /// Returns true if a child's name is part of the path of its namespace.
    static func isLiteral(_ name: String, below node: Store.Namespace) -> Bool {
        // The size in the catalogue: two bytes before each part, and one for the space.
        let parts = node.path + [node.space.userID ?? "", name]
        return name != component && parts.reduce(1) { $0 + 2 + $1.utf8.count } <= literalBytesMax
    }

    private var key: EntryKey { EntryKey((0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }) }

    private func child(_ index: Int) -> Store.Namespace { namespace.child(NameBucket.numbered(hash, index)) }

    /// Returns the child's namespace; `nil` while the name is not in the register.
    func existing() throws(StorageError) -> Store.Namespace? {
        try NameBucket(try namespace.value(forKey: key, as: [UInt8].self)).index(of: name).map { child($0) }
    }

    /// Enters the name and returns the child's namespace, which is valid once the transaction is committed.
    func registered(_ transaction: borrowing Store.Transaction) throws(StorageError) -> Store.Namespace {
        var bucket = try NameBucket(try transaction.value(forKey: key, in: namespace, as: [UInt8].self))
        if let index = bucket.index(of: name) { return child(index) }
        bucket[name] = []
        try transaction.set(bucket.bytes, forKey: key, in: namespace)
        return child(bucket.entries.count - 1)
    }
}
