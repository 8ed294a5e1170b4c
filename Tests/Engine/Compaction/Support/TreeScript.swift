import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation

/// A tree drawn as text, one segment a line, for tests that need no files:
/// ```
/// L0 9 a..m 16                    level, number, first and last key, KiB
/// L6 3 b..z 400 deletes=20 purgeable=30@7 expiring=10@50 seq=1-9 ns=2
/// ```
/// A segment has 100 entries. `@` gives the largest purgeable sequence, or the last expiry. In L0 the order of lines is
/// that of age, newest first.
struct TreeScript {
    let version: Version
    var options: CompactionOptions
    var horizon: Horizon

    /// Options with 100 KiB at the base level and four times as much in each level below it. L0 does not wait beyond
    /// its trigger.
    static var smallOptions: CompactionOptions {
        var options = CompactionOptions()
        options.l0Trigger = 4
        options.l0TriggerMax = 4
        options.baseLevelBytes = 100 << 10
        options.fanOut = 4
        options.erasedBytesMin = 10 << 10
        return options
    }

    init(
        _ text: String, snapshots: [ReadPoint] = [], time: Int64 = 100,
        erasures: [NamespaceID: Erasure] = [NamespaceID(rawValue: 1): Erasure()]
    ) throws {
        let directory = try SimulatedFileSystem().openDirectory("/", create: true)
        let environment = SegmentEnvironment(memoryBudget: 1 << 20, openFileLimit: 8)
        var levels: [[Segment]] = Array(repeating: [], count: FormatLimits.levels)
        var age = UInt64(1000)
        for line in text.split(separator: "\n") where !line.allSatisfy({ $0 == " " }) {
            let words = line.split(separator: " ").map(String.init)
            let level = Int(words[0].dropFirst()) ?? 0
            age -= 1
            levels[level].append(
                Segment(
                    metadata: TreeScript.metadata(words, level == 0 ? age : 5), directory: directory,
                    environment: environment))
        }
        version = Version(levels: levels)
        options = TreeScript.smallOptions
        horizon = Horizon(snapshots: snapshots, wallMilliseconds: time, erasures: erasures)
    }

    private static func metadata(_ words: [String], _ sequence: UInt64) -> SegmentMetadata {
        let bounds = words[2].split(separator: ".").map(String.init)
        let bytes = (UInt64(words[3]) ?? 1) << 10
        var attributes: [String: String] = [:]
        for word in words[4...] {
            let parts = word.split(separator: "=").map(String.init)
            attributes[parts[0]] = parts[1]
        }
        func pair(_ name: String, _ separator: Character) -> (UInt64, UInt64)? {
            guard let parts = attributes[name]?.split(separator: separator), parts.count == 2 else { return nil }
            return (UInt64(parts[0]) ?? 0, UInt64(parts[1]) ?? 0)
        }
        let id = NamespaceID(rawValue: attributes["ns"].flatMap { UInt32($0) } ?? 1)
        var slice = SliceRecord(namespace: id, firstBlock: 0)
        slice.blockCount = 1
        slice.entryCount = 100
        slice.storedBytes = bytes
        slice.dataBytes = bytes
        slice.deleteCount = attributes["deletes"].flatMap { UInt64($0) } ?? 0
        (slice.minSequence, slice.maxSequence) = pair("seq", "-") ?? (sequence, sequence)
        if let (count, newest) = pair("purgeable", "@") {
            (slice.purgeableCount, slice.maxPurgeableSequence) = (count, newest)
        }
        if let (count, last) = pair("expiring", "@") {
            (slice.expirableCount, slice.minExpiry, slice.maxExpiry) = (count, 1, Int64(last))
        }
        let prefix = EncodedKey.start(of: id)
        return SegmentMetadata(
            number: UInt64(words[1]) ?? 0, fileBytes: bytes, createdMilliseconds: 0,
            smallestKey: prefix + Array(bounds[0].utf8), largestKey: prefix + Array(bounds[bounds.count - 1].utf8),
            slices: [slice])
    }

    func picker(busy: Set<UInt64> = []) -> CompactionPicker {
        CompactionPicker(version: version, options: options, horizon: horizon, busy: busy)
    }

    /// Returns the picked job as text.
    func pick(l0Only: Bool = false, busy: Set<UInt64> = []) -> String {
        TreeScript.describe(picker(busy: busy).pick(l0Only: l0Only))
    }

    /// Returns a job as text, such as "merge L0[9 8] L6[3] to L6".
    static func describe(_ job: CompactionJob?) -> String {
        guard let job else { return "nothing" }
        let inputs = job.inputs.map { "L\($0.level)[\($0.segments.map { "\($0.number)" }.joined(separator: " "))]" }
        let target = job.kind == .drop || job.kind == .rewrite ? "" : " to L\(job.outputLevel)"
        return "\(job.kind.rawValue) \(inputs.joined(separator: " "))\(target)"
    }
}
