import ShaleBase
import ShaleManifest

/// The complete history of one key, which defines the result of every read.
struct KeyHistory {
    struct Version: Equatable {
        let trailer: Trailer
        let expiry: Int64
    }

    private(set) var versions: [Version] = []
    private(set) var truncations: [UInt64] = []
    private(set) var purges: [UInt64] = []

    mutating func write(_ trailer: Trailer, expiry: Int64) {
        versions.append(Version(trailer: trailer, expiry: expiry))
    }

    mutating func truncate(at sequence: UInt64) { truncations.append(sequence) }
    mutating func purge(at sequence: UInt64) { purges.append(sequence) }

    /// Returns the number of the version that the observer finds.
    func find(_ observer: Observer) -> Int? {
        guard let newest = versions.lastIndex(where: { $0.trailer.sequence <= observer.sequence }) else { return nil }
        let trailer = versions[newest].trailer
        if trailer.kind.isDelete { return nil }
        for mark in truncations where mark <= observer.sequence && trailer.sequence <= mark { return nil }
        if trailer.kind.isPurgeable {
            for mark in purges where mark <= observer.sequence && trailer.sequence <= mark { return nil }
        }
        if trailer.kind.hasExpiry, versions[newest].expiry <= observer.wallMilliseconds { return nil }
        return newest
    }
}
