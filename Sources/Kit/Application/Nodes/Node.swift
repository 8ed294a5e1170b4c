/// A node of a tree for one part of a program, with a storage for small values and one for files.
///
/// ```swift
/// let root = Node(NamespaceStorage(store.common["nodes"], of: store), try FileStorage(at: directory + "/nodes"))
/// let mail = root.child("mail")
/// try mail.values.set("ada", forKey: "user")
/// try mail.files.set(attachment, forKey: "a/b.pdf")
/// ```
/// Values that are secret or shared with other programs belong in a `VaultStorage` of their own.
public struct Node: Sendable {
    /// The storage for small values: fast, and cleared in one step.
    public let values: NamespaceStorage
    /// The storage for large values, with one file for each.
    public let files: FileStorage

    /// Makes the root of a tree from two storages.
    public init(_ values: NamespaceStorage, _ files: FileStorage) {
        self.values = values
        self.files = files
    }

    /// The names from the root to this node.
    public var path: [String] { values.path }
    /// The last name of ``path``; empty at the root.
    public var name: String { values.name }

    /// Returns the node `name` directly below this one. It costs nothing until something is written.
    public func child(_ name: String) -> Node { Node(values.child(name), files.child(name)) }

    /// Removes the keys of both storages, one storage after the other: a crash may leave the second. The keys of
    /// children stay.
    public func truncate() throws(StorageError) {
        try values.truncate()
        try files.truncate()
    }

    /// Removes the keys of both storages and of all storages below them, and nothing else.
    public func truncateSubtree() throws(StorageError) {
        try values.truncateSubtree()
        try files.truncateSubtree()
    }

    /// Makes all earlier writes to both storages durable.
    public func sync() throws(StorageError) {
        try values.sync()
        try files.sync()
    }
}

enum NodeLimits {
    static let nameBytes = 1 << 20
    static let valueBytes = 32 << 20

    /// Checks the length of a key or of a child's name.
    static func check(_ name: String) throws(StorageError) {
        guard name.utf8.count <= nameBytes else {
            throw StorageError(.invalidArgument, "a name is \(name.utf8.count) bytes, over the limit of \(nameBytes)")
        }
    }
}
