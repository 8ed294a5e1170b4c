import ShaleBase
import ShaleEngine

/// The expected content of the store, reduced to a fingerprint that does not depend on order.
struct Oracle {
    private struct Stored {
        let hash: UInt64
        let isPurgeable: Bool
    }

    private struct Content {
        var entries: [[UInt8]: Stored] = [:]
        var optionsHash: UInt64 = 0
    }

    private var namespaces: [String: Content] = [:]
    private(set) var fingerprint: UInt64 = 0

    /// Applies a step of a script as if it had succeeded.
    mutating func apply(_ step: CrashStep, index: Int) {
        switch step {
        case .create(let name): if namespaces[name] == nil { namespaces[name] = Content() }
        case .write(let mutations, _):
            for (i, mutation) in mutations.enumerated() { apply(mutation, mutation.value(step: index, index: i)) }
        case .setOptions(let name, let options):
            let hash = Oracle.hash(options: options, of: name)
            fingerprint &+= hash &- (namespaces[name]?.optionsHash ?? 0)
            namespaces[name]?.optionsHash = hash
        case .purge(let names): for name in names { remove(from: name) { $0.isPurgeable } }
        case .truncate(let names): for name in names { remove(from: name) { _ in true } }
        case .drop(let names):
            for name in names {
                remove(from: name) { _ in true }
                fingerprint &-= namespaces[name]?.optionsHash ?? 0
                namespaces[name] = nil
            }
        case .sync, .flush, .compact, .reclaim, .checkpoint, .reopen, .suspend, .idle, .busy, .work: break
        }
    }

    private mutating func apply(_ mutation: Mutation, _ value: [UInt8]) {
        if let old = namespaces[mutation.namespace]?.entries.removeValue(forKey: mutation.key) {
            fingerprint &-= old.hash
        }
        guard mutation.valueBytes != nil else { return }
        let hash = Oracle.hash(entry: mutation.key, value, in: mutation.namespace)
        fingerprint &+= hash
        namespaces[mutation.namespace]?.entries[mutation.key] = Stored(hash: hash, isPurgeable: mutation.isPurgeable)
    }

    private mutating func remove(from name: String, _ isErased: (Stored) -> Bool) {
        for (key, stored) in namespaces[name]?.entries ?? [:] where isErased(stored) {
            fingerprint &-= stored.hash
            namespaces[name]?.entries[key] = nil
        }
    }

    static func hash(entry key: [UInt8], _ value: [UInt8], in namespace: String) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(namespace)
        hasher.combine(key.count)
        unsafe key.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        unsafe value.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    static func hash(options: [UInt8], of namespace: String) -> UInt64 {
        guard !options.isEmpty else { return 0 }
        return hash(entry: Array("(options)".utf8), options, in: namespace)
    }
}

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
