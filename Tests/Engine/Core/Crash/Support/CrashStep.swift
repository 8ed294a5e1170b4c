import TestSupport
import Testing

/// One step of a script that is run with crashes and failures. Plain data, so that a failure message can name it.
enum CrashStep: Sendable {
    case create(String)
    /// One batch; with one mutation, a single put or delete.
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
    /// Closes the store and opens it again.
    case reopen
    /// Suspends the store and resumes it.
    case suspend
    /// Runs the idle work between writes: releases the logs' space, prepares the spare log, appends a mark.
    case idle
    /// Runs the work while writers are busy: reserves space ahead of them.
    case busy
    /// Runs deferred background work.
    case work

    /// True if the step takes sequences, so that it makes another state of the store.
    var isSequenced: Bool {
        switch self {
        case .write, .setOptions, .purge, .truncate, .drop: true
        default: false
        }
    }

    /// True if everything before the step is durable when it has returned.
    var isBarrier: Bool {
        switch self {
        case .write(_, let synced): synced
        case .setOptions, .purge, .truncate, .drop, .sync, .flush, .compact, .reclaim, .checkpoint, .reopen,
            .suspend:
            true
        case .create, .idle, .busy, .work: false
        }
    }

    /// True if the step ends the engine and opens another one.
    var endsEngine: Bool {
        switch self {
        case .reopen, .suspend: true
        default: false
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

/// A put or delete. Step and index determine its value, so every mutation writes another one.
struct Mutation: Sendable {
    let namespace: String
    let key: [UInt8]
    /// The length of the value; `nil` for a delete.
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

    /// The same put with a value of another length.
    init(copying other: Mutation, bytes: Int) {
        namespace = other.namespace
        key = other.key
        valueBytes = bytes
        isPurgeable = other.isPurgeable
    }

    private static func key(_ number: Int) -> [UInt8] { Array("key\(number)".utf8) }

    /// Returns the value of the `index`-th mutation of step `step`. Most of it compresses.
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
    /// True if single puts are written in pieces.
    var streamsValues = false

    init(_ name: String, _ steps: [CrashStep]) {
        self.name = name
        self.steps = steps
    }

    var testDescription: String { name }

    /// All scripts, or the one named by the variable `SCRIPT`, as failure messages print it.
    static var selected: [CrashScript] { selected(of: all) }

    static func selected(of scripts: [CrashScript]) -> [CrashScript] {
        guard let name = Ring.setting("SCRIPT") else { return scripts }
        return scripts.filter { $0.name == name }
    }
}
