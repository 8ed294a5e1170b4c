import TestSupport
import Testing

/// One step of a script that is run with crashes and failures. Plain data, so that a failure names it.
enum CrashStep: Sendable {
    case create(String)
    /// One batch; of one mutation, a single put or delete.
    case write([Mutation], synced: Bool)
    case setOptions(String, [UInt8])
    case purge([String])
    case truncate([String])
    case drop([String])
    case sync
    case flush
    case compact
    case reclaim
    case checkpoint(String)
    /// Closes and opens again.
    case reopen
    /// What is done between writes: the logs' space given back, the spare log, a mark.
    case idle
    /// What is done while writers are busy: space reserved ahead of them.
    case busy
    /// What threads would do meanwhile, when it is deferred.
    case work

    /// Whether it takes sequences, that is, makes another state of the store.
    var isSequenced: Bool {
        switch self {
        case .write, .setOptions, .purge, .truncate, .drop: true
        default: false
        }
    }

    /// Whether everything before it is durable when it has returned.
    var isBarrier: Bool {
        switch self {
        case .write(_, let synced): synced
        case .setOptions, .purge, .truncate, .drop, .sync, .flush, .compact, .reclaim, .checkpoint, .reopen: true
        case .create, .idle, .busy, .work: false
        }
    }

    static func put(
        _ namespace: String, _ key: Int, bytes: Int = 24, purgeable: Bool = false, synced: Bool = false
    ) -> CrashStep {
        .write([Mutation(namespace, key, bytes: bytes, purgeable: purgeable)], synced: synced)
    }

    static func delete(_ namespace: String, _ key: Int, synced: Bool = false) -> CrashStep {
        .write([Mutation(deleting: key, from: namespace)], synced: synced)
    }
}

/// A put or delete. Its value follows from its number: every mutation writes another one.
struct Mutation: Sendable {
    let namespace: String
    let key: [UInt8]
    /// nil: a delete.
    let valueBytes: Int?
    let isPurgeable: Bool

    init(_ namespace: String, _ key: Int, bytes: Int, purgeable: Bool = false) {
        self.namespace = namespace
        self.key = Mutation.key(key)
        valueBytes = bytes
        isPurgeable = purgeable
    }

    init(deleting key: Int, from namespace: String) {
        self.namespace = namespace
        self.key = Mutation.key(key)
        valueBytes = nil
        isPurgeable = false
    }

    private static func key(_ number: Int) -> [UInt8] { Array("key\(number)".utf8) }

    /// The value that this mutation writes as the `index`-th of the script's step `step`: half of it compresses.
    func value(step: Int, index: Int) -> [UInt8] {
        guard let valueBytes else { return [] }
        var state = UInt64(step * 1000 + index) &* 0x9E37_79B9_7F4A_7C15 | 1
        var value = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: valueBytes)
        for i in 0..<min(valueBytes, max(16, valueBytes / 16)) {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            value[i] = UInt8(truncatingIfNeeded: state)
        }
        return value
    }
}

/// A named list of steps.
struct CrashScript: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: [CrashStep]

    init(_ name: String, _ steps: [CrashStep]) {
        self.name = name
        self.steps = steps
    }

    var testDescription: String { name }

    /// All scripts, or the one that the variable `SCRIPT` names: what a failure's message says.
    static var selected: [CrashScript] { selected(of: all) }

    static func selected(of scripts: [CrashScript]) -> [CrashScript] {
        guard let name = Ring.setting("SCRIPT") else { return scripts }
        return scripts.filter { $0.name == name }
    }
}
