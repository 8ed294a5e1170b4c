package import ShaleBase

/// An event of a subscription. Events arrive in the order of writing.
package enum ChangeEvent: Sendable, Equatable {
    case change(ObservedChange)
    /// Changes with sequences in `from ... through` may be missing.
    case gap(from: SequenceNumber, through: SequenceNumber)
}

/// One change of an observed namespace.
package struct ObservedChange: Sendable, Equatable {
    package enum Kind: UInt8, Sendable {
        case removed = 0
        case set = 1
        /// All purgeable entries were removed.
        case purged = 2
        /// All entries were removed.
        case truncated = 3
        /// The namespace was dropped.
        case dropped = 4
        /// An entry has expired. Never in the ring: nothing is written.
        case expired = 5

        /// True if the change concerns one key instead of the namespace.
        var hasKey: Bool { self == .removed || self == .set || self == .expired }
    }

    package let sequence: SequenceNumber
    package let kind: Kind
    package let namespace: NamespaceID
    /// The namespace's name in the catalogue.
    package let name: [UInt8]
    /// Empty for changes of the namespace.
    package let key: [UInt8]
}

/// The namespaces and keys that a subscription observes.
package struct ChangeFilter: Sendable {
    package enum Namespaces: Sendable {
        case named([UInt8])
        /// The namespaces whose names begin with one of these prefixes.
        case prefixed([[UInt8]])
    }

    package let namespaces: Namespaces
    package let keys: KeyRange

    package init(_ namespaces: Namespaces, keys: KeyRange = .all) {
        self.namespaces = namespaces
        self.keys = keys
    }

    func admits(name: [UInt8]) -> Bool {
        switch namespaces {
        case .named(let own): own == name
        case .prefixed(let prefixes): prefixes.contains { name.starts(with: $0) }
        }
    }

    func admits(_ change: ObservedChange) -> Bool { !change.kind.hasKey || keys.holds(change.key) }
}

extension KeyRange {
    func holds(_ key: [UInt8]) -> Bool {
        switch lower {
        case .unbounded: break
        case .included(let bound): if key.lexicographicallyPrecedes(bound) { return false }
        case .excluded(let bound): if !bound.lexicographicallyPrecedes(key) { return false }
        }
        switch upper {
        case .unbounded: return true
        case .included(let bound): return !bound.lexicographicallyPrecedes(key)
        case .excluded(let bound): return key.lexicographicallyPrecedes(bound)
        }
    }
}
