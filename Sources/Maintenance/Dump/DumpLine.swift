import Shale
import ShaleBase

/// The content of one line of a dump. Borrows the line and the buffers that it was read with.
enum DumpLine {
    case store(StoreLine)
    case namespace(NamespaceLine)
    case entry(EntryLine)
    /// The last line: the number of entries.
    case end(Int64)

    struct StoreLine {
        var version: Int64 = 0
        var nextNamespace: Int64 = 0
    }

    struct NamespaceLine {
        var id: Int64 = 0
        var name: [UInt8]?
        var user: String?
        var path: [String] = []
        var options: [UInt8] = []

        /// The name in the catalogue.
        var catalogueName: [UInt8] {
            name ?? NamespaceName(owner: user.map { .user($0) } ?? .common, components: path).bytes
        }
    }

    struct EntryLine {
        var key = Bytes.empty
        /// The value as the engine stores it.
        var value = Bytes.empty
        var isPurgeable = false
        var expiry: Int64?
    }
}
