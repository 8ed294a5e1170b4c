/// The time of a change by a hybrid logical clock, with the client as the last criterion.
package struct SyncStamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970, by the server's clock as far as the client knows it.
    package var time: Int64
    /// Orders changes of one millisecond.
    package var count: UInt32
    /// The id of the client that made the change.
    package var client: String

    package init(time: Int64, count: UInt32, client: String) {
        self.time = time
        self.count = count
        self.client = client
    }

    /// The stamp of a record that was never written.
    package static let none = SyncStamp(time: .min, count: 0, client: "")

    /// Returns the stamp, not later than a time.
    package func limited(to time: Int64) -> SyncStamp {
        self.time > time ? SyncStamp(time: time, count: 0, client: client) : self
    }

    package static func < (a: SyncStamp, b: SyncStamp) -> Bool {
        if a.time != b.time { return a.time < b.time }
        if a.count != b.count { return a.count < b.count }
        return a.client.utf8.lexicographicallyPrecedes(b.client.utf8)
    }
}

/// One version of a record on the wire.
package struct SyncVersion: Sendable, Hashable {
    /// The server's number of the version; 0 if the server has none.
    package var revision: Int64
    package var stamp: SyncStamp
    /// The record as JSON; `nil` for a record that was deleted.
    package var document: [UInt8]?

    package init(revision: Int64, stamp: SyncStamp, document: [UInt8]?) {
        self.revision = revision
        self.stamp = stamp
        self.document = document
    }

    /// The version of a record that the server does not have.
    package static let missing = SyncVersion(
        revision: 0, stamp: SyncStamp(time: 0, count: 0, client: ""), document: nil)
}

/// The address of a record on the wire.
package struct SyncAddress: Sendable, Hashable {
    package var collection: String
    package var key: [UInt8]

    package init(_ collection: String, _ key: [UInt8]) {
        self.collection = collection
        self.key = key
    }

    /// The length of the name, the name, and the key: addresses of one collection are together, ordered by key.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Appends what ``bytes`` returns.
    package func append(to bytes: inout [UInt8]) {
        let name = collection.utf8
        bytes.append(UInt8(truncatingIfNeeded: name.count))
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: key)
    }

    /// Parses what ``bytes`` returns.
    package init?(bytes: ArraySlice<UInt8>) {
        guard let length = bytes.first, bytes.count > Int(length) else { return nil }
        let rest = bytes.dropFirst()
        collection = String(decoding: rest.prefix(Int(length)), as: UTF8.self)
        key = Array(rest.dropFirst(Int(length)))
    }
}
