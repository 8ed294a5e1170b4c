#if SHALE_SCHEDULES
    import ShalePlatform

    /// A program: what its threads do, and what goes wrong.
    struct Program: Sendable, Equatable {
        static let keyCount = 3

        /// A call of the file system that fails.
        enum Fault: String, CaseIterable, Sendable {
            case none
            /// The n-th sync of a log reports that its data is lost, to one of those that run.
            case syncLog
            /// The n-th sync of a segment, of a manifest, of a directory.
            case syncSegment, syncManifest, syncDirectory
            case writeLog, writeSegment, writeManifest
            case rename, remove
            /// There is no space for the n-th reservation and those behind it.
            case preallocate
            /// Files can't be made from the n-th on: the disk is full.
            case create
        }

        /// A power loss, or the death of the process.
        struct Crash: Sendable, Equatable {
            enum Moment: Sendable, Equatable {
                /// Before, in or after a call of the file system: three moments for each, counted from 0.
                case fileCall(Int)
                /// Directly after so many calls of the clients have returned: what they promise has to hold now.
                case returned(Int)
            }

            var moment: Moment
            /// An index of `CrashKind.all`.
            var kind: Int
        }

        var threads: [[Action]]
        /// True if the engine has threads of its own.
        var hasBackground = false
        var fault = Fault.none
        /// The number of the matching call that fails, from 1.
        var faultAt = 1
        /// The number of deadlines that may pass although a thread could run.
        var earlyTimeouts = 0
        /// True if the block cache has no room.
        var hasTinyCache = false
        var crash: Crash?

        init(threads: [[Action]], hasBackground: Bool = false) {
            self.threads = threads
            self.hasBackground = hasBackground
        }

        /// Draws a program from `seed`.
        init(seed: UInt64) {
            let random = SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
            if random.below(8) == 0 {
                self = SmallPrograms.written[random.below(SmallPrograms.written.count)]
                if crash == nil, random.below(2) == 0 { crash = Crash(random, callCount: threads.joined().count) }
                return
            }
            let threadCount = 2 + random.below(2)
            let taste = Taste(random)
            threads = (0..<threadCount).map { _ in
                (0..<(1 + random.below(4))).flatMap { _ in taste.draw(random) }
            }
            hasBackground = random.below(3) == 0
            if random.below(3) == 0 {
                fault = Fault.allCases[random.below(Fault.allCases.count)]
                faultAt = 1 + random.below(4)
            }
            earlyTimeouts = hasBackground ? random.below(6) : 0
            hasTinyCache = random.below(2) == 0
            if random.below(2) == 0 { crash = Crash(random, callCount: threads.joined().count) }
        }

        /// True if any thread performs an action of this kind.
        func has(_ isMeant: (Action) -> Bool) -> Bool { threads.contains { $0.contains(where: isMeant) } }
    }

    extension Program.Crash {
        /// Draws a crash of a program with `callCount` calls.
        fileprivate init(_ random: SeededRandom, callCount: Int) {
            kind = random.below(7)
            // File calls near the beginning are drawn more often: most programs make a few dozen.
            moment =
                random.below(2) == 0
                ? .fileCall(random.below(1 + random.below(120))) : .returned(1 + random.below(callCount))
        }
    }

    /// The kind of most actions of a program, so that actions that affect each other meet.
    private enum Taste: Int, CaseIterable {
        case anything, writing, reading, control, copies, observing, rotation

        init(_ random: SeededRandom) {
            self = Taste.allCases[random.below(Taste.allCases.count)]
        }

        func draw(_ random: SeededRandom) -> [Action] {
            let key = random.below(Program.keyCount)
            let isSynced = random.below(2) == 0
            // A third of all actions write, whatever the taste is, and a fifth are of any kind.
            switch random.below(15) {
            case 0...4: return [Taste.write(key, isSynced, random, large: self == .rotation ? 2 : 8)]
            case 5...7: return Taste.any(key, isSynced, random)
            default: break
            }
            switch self {
            case .anything: return Taste.any(key, isSynced, random)
            case .writing:
                return random.below(3) == 0 ? [.sync] : [Taste.write(key, isSynced, random, large: 8)]
            case .reading: return Taste.read(key, random)
            case .control:
                return [[Action.truncate, .purge, .purge, .drop, .sync, .flush][random.below(6)]]
            case .copies:
                return [[Action.checkpoint, .checkpoint, .backUp, .flush, .purge, .truncate, .drop][random.below(7)]]
            case .observing: return Taste.observation(random)
            case .rotation:
                switch random.below(4) {
                case 0: return [.sync]
                case 1: return [.flush]
                default: return [Taste.write(key, isSynced, random, large: 1)]
                }
            }
        }

        private static func write(_ key: Int, _ isSynced: Bool, _ random: SeededRandom, large: Int) -> Action {
            switch random.below(8) {
            case 0: .delete(key: key, isSynced: isSynced)
            case 1: .putAll(isSynced: isSynced)
            default:
                .put(
                    key: key, isSynced: isSynced, isPurgeable: random.below(3) == 0, isLarge: random.below(large) == 0)
            }
        }

        private static func read(_ key: Int, _ random: SeededRandom) -> [Action] {
            switch random.below(8) {
            case 0, 1: [.get(key: key)]
            case 2: [.scan]
            case 3: [.hold, .readHeld(key: key)]
            case 4: [.hold, .readHeld(key: key), .readHeld(key: (key + 1) % Program.keyCount), .letGo]
            case 5: [.open, .step]
            case 6: [.open, .step, .step, .endCursor]
            default: [.compact]
            }
        }

        private static func observation(_ random: SeededRandom) -> [Action] {
            switch random.below(4) {
            case 0: [.observe]
            case 1: [.observe, .awaitChange]
            default: [.awaitChange]
            }
        }

        private static func any(_ key: Int, _ isSynced: Bool, _ random: SeededRandom) -> [Action] {
            switch random.below(32) {
            case 0...4: return [write(key, isSynced, random, large: 8)]
            case 5, 6: return [.get(key: key)]
            case 7: return [.scan]
            case 8: return [.hold]
            case 9: return [.readHeld(key: key)]
            case 10: return [.letGo]
            case 11: return [.open]
            case 12: return [.step]
            case 13: return [random.below(2) == 0 ? .seek(key: key) : .endCursor]
            case 14, 15: return [.copy(from: key, to: (key + 1) % Program.keyCount)]
            case 16, 17: return [.sync]
            case 18, 19: return [.flush]
            case 20: return [.truncate]
            case 21: return [.purge]
            case 22: return [.drop]
            case 23: return [.compact]
            case 24: return [.checkpoint]
            case 25: return [.backUp]
            case 26: return [.reclaim]
            case 27: return [.collect]
            case 28: return [.sleep(milliseconds: 120 * (1 + random.below(3)))]
            case 29: return [.observe]
            case 30: return [.awaitChange]
            default: return [.close]
            }
        }
    }

    // MARK: Text

    extension Program.Crash: CustomStringConvertible {
        var description: String {
            switch moment {
            case .fileCall(let call): "\(kind)@\(call)"
            case .returned(let count): "\(kind)@r\(count)"
            }
        }

        /// Reads ``description``; nil if `text` is no crash.
        fileprivate init?(_ text: String) {
            let parts = text.split(separator: "@")
            guard parts.count == 2, let kind = Int(parts[0]) else { return nil }
            let isReturn = parts[1].hasPrefix("r")
            guard let count = Int(parts[1].drop { $0 == "r" }) else { return nil }
            self.init(moment: isReturn ? .returned(count) : .fileCall(count), kind: kind)
        }
    }

    extension Program: CustomStringConvertible {
        var description: String {
            var words: [String] = []
            if hasBackground { words.append("background") }
            if hasTinyCache { words.append("tinyCache") }
            if earlyTimeouts > 0 { words.append("early=\(earlyTimeouts)") }
            if fault != .none { words.append("fault=\(fault.rawValue)@\(faultAt)") }
            if let crash { words.append("crash=\(crash)") }
            let calls = threads.map { $0.map(\.description).joined(separator: "; ") }
            return ([words.joined(separator: " ")] + calls).joined(separator: " | ")
        }

        /// Reads ``description``; nil if `text` is no program.
        init?(_ text: String) {
            let parts = text.split(separator: "|", omittingEmptySubsequences: false)
            var program = Program(threads: [])
            for word in parts[0].split(separator: " ") {
                let pair = word.split(separator: "=", maxSplits: 1).map { String($0) }
                let place = (pair.count == 2 ? pair[1] : "").split(separator: "@").map { String($0) }
                switch (pair[0], pair.count) {
                case ("background", 1): program.hasBackground = true
                case ("tinyCache", 1): program.hasTinyCache = true
                case ("early", 2):
                    guard let count = Int(pair[1]) else { return nil }
                    program.earlyTimeouts = count
                case ("fault", 2):
                    guard place.count == 2, let fault = Fault(rawValue: place[0]), let at = Int(place[1]) else {
                        return nil
                    }
                    (program.fault, program.faultAt) = (fault, at)
                case ("crash", 2):
                    guard let crash = Crash(pair[1]) else { return nil }
                    program.crash = crash
                default: return nil
                }
            }
            for part in parts.dropFirst() {
                var actions: [Action] = []
                for word in part.split(separator: ";") {
                    guard let action = Action(word) else { return nil }
                    actions.append(action)
                }
                program.threads.append(actions)
            }
            self = program
        }
    }
#endif
