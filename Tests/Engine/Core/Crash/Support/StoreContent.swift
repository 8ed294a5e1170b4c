import ShaleBase
import ShaleEngine

/// The content of an open store, comparable with an ``Oracle``.
struct StoreContent: Equatable {
    let names: Set<String>
    let fingerprint: UInt64
    let entryCount: Int

    /// Reads everything by scans.
    init(of engine: Engine, except ignored: String? = nil) throws(StorageError) {
        var names: Set<String> = []
        var fingerprint: UInt64 = 0
        var count = 0
        for namespace in engine.namespaces {
            let name = String(decoding: namespace.name, as: UTF8.self)
            if name == ignored { continue }
            names.insert(name)
            fingerprint &+= Oracle.hash(options: namespace.options, of: name)
            for (key, value) in try engine.entries(in: namespace.id) {
                fingerprint &+= Oracle.hash(entry: key, value, in: name)
                count += 1
            }
        }
        self.names = names
        self.fingerprint = fingerprint
        entryCount = count
    }

    /// Returns true if reading everything backward and key by key gives the same content.
    static func isSame(otherWays engine: Engine) throws(StorageError) -> Bool {
        for namespace in engine.namespaces {
            let forward = try engine.entries(in: namespace.id)
            let backward = try engine.entries(in: namespace.id, order: .reversed)
            guard forward.count == backward.count else { return false }
            for (a, b) in zip(forward, backward.reversed()) where a.key != b.key || a.value != b.value { return false }
            let values = try engine.values(forKeys: forward.map(\.key), in: namespace.id)
            for (a, value) in zip(forward, values) where a.value != value { return false }
        }
        return true
    }
}
