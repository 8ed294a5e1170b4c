/// The way in which two changes of one record, made without knowledge of each other, become one.
///
/// The rule runs on the client that finds the conflict, once for each. Its result is a new change, made with knowledge
/// of both. So all clients end with the same record, even if they have different rules. Versions that lose stay
/// readable: ``SyncClient/keptVersions(after:limit:)``.
///
/// If a side has not changed the record after all, the other side's version is the result, and no closure is asked. A
/// closure is asked if both sides made equal changes: two increments of a counter are such.
public struct ConflictRule<Record: Codable & Sendable>: Sendable {
    enum Kind: Sendable {
        case lastWriter
        case fieldByField
        case merging(@Sendable (Versions) throws -> Record?)
    }

    let kind: Kind

    /// The three versions that a closure sees. `nil` stands for a record that does not exist.
    public struct Versions: Sendable {
        /// The server's version that this client's change was made on.
        public let base: Record?
        /// The record here.
        public let mine: Record?
        /// The server's version now.
        public let theirs: Record?
        /// True if this client's change is the later one.
        public let mineIsLater: Bool
    }

    /// The later change wins as a whole. A deletion is a change. Default.
    public static var lastWriter: ConflictRule { ConflictRule(kind: .lastWriter) }

    /// Each field has the value of the side that changed it. Where both did, the later change wins. If one side has
    /// deleted the record, the later change wins as a whole.
    ///
    /// Fields are the members of the encoded record, at its top level.
    public static var fieldByField: ConflictRule { ConflictRule(kind: .fieldByField) }

    /// A closure makes the result; `nil` deletes the record.
    ///
    /// It should depend on its argument only, and may run again. If it throws, or returns a record with another primary
    /// key, the later change wins as a whole.
    public static func merging(_ merge: @escaping @Sendable (Versions) throws -> Record?) -> ConflictRule {
        ConflictRule(kind: .merging(merge))
    }

    /// True if the rule needs the version that a change was made on.
    var needsBase: Bool { if case .lastWriter = kind { false } else { true } }
}
