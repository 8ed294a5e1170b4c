/// A kind of call at the file-system seam.
package enum OperationKind: String, CaseIterable, Sendable {
    case openDirectory, create, open, exists, list, rename, link, remove, syncDirectory, lock, freeBytes
    case write, preallocate, truncate, sync, close
    case size, read

    package var isSync: Bool { self == .sync || self == .syncDirectory }

    /// Whether it changes content or names that are written back later.
    var isWrittenBack: Bool { OperationSet.writtenBack.contains(self) }
}

/// One call, as it was counted. Two runs of one script on two file systems give the same list.
package struct Operation: Sendable, Equatable, CustomStringConvertible {
    package let index: Int
    package let kind: OperationKind
    /// From the root of the simulated file system; of a rename or link, the source.
    package let path: String

    package var description: String { "#\(index) \(kind.rawValue) \(path)" }
}

/// A set of kinds.
package struct OperationSet: Sendable, ExpressibleByArrayLiteral {
    private let kinds: Set<OperationKind>

    package init(_ kinds: Set<OperationKind>) { self.kinds = kinds }

    package init(arrayLiteral elements: OperationKind...) { kinds = Set(elements) }

    package func contains(_ kind: OperationKind) -> Bool { kinds.contains(kind) }

    package static let all = OperationSet(Set(OperationKind.allCases))
    package static let syncs: OperationSet = [.sync, .syncDirectory]
    /// What changes content or names, which then wait for their writeback.
    package static let writtenBack: OperationSet = [.create, .rename, .link, .remove, .write, .preallocate, .truncate]
    /// Everything that can change the disk.
    package static let changes: OperationSet = [
        .openDirectory, .create, .rename, .link, .remove, .syncDirectory, .lock, .write, .preallocate, .truncate, .sync,
    ]
    /// Everything that only looks.
    package static let reads: OperationSet = [.open, .exists, .list, .freeBytes, .size, .read]
}
