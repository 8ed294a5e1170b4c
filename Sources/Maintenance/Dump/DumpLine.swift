import Shale
import ShaleBase

/// What one line of a dump says. Borrows the line and the buffers that it was read with.
enum DumpLine {
    case store(StoreLine)
    case namespace(NamespaceLine)
    case entry(EntryLine)
    /// The last one: how many entries there are.
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

        /// As the catalogue has it.
        var catalogueName: [UInt8] {
            name ?? NamespaceName(owner: user.map { .user($0) } ?? .common, components: path).bytes
        }
    }

    struct EntryLine {
        var key = Bytes.empty
        /// As the engine holds it.
        var value = Bytes.empty
        var isPurgeable = false
        var expiry: Int64?
    }
}
