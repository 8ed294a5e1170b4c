/// The namespaces that a writer uses: three of its own, which only it drops, truncates and purges, and one that all
/// writers share, where each has keys of its own.
enum WriterSpaces {
    static let own = 0..<3
    static let shared = 3
    static let count = 4

    static func name(_ space: Int, writer: Int) -> [UInt8] {
        Array((space == shared ? "shared" : "writer \(writer), \(space)").utf8)
    }

    /// What all keys of the writer begin with.
    static func prefix(writer: Int) -> [UInt8] { [UInt8(writer), 0x2f] }
}
