#if SHALE_SCHEDULES
    /// A call of a client thread. Each has a text form, so that a program can be printed and given back.
    enum Action: Sendable, Equatable {
        /// `isLarge`: a third of a memtable, so that a few of them rotate it.
        case put(key: Int, isSynced: Bool, isPurgeable: Bool, isLarge: Bool)
        case delete(key: Int, isSynced: Bool)
        /// One batch that sets all keys.
        case putAll(isSynced: Bool)
        case get(key: Int)
        /// All keys through a cursor.
        case scan
        /// Reads one key and sets another, in a transaction.
        case copy(from: Int, to: Int)
        /// A snapshot that the thread keeps, reads of it, and its end.
        case hold, readHeld(key: Int), letGo
        /// A cursor that the thread keeps open, steps of it, and its end.
        case open, step, seek(key: Int), endCursor
        /// Observes the changes from now on; waits for one of them.
        case observe, awaitChange
        case sync, flush, truncate, purge, drop, compact, reclaim, checkpoint, backUp, close
        /// Deletes what has been replaced, once no reader can reach it.
        case collect
        /// Lets the clock move, so that timers run.
        case sleep(milliseconds: Int)
    }

    extension Action {
        /// True if the action writes memtables to segments, or compacts.
        var mayFlush: Bool {
            switch self {
            case .flush, .compact, .reclaim, .checkpoint, .backUp, .close: true
            default: false
            }
        }

        /// True if the action may take time of the clock although no other thread waits.
        var takesTime: Bool {
            switch self {
            case .sleep, .awaitChange: true
            default: false
            }
        }
    }

    extension Action: CustomStringConvertible {
        var description: String {
            func flags(_ pairs: (Bool, String)...) -> String { pairs.filter(\.0).map { " " + $0.1 }.joined() }
            switch self {
            case .put(let key, let isSynced, let isPurgeable, let isLarge):
                return "put \(key)" + flags((isSynced, "synced"), (isPurgeable, "purgeable"), (isLarge, "large"))
            case .delete(let key, let isSynced): return "delete \(key)" + flags((isSynced, "synced"))
            case .putAll(let isSynced): return "putAll" + flags((isSynced, "synced"))
            case .get(let key): return "get \(key)"
            case .copy(let from, let to): return "copy \(from) \(to)"
            case .readHeld(let key): return "readHeld \(key)"
            case .seek(let key): return "seek \(key)"
            case .sleep(let milliseconds): return "sleep \(milliseconds)"
            default: return Action.plain.first { $0.action == self }?.name ?? "?"
            }
        }

        private static let plain: [(name: String, action: Action)] = [
            ("scan", .scan), ("hold", .hold), ("letGo", .letGo), ("open", .open), ("step", .step),
            ("endCursor", .endCursor), ("observe", .observe), ("awaitChange", .awaitChange), ("sync", .sync),
            ("flush", .flush), ("truncate", .truncate), ("purge", .purge), ("drop", .drop), ("compact", .compact),
            ("reclaim", .reclaim), ("checkpoint", .checkpoint), ("backUp", .backUp), ("close", .close),
            ("collect", .collect),
        ]

        /// Reads ``description``; nil if `text` is no action.
        init?(_ text: some StringProtocol) {
            let words = text.split(separator: " ").map { String($0) }
            guard let name = words.first else { return nil }
            if words.count == 1, let known = Action.plain.first(where: { $0.name == name }) {
                self = known.action
                return
            }
            let numbers = words.dropFirst().compactMap { Int($0) }
            let flags = Set(words.dropFirst().filter { Int($0) == nil })
            let isSynced = flags.contains("synced")
            switch (name, numbers.count) {
            case ("put", 1):
                self = .put(
                    key: numbers[0], isSynced: isSynced, isPurgeable: flags.contains("purgeable"),
                    isLarge: flags.contains("large"))
            case ("delete", 1): self = .delete(key: numbers[0], isSynced: isSynced)
            case ("putAll", 0): self = .putAll(isSynced: isSynced)
            case ("get", 1): self = .get(key: numbers[0])
            case ("copy", 2): self = .copy(from: numbers[0], to: numbers[1])
            case ("readHeld", 1): self = .readHeld(key: numbers[0])
            case ("seek", 1): self = .seek(key: numbers[0])
            case ("sleep", 1): self = .sleep(milliseconds: numbers[0])
            default: return nil
            }
        }
    }
#endif
