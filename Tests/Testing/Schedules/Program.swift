#if SHALE_SCHEDULES
    import ShalePlatform

    /// What a client thread does, in order.
    enum Action: Sendable, Equatable {
        case put(key: Int, isSynced: Bool, isPurgeable: Bool)
        case delete(key: Int, isSynced: Bool)
        /// One batch that sets all keys.
        case putAll(isSynced: Bool)
        case get(key: Int)
        /// All keys through a cursor.
        case scan
        /// All keys one after the other at one snapshot.
        case readSnapshot
        /// Reads one key and sets another, in a transaction.
        case copy(from: Int, to: Int)
        case sync, flush, truncate, purge, compact, reclaim, checkpoint, close
    }

    extension Action {
        /// Whether it writes memtables to segments, or compacts.
        var mayFlush: Bool {
            switch self {
            case .flush, .compact, .reclaim, .checkpoint, .close: true
            default: false
            }
        }
    }

    /// A program: what its threads do, and what goes wrong.
    struct Program: Sendable {
        static let keyCount = 3

        enum Fault: Sendable, Equatable {
            case none
            /// The n-th sync of a log reports an error, to one of those that run.
            case syncFails(Int)
            /// Files can't be made from the n-th on: the disk is full.
            case createFails(Int)
        }

        var threads: [[Action]]
        /// Whether the engine has threads of its own.
        var hasBackground: Bool
        var fault = Fault.none
        /// How often a deadline may pass although a thread could run.
        var earlyTimeouts = 0
        /// The file operation before which the machine crashes, nil for none.
        var crashAt: Int?

        /// Draws a program from `seed`.
        init(seed: UInt64) {
            let random = SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
            let threadCount = 2 + random.below(2)
            threads = (0..<threadCount).map { _ in
                (0..<(1 + random.below(4))).map { _ in Program.drawAction(random) }
            }
            hasBackground = random.below(3) == 0
            switch random.below(6) {
            case 0: fault = .syncFails(1 + random.below(4))
            case 1: fault = .createFails(1 + random.below(3))
            default: break
            }
            earlyTimeouts = hasBackground ? random.below(4) : 0
            if random.below(2) == 0 { crashAt = random.below(60) }
        }

        init(threads: [[Action]], hasBackground: Bool = false) {
            self.threads = threads
            self.hasBackground = hasBackground
        }

        private static func drawAction(_ random: SeededRandom) -> Action {
            let key = random.below(keyCount)
            let isSynced = random.below(2) == 0
            switch random.below(24) {
            case 0...6: return .put(key: key, isSynced: isSynced, isPurgeable: random.below(3) == 0)
            case 7: return .delete(key: key, isSynced: isSynced)
            case 8, 9: return .putAll(isSynced: isSynced)
            case 10, 11: return .get(key: key)
            case 12: return .scan
            case 13: return .readSnapshot
            case 14: return .copy(from: key, to: (key + 1) % keyCount)
            case 15, 16: return .sync
            case 17: return .flush
            case 18: return .truncate
            case 19: return .purge
            case 20: return .compact
            case 21: return .checkpoint
            case 22: return .reclaim
            default: return .close
            }
        }
    }
#endif
