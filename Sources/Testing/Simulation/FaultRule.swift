/// A fault to be injected: which calls, which of them, and what happens.
package struct FaultRule: Sendable {
    package enum Moment: Sendable {
        /// The call with this index in the file system's count; it must also be of the right kind and path.
        case index(Int)
        /// The k-th call that matches, counted from 1 from the rule's injection.
        case match(Int)
        /// Every k-th call that matches.
        case every(Int)
        /// Each call that matches, with this probability.
        case random(Double)
        /// Each call that matches with at least this index.
        case after(Int)
        case always
    }

    package enum Effect: Sendable, Equatable {
        /// The call fails and changes nothing. A failed sync drops the data that it should have made durable.
        case error(Int32)
        /// A write leaves this many bytes and fails.
        case shortWrite(keeping: Int, error: Int32)
        /// A read delivers a flipped byte at this offset of its result (modulo its length).
        case corruptRead(byte: Int, xor: UInt8)
        /// The call succeeds, and writeback fails before any sync: what the file or directory had unsynced is lost, and
        /// every open description of it is told once, by its next sync.
        case writebackError(Int32)
        /// A sync reports success and does nothing.
        case syncLies
        /// The machine stops before this call: it and all later calls fail with EIO, until `crashClone`.
        case crashHere
    }

    package var operations: OperationSet
    package var path: PathPattern
    package var when: Moment
    /// Whether the rule stays after it has fired; `.index` and `.match` then hold for all later matching calls as well.
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

    /// Whether the effect makes sense for this kind of call.
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

/// A fault that was injected: tests compare these with the errors that surfaced.
package struct FiredFault: Sendable, Equatable {
    package let operation: Operation
    package let effect: FaultRule.Effect
}
