import ShaleBase
import ShaleNodes

extension FuzzTarget {
    /// Input: the file of a key, and with it the form of all checked files.
    static let nodeFile = FuzzTarget("node-file", "the file of a node's key", seeds: NodeFileTarget.seeds) { input in
        var file = input
        if file.count >= 8 { file.put(file.checksum(0, file.count - 8, file: 0), at: file.count - 8) }
        let read: (key: [UInt8], envelope: [UInt8])
        do throws(StorageError) {
            read = try NodeFile.parse(file, "k-k")
        } catch {
            return try requireTyped(error)
        }
        guard let key = String(validating: read.key, as: UTF8.self) else { return }
        try require(NodeFile.bytes(key, read.envelope) == file, "a node's file is not canonical")
    }
}

private enum NodeFileTarget {
    static func seeds() -> [[UInt8]] {
        [NodeFile.bytes("", [3, 0, 1]), NodeFile.bytes("../key", [2, 0] + Array("value".utf8))]
    }
}
