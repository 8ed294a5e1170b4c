import ShaleBase
import ShaleKit

extension FuzzTarget {
    /// Input: a node's key file. It also covers the format of all checked files.
    static let nodeFile = FuzzTarget("node-file", "the file of a node's keys or names", seeds: NodeFileTarget.seeds) {
        input in
        var file = input
        if file.count >= 8 { file.put(file.checksum(0, file.count - 8, file: 0), at: file.count - 8) }
        let read: NameBucket
        do throws(StorageError) {
            read = try NodeFile.parse(file, "k-k")
        } catch {
            return try requireTyped(error)
        }
        try require(NodeFile.bytes(read) == file, "a node's file is not canonical")
    }
}

private enum NodeFileTarget {
    static func seeds() -> [[UInt8]] {
        [[("", [3, 0, 1])], [("../key", [2, 0] + Array("value".utf8)), ("key", [])], []].map { entries in
            var bucket = NameBucket()
            for (name, content) in entries { bucket[Array(name.utf8)] = content }
            return NodeFile.bytes(bucket)
        }
    }
}
