import ShaleEngine
import ShalePlatform
import TestSupport

/// The plan for one state of a full disk. The seed and the kinds of disks that can be mounted determine it.
struct DiskPlan {
    enum Filler: CaseIterable {
        /// The store itself fills the disk.
        case store
        /// Another file takes the space that is left after the store was killed or closed.
        case otherFile
    }

    enum End: CaseIterable {
        case killedOnTheWay, killed, closed
    }

    enum Relief: CaseIterable {
        case purge, truncate, drop
        /// Only the space that is released at the end.
        case nothing
    }

    let seed: UInt64
    let kind: MountedDisk.Kind
    let megabytes: Int
    let memtableBytes: Int
    /// The memtable size for opening the store after the child's end.
    let nextMemtableBytes: Int
    let filler: Filler
    let end: End
    let relief: Relief
    let removesReserve: Bool
    let compacts: Bool
    let mapsLogs: Bool
    /// The bytes that the other file leaves free.
    let leftBytes: Int
    /// The child stops after this number of entries if nothing else fills the disk.
    let entriesMax: Int
    /// For `killedOnTheWay`: the number of entries before the kill.
    let entriesBeforeKill: Int
    let valueMax: Int

    init(seed: UInt64, kinds: [MountedDisk.Kind]) {
        self.seed = seed
        let random = SeededRandom(seed: seed)
        kind = kinds[random.below(kinds.count)]
        let sizes = Ring.choose(
            commit: [8, 8, 8, 16], nightly: DiskPlan.allSizes, release: DiskPlan.allSizes)
        // ext4 itself takes several of 8 MiB.
        let megabytes = max(sizes[random.below(sizes.count)], kind == .tmpfs ? 8 : 16)
        self.megabytes = megabytes
        let memtables = (16...22).map { 1 << $0 }.filter { $0 <= (megabytes << 20) / 16 }
        let memtableBytes = memtables[random.below(memtables.count)]
        self.memtableBytes = memtableBytes
        nextMemtableBytes = random.chance(0.7) ? memtableBytes : memtables[random.below(memtables.count)]
        // Filling a large disk by writing takes too long.
        filler = megabytes > 64 || random.chance(0.5) ? .otherFile : .store
        end = End.allCases[random.below(End.allCases.count)]
        relief = Relief.allCases[random.below(Relief.allCases.count)]
        removesReserve = random.chance(0.5)
        compacts = random.chance(0.3)
        mapsLogs = random.chance(0.5)
        leftBytes = [0, 0, 0, 4 << 10, 100 << 10, 700 << 10][random.below(6)]
        // At most a few thousand entries, because they are read many times.
        valueMax = max([300, 2000, 9000][random.below(3)], min(megabytes, 64) << 20 / 2000)
        let bytes = filler == .store ? megabytes << 20 : min(megabytes << 20 / 3, random.below(8 << 20))
        entriesMax = filler == .store ? .max : max(10, bytes / valueMax)
        entriesBeforeKill = random.below(max(2, 2 * bytes / valueMax))
    }

    private static let allSizes =
        [Int](repeating: 8, count: 30) + [Int](repeating: 16, count: 30) + [Int](repeating: 32, count: 18)
        + [Int](repeating: 64, count: 12) + [128, 128, 128, 128, 256, 256, 256, 512, 512, 1024]

    var options: Engine.Options { options(memtableBytes) }
    var nextOptions: Engine.Options { options(nextMemtableBytes) }

    private func options(_ memtableBytes: Int) -> Engine.Options {
        var options = Engine.Options()
        options.memtableBytes = memtableBytes
        options.memoryBudget = max(16 << 20, 8 * memtableBytes)
        options.baseLevelBytes = 1 << 20
        options.segmentBytes = 1 << 20
        options.upperSegmentBytes = 256 << 10
        options.mapsLogs = mapsLogs
        options.syncInterval = .milliseconds(50)
        return options
    }

    // MARK: Content

    static let names = [Array("cache".utf8), Array("kept".utf8)]

    /// Returns the namespace of an entry: one in four is kept, the others are purgeable.
    static func space(_ entry: Int) -> Int { entry % 4 == 0 ? 1 : 0 }

    static func key(_ entry: Int) -> [UInt8] { Array("\(entry)".utf8) }

    /// Returns the entry's number, followed by incompressible bytes. Cut out of a pool, because it is called very
    /// often.
    func value(_ entry: Int) -> [UInt8] {
        let word = (seed &+ UInt64(entry)) &* 0x9E37_79B9_7F4A_7C15
        let count = 8 + Int(word >> 40) % valueMax
        let start = Int(word & 0xff_ffff) % (DiskPlan.pool.count - count)
        return DiskPlan.key(entry) + DiskPlan.pool[start..<start + count]
    }

    private static let pool = SeededRandom(seed: 11).bytes(1 << 20)

    func put(_ entry: Int, in spaces: [NamespaceID], of engine: Engine) throws(StorageError) {
        let space = DiskPlan.space(entry)
        try engine.put(
            value(entry), forKey: DiskPlan.key(entry), in: spaces[space], options: PutOptions(isPurgeable: space == 0),
            durability: entry % 256 == 0 ? .synced : .buffered)
    }

    var summary: String {
        "\(kind.rawValue) \(megabytes) MiB, memtable \(memtableBytes >> 10) KiB, filled by \(filler), \(end), \(relief)"
            + (removesReserve ? ", no RESERVE" : "") + ", \(leftBytes >> 10) KiB left"
    }
}
