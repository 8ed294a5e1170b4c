/// A kind of call to the file system.
package enum OperationKind: String, CaseIterable, Sendable {
    case openDirectory, create, open, exists, list, rename, link, remove, syncDirectory, lock, freeBytes
    case write, preallocate, truncate, sync, close
    case size, read

    package var isSync: Bool { self == .sync || self == .syncDirectory }

    /// True if the call changes content or names that are written back later.
    var isWrittenBack: Bool { OperationSet.writtenBack.contains(self) }
}

/// One counted call. Two runs of one script on two file systems give the same list.
package struct Operation: Sendable, Equatable, CustomStringConvertible {
    package let index: Int
    package let kind: OperationKind
    /// The path from the root of the simulated file system; for a rename or link, the path of the source.
    package let path: String

    package var description: String { "#\(index) \(kind.rawValue) \(path)" }
}

/// A set of kinds of calls.
package struct OperationSet: Sendable, ExpressibleByArrayLiteral {
    private let kinds: Set<OperationKind>

    package init(_ kinds: Set<OperationKind>) { self.kinds = kinds }

    package init(arrayLiteral elements: OperationKind...) { kinds = Set(elements) }

    package func contains(_ kind: OperationKind) -> Bool { kinds.contains(kind) }

    package static let all = OperationSet(Set(OperationKind.allCases))
    package static let syncs: OperationSet = [.sync, .syncDirectory]
    /// The calls that change content or names, which are written back later.
    package static let writtenBack: OperationSet = [.create, .rename, .link, .remove, .write, .preallocate, .truncate]
    /// The calls that can change the disk.
    package static let changes: OperationSet = [
        .openDirectory, .create, .rename, .link, .remove, .syncDirectory, .lock, .write, .preallocate, .truncate, .sync,
    ]
    /// The calls that only read.
    package static let reads: OperationSet = [.open, .exists, .list, .freeBytes, .size, .read]
}
