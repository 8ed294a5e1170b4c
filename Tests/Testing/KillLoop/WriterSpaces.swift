/// The namespaces of a writer: three of its own, which only it drops, truncates and purges, and one that all writers
/// share with distinct keys.
enum WriterSpaces {
    static let own = 0..<3
    static let shared = 3
    static let count = 4

    static func name(_ space: Int, writer: Int) -> [UInt8] {
        Array((space == shared ? "shared" : "writer \(writer), \(space)").utf8)
    }

    /// Returns the prefix of all keys of the writer.
    static func prefix(writer: Int) -> [UInt8] { [UInt8(writer), 0x2f] }
}
