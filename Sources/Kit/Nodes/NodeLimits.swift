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
