/// A fault to inject: the kinds of calls, the moment, and the effect.
package struct FaultRule: Sendable {
    package enum Moment: Sendable {
        /// The call with this index in the file system's count, if its kind and path match.
        case index(Int)
        /// The k-th matching call, counted from 1 since the rule's injection.
        case match(Int)
        /// Every k-th matching call.
        case every(Int)
        /// Each matching call, with this probability.
        case random(Double)
        /// Each matching call with at least this index.
        case after(Int)
        case always
    }

    package enum Effect: Sendable, Equatable {
        /// The call fails and changes nothing. A failed sync drops the data that it should have made durable.
        case error(Int32)
        /// A write stores this many bytes and fails.
        case shortWrite(keeping: Int, error: Int32)
        /// A read returns a flipped byte at this offset of its result (modulo its length).
        case corruptRead(byte: Int, xor: UInt8)
        /// The call succeeds, and writeback fails before any sync. The unsynced changes of the file or directory are
        /// lost, and the next sync of every open description reports the error once.
        case writebackError(Int32)
        /// A sync reports success and does nothing.
        case syncLies
        /// The machine stops before this call. This and all later calls fail with EIO, until `crashClone`.
        case crashHere
    }

    package var operations: OperationSet
    package var path: PathPattern
    package var when: Moment
    /// True if the rule stays after it has fired; `.index` and `.match` then apply to all later matching calls as well.
    package var repeatsForever: Bool
    package var effect: Effect

    package init(
        on operations: OperationSet = .all, path: PathPattern = .any, when: Moment, repeatsForever: Bool = false,
        _ effect: Effect
    ) {
        self.operations = operations
        self.path = path
        self.when = when
        self.repeatsForever = repeatsForever
        self.effect = effect
    }

    /// Returns true if the effect is possible for this kind of call.
    func applies(to kind: OperationKind) -> Bool {
        switch effect {
        case .error, .crashHere: true
        case .shortWrite: kind == .write
        case .corruptRead: kind == .read
        case .writebackError: kind.isWrittenBack
        case .syncLies: kind.isSync
        }
    }
}

/// A fault that was injected. Tests compare these with the errors that surfaced.
package struct FiredFault: Sendable, Equatable {
    package let operation: Operation
    package let effect: FaultRule.Effect
}

/// The paths to which a fault rule applies.
package enum PathPattern: Sendable, ExpressibleByStringLiteral {
    case any
    /// `*` matches any characters, including slashes; `?` matches one. The pattern matches a whole path, or the end of
    /// a path after a slash: "CURRENT", "wal/*", "*.seg".
    case glob(String)
    case predicate(@Sendable (String) -> Bool)

    package init(stringLiteral value: String) { self = .glob(value) }

    package func matches(_ path: String) -> Bool {
        switch self {
        case .any: return true
        case .predicate(let predicate): return predicate(path)
        case .glob(let pattern):
            let pattern = Array(pattern.utf8)
            let path = Array(path.utf8)
            if PathPattern.matches(pattern[...], path[...]) { return true }
            return path.indices.contains { index in
                path[index] == UInt8(ascii: "/") && PathPattern.matches(pattern[...], path[(index + 1)...])
            }
        }
    }

    private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        var pattern = pattern
        var text = text
        while let wanted = pattern.popFirst() {
            if wanted == UInt8(ascii: "*") {
                return (text.startIndex...text.endIndex).contains { matches(pattern, text[$0...]) }
            }
            guard let byte = text.popFirst(), wanted == UInt8(ascii: "?") || wanted == byte else { return false }
        }
        return text.isEmpty
    }
}
