/// The identity of a client and its place in the exchange with the server. On disk, as JSON.
package struct ClientRecord: Sendable, Hashable, Codable {
    /// 128 random bits as text.
    package var id: String
    /// The epoch of the server that all revisions belong to; `nil` before the first pull.
    var epoch: String?
    /// The number of the last batch.
    var number: Int64 = 0
    /// The number of times that the space was opened.
    var openings: UInt32 = 0
    var clock = HybridClock.State()
}

/// The progress of a collection. On disk, as JSON.
struct CollectionRecord: Sendable, Hashable, Codable {
    /// The server's text; `nil` before the first page.
    var cursor: String?
    /// The number of the resynchronisations that have begun. A record that the current one has seen has this number.
    var generation: UInt32 = 0
    /// True from the beginning of a resynchronisation to the end of its sweep.
    var isResynchronising = false
    /// True once all pages of a resynchronisation are applied, and records without its number are being removed.
    var isSweeping = false
    /// True if the resynchronisation follows a change of the server's epoch. Revisions from before mean nothing, and a
    /// record that the server does not have is sent again.
    var isNewEpoch = false
    /// The key behind which the sweep continues.
    var sweptThrough: [UInt8]?

    /// Begins again from the start.
    mutating func restart() {
        cursor = nil
        generation += 1
        isResynchronising = true
        isSweeping = false
        sweptThrough = nil
    }

    /// Ends a resynchronisation.
    mutating func finish() {
        isResynchronising = false
        isSweeping = false
        isNewEpoch = false
        sweptThrough = nil
    }
}

/// A batch that was sent, or is about to be, and whose reply has not been applied. On disk, as JSON; the request is
/// beside it as it is sent.
struct Flight: Sendable, Hashable, Codable {
    var number: Int64
    /// The orders of the changes, as they were when the batch was made.
    var orders: [UInt64]
}
