/// The location of a node in a store. Names that are not spelled out are looked up each time, so the value is never
/// stale.
struct NamespacePlace: Sendable {
    /// The namespace as far as names are spelled out.
    private let namespace: Namespace
    /// The names below it. The first is in its register.
    private let names: [String]

    init(_ namespace: Namespace) { self.init(namespace, []) }

    private init(_ namespace: Namespace, _ names: [String]) {
        self.namespace = namespace
        self.names = names
    }

    func child(_ name: String) -> NamespacePlace {
        guard names.isEmpty, NameRegister.isSpelt(name, below: namespace) else {
            return NamespacePlace(namespace, names + [name])
        }
        return NamespacePlace(namespace.child(name))
    }

    /// The node's namespace if no register is needed.
    var spelt: Namespace? { names.isEmpty ? namespace : nil }

    /// Returns the node's namespace; `nil` if a name on the way is in no register, so that nothing was written below
    /// it.
    private func existing() throws(StorageError) -> Namespace? {
        var current = namespace
        for name in names {
            try NodeLimits.check(name)
            if NameRegister.isSpelt(name, below: current) {
                current = current.child(name)
            } else {
                guard let found = try NameRegister(name, of: current).existing() else { return nil }
                current = found
            }
        }
        return current
    }

    /// Returns the node's namespace in a transaction that writes to it.
    func entered(_ transaction: borrowing StoreTransaction) throws(StorageError) -> Namespace {
        var current = namespace
        for name in names {
            try NodeLimits.check(name)
            current =
                NameRegister.isSpelt(name, below: current)
                ? current.child(name) : try NameRegister(name, of: current).entered(transaction)
        }
        return current
    }

    /// Runs `body` with the node's namespace; returns `nil` if there is none.
    func reading<R>(_ body: (Namespace) throws(StorageError) -> R?) throws(StorageError) -> R? {
        if names.isEmpty { return try body(namespace) }
        while let found = try existing() {
            let result = try body(found)
            // If the tree is cleared meanwhile, a number may now belong to another name with the same hash.
            if try existing() == found { return result }
        }
        return nil
    }
}
