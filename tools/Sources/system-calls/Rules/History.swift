/// The calls on one store, grouped by their effect on its files.
struct History {
    /// A change of a file's content, a sync or a creation; `path` is that of the file or directory.
    struct Event {
        let path: String
        let call: Call
    }

    struct Reference {
        let fact: ManifestFact
        let manifest: String
        let write: Call
    }

    struct Rename {
        let from: String
        let to: String
        let call: Call
    }

    let store: String
    private(set) var opens: [Event] = []
    private(set) var creations: [Event] = []
    private(set) var folders: [Event] = []
    private(set) var writes: [Event] = []
    /// The successful syncs.
    private(set) var syncs: [Event] = []
    private(set) var renames: [Rename] = []
    private(set) var removals: [Event] = []
    /// The failed writes and syncs.
    private(set) var failures: [Event] = []
    private(set) var references: [Reference] = []
    private(set) var marks: [(mark: Mark, call: Call)] = []

    init(_ trace: Trace, store: String) {
        self.store = store
        for call in trace.calls { add(call) }
        references = writes.filter { isManifest($0.path) && $0.call.name == "pwrite64" }.flatMap { write in
            let offset = Int(write.call.arguments[3]) ?? 0
            return ManifestFact.decode(write.call.bytes(1) ?? [], at: offset).map {
                Reference(fact: $0, manifest: write.path, write: write.call)
            }
        }
    }

    private mutating func add(_ call: Call) {
        switch call.name {
        case "openat":
            guard call.succeeded, let path = call.resultPath else { return }
            opens.append(Event(path: path, call: call))
            if call.arguments[2].contains("O_CREAT"), isInside(path) { creations.append(Event(path: path, call: call)) }
        case "mkdirat":
            guard call.succeeded, let path = call.path(1, in: 0), isInside(path) else { return }
            folders.append(Event(path: path, call: call))
        case "pwrite64", "ftruncate", "fallocate": addChange(call, isSync: false)
        case "fsync", "fdatasync": addChange(call, isSync: true)
        case "renameat", "renameat2":
            guard call.succeeded, let from = call.path(1, in: 0), let to = call.path(3, in: 2), isInside(from) else {
                return
            }
            renames.append(Rename(from: from, to: to, call: call))
        case "unlinkat":
            guard call.succeeded, let path = call.path(1, in: 0), isInside(path) else { return }
            removals.append(Event(path: path, call: call))
        case "write":
            if let text = call.text(1), let mark = Mark(rawValue: text) { marks.append((mark, call)) }
        default: break
        }
    }

    private mutating func addChange(_ call: Call, isSync: Bool) {
        guard let path = call.path(0), isInside(path) else { return }
        let event = Event(path: path, call: call)
        if !call.succeeded {
            failures.append(event)
        } else if isSync {
            syncs.append(event)
        }
        if !isSync { writes.append(event) }
    }

    func isInside(_ path: String) -> Bool { path == store || path.hasPrefix(store + "/") }
    func isManifest(_ path: String) -> Bool { path.hasPrefix(store + "/MANIFEST-") }
    func isLog(_ path: String) -> Bool { path.hasPrefix(store + "/wal/") }
    func isSegment(_ path: String) -> Bool { path.hasPrefix(store + "/segments/") }

    func segment(_ number: UInt64) -> String { "\(store)/segments/\(digits(number)).seg" }
    func log(_ number: UInt64) -> String { "\(store)/wal/\(digits(number)).wal" }
    func manifest(_ number: UInt64) -> String { "\(store)/MANIFEST-\(digits(number))" }

    private func digits(_ number: UInt64) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 10 - text.count)) + text
    }

    // MARK: - Questions

    /// Returns true if a sync of `path` that began after `from` ended before `line`.
    func isSynced(_ path: String, after from: Int, before line: Int) -> Bool {
        syncs.contains { $0.path == path && $0.call.begin > from && $0.call.end < line }
    }

    /// Returns true if everything written to the file before `line` was synced by then.
    func isContentSynced(_ path: String, before line: Int) -> Bool {
        guard let last = writes.filter({ $0.path == path && $0.call.begin < line }).map(\.call.end).max() else {
            return true
        }
        return isSynced(path, after: last, before: line)
    }

    /// Returns true if the file's name was durable before `line`; names older than the trace are durable.
    func isNameSynced(_ path: String, before line: Int) -> Bool {
        guard let creation = creations.last(where: { $0.path == path && $0.call.begin < line }),
            let slash = path.lastIndex(of: "/")
        else { return true }
        return isSynced(String(path[..<slash]), after: creation.call.end, before: line)
    }

    /// Returns true if a manifest durably recorded a matching fact before `line`.
    func isRecorded(before line: Int, _ matches: (ManifestFact) -> Bool) -> Bool {
        references.contains { reference in
            matches(reference.fact) && isSynced(reference.manifest, after: reference.write.end, before: line)
        }
    }
}
