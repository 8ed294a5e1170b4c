/// Where in a store a node is. A value: what is not spelt out is looked up each time, and so never stale.
struct NamespacePlace: Sendable {
    /// As far as names can be spelt out.
    private let namespace: Namespace
    /// The names below it: the first is in its register.
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

    /// The node's namespace where it needs no look into a register.
    var spelt: Namespace? { names.isEmpty ? namespace : nil }

    /// The node's namespace; `nil` when a name on the way is in no register: then nobody has written below it.
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

    /// The node's namespace in a transaction that writes to it.
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

    /// Runs `body` with the node's namespace; `nil` when there is none.
    func reading<R>(_ body: (Namespace) throws(StorageError) -> R?) throws(StorageError) -> R? {
        if names.isEmpty { return try body(namespace) }
        while let found = try existing() {
            let result = try body(found)
            // Where all was cleared meanwhile, a number may be that of another name with the same hash now.
            if try existing() == found { return result }
        }
        return nil
    }
}
