/// A named place for the values of one part of a program, with a storage for small values and one for files: a tree of both.
///
/// ```swift
/// let root = Node(NamespaceStorage(store.common["nodes"], of: store), try FileStorage(at: directory + "/nodes"))
/// let mail = root.child(named: "mail")
/// try mail.values.set("ada", forKey: "user")
/// try mail.files.set(attachment, forKey: "a/b.pdf")
/// ```
/// What is shared with other programs or secret is in a `VaultStorage` of its own.
public struct Node: Sendable {
    /// For small values: fast, and cleared in one step.
    public let values: NamespaceStorage
    /// For large ones, each a file of its own.
    public let files: FileStorage

    /// The tree that begins with these two.
    public init(_ values: NamespaceStorage, _ files: FileStorage) {
        self.values = values
        self.files = files
    }

    /// The names from the top to this node.
    public var path: [String] { values.path }
    /// The last name of ``path``; empty at the top.
    public var name: String { values.name }

    /// The node `name` right below. It costs nothing until something is written.
    public func child(named name: String) -> Node { Node(values.child(named: name), files.child(named: name)) }

    /// Removes the keys of both storages; those of children stay. One after the other: a crash may leave the second.
    public func clear() throws(StorageError) {
        try values.clear()
        try files.clear()
    }

    /// Removes the keys of both storages and of all below them; nothing else, also at the top.
    public func clearHierarchy() throws(StorageError) {
        try values.clearHierarchy()
        try files.clearHierarchy()
    }

    /// Makes everything that was written to either durable.
    public func synchronize() throws(StorageError) {
        try values.synchronize()
        try files.synchronize()
    }
}
