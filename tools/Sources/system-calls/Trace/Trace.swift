import Foundation

/// The system calls of a trace, in the order in which they began.
struct Trace {
    let calls: [Call]

    init(contentsOf path: String) throws {
        self.init(String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self))
    }

    /// Parses the output of `strace -f -y`.
    ///
    /// A call that another thread interrupts is on two lines, which are joined. Calls that a signal interrupted had no
    /// effect and are left out: only their repetition matters.
    init(_ text: String) {
        var calls: [Call] = []
        var unfinished: [Substring: (text: Substring, begin: Int)] = [:]
        for (number, line) in text.split(separator: "\n").enumerated() {
            guard let space = line.firstIndex(of: " ") else { continue }
            let process = line[..<space]
            let rest = line[space...].drop { $0 == " " }
            if rest.hasSuffix("<unfinished ...>") {
                unfinished[process] = (rest.dropLast("<unfinished ...>".count), number)
            } else if rest.hasPrefix("<... "), let resumed = rest.range(of: " resumed>") {
                guard let start = unfinished.removeValue(forKey: process) else { continue }
                let whole = start.text + rest[resumed.upperBound...]
                if let call = Call(whole[...], begin: start.begin, end: number) { calls.append(call) }
            } else if let call = Call(rest, begin: number, end: number) {
                calls.append(call)
            }
        }
        calls.removeAll { $0.isInterrupted }
        self.calls = calls.sorted { $0.begin < $1.begin }
    }
}

/// The references in a manifest's edit: DESIGN.md, "Manifest", parsed independently of the engine.
enum ManifestFact: Equatable {
    case logFloor(UInt64)
    case newestLog(UInt64)
    case segmentAdded(UInt64)
    case segmentRemoved(UInt64)

    private static let chunkHeader = 20
    private static let blockBytes = 32 << 10
    private static let whole: UInt8 = 1

    /// Returns the facts in bytes that were written to a manifest at `offset`. Ignores records of more than one chunk:
    /// a store of this size has none.
    static func decode(_ bytes: [UInt8], at offset: Int) -> [ManifestFact] {
        var facts: [ManifestFact] = []
        var index = offset == 0 ? 64 : 0
        while index + chunkHeader <= bytes.count {
            let room = blockBytes - (offset + index) % blockBytes
            guard room >= chunkHeader else {
                index += room
                continue
            }
            let length = Int(word(bytes, index + 8, 2))
            let end = index + chunkHeader + length
            guard end <= bytes.count else { break }
            if bytes[index + 10] == whole { facts += edit(Array(bytes[(index + chunkHeader)..<end])) }
            index = end
        }
        return facts
    }

    private static func edit(_ bytes: [UInt8]) -> [ManifestFact] {
        var facts: [ManifestFact] = []
        var index = 0
        while index + 6 <= bytes.count {
            let payload = index + 6
            switch word(bytes, index, 2) {
            case 4: facts.append(.logFloor(word(bytes, payload, 8)))
            case 5: facts.append(.newestLog(word(bytes, payload, 8)))
            case 12, 16: facts.append(.segmentAdded(word(bytes, payload + 1, 8)))
            case 13: facts.append(.segmentRemoved(word(bytes, payload, 8)))
            default: break
            }
            index = payload + Int(word(bytes, index + 2, 4))
        }
        return facts
    }

    static func word(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> UInt64 {
        guard offset + size <= bytes.count else { return 0 }
        return bytes[offset..<(offset + size)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
