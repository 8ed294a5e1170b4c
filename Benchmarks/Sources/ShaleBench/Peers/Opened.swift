/// The content of a peer while it is open: a database with its prepared statements, a session, or a reader.
struct Opened<Content> {
    /// The name of the peer in errors.
    private let peer: String
    private(set) var ifOpen: Content?

    init(by peer: String) { self.peer = peer }

    /// Throws unless the peer is open.
    var content: Content {
        get throws {
            guard let ifOpen else { throw BenchError("\(peer) is closed") }
            return ifOpen
        }
    }

    mutating func open(_ content: Content) { ifOpen = content }

    mutating func close() { ifOpen = nil }
}
