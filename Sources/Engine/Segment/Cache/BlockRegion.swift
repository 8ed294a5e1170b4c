import ShalePlatform

/// 2 MiB of pages that cached blocks of any size share, in units of 1 KiB.
///
/// The first unit holds the bookkeeping: a bit for each taken unit, and a bit for each unit with which a block begins.
/// The address of any block leads to its region. Guarded by the lock of ``BlockMemory``.
@safe
struct BlockRegion {
    static var byteCount: Int { PageMemory.alignment }
    static var unitBytes: Int { 1 << 10 }
    static var unitCount: Int { byteCount / unitBytes }
    /// The number of units for blocks: the longest run of an empty region.
    static var freeUnitsMax: Int { unitCount - 1 }

    private static var wordCount: Int { unitCount / 64 }
    private static var indexOffset: Int { 2 * 8 * wordCount }
    private static var takenOffset: Int { indexOffset + 8 }

    private let base: UnsafeMutableRawPointer

    /// Initializes a region in pages of ``byteCount`` bytes, aligned to that size.
    init(fresh base: UnsafeMutableRawPointer) {
        unsafe self.base = base
        unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: BlockRegion.unitBytes)
        unsafe taken.pointee = 1
        unsafe takenCount.pointee = 1
    }

    init(of block: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: block) & (UInt(BlockRegion.byteCount) - 1)
        unsafe base = block - Int(address)
    }

    static func units(_ bytes: Int) -> Int { (bytes + unitBytes - 1) / unitBytes }

    private var taken: UnsafeMutablePointer<UInt64> { unsafe base.assumingMemoryBound(to: UInt64.self) }
    private var starts: UnsafeMutablePointer<UInt64> { unsafe taken + BlockRegion.wordCount }
    private var takenCount: UnsafeMutablePointer<Int> {
        unsafe (base + BlockRegion.takenOffset).assumingMemoryBound(to: Int.self)
    }

    /// The region's index in ``BlockMemory``.
    var index: Int {
        get { unsafe base.load(fromByteOffset: BlockRegion.indexOffset, as: Int.self) }
        nonmutating set { unsafe base.storeBytes(of: newValue, toByteOffset: BlockRegion.indexOffset, as: Int.self) }
    }

    var isEmpty: Bool { unsafe takenCount.pointee == 1 }
    var freeUnits: Int { unsafe BlockRegion.unitCount - takenCount.pointee }

    /// Takes the first run of `units` free units. If there is none, returns `nil` and sets `longest` to the longest
    /// run.
    func take(_ units: Int, longest: inout Int) -> UnsafeMutableRawPointer? {
        longest = 0
        var unit = 0
        while let first = next(from: unit, isTaken: false) {
            let end = next(from: first, isTaken: true) ?? BlockRegion.unitCount
            if end - first >= units {
                mark(first, units, isTaken: true)
                unsafe starts[first / 64] |= 1 << UInt64(first % 64)
                return unsafe base + first * BlockRegion.unitBytes
            }
            longest = max(longest, end - first)
            unit = end
        }
        return nil
    }

    /// Frees a block's units. Returns the length of the free run that they are now part of.
    func free(_ block: UnsafeMutableRawPointer, _ units: Int) -> Int {
        let first = unsafe (block - base) / BlockRegion.unitBytes
        mark(first, units, isTaken: false)
        unsafe starts[first / 64] &= ~(1 << UInt64(first % 64))
        let end = next(from: first, isTaken: true) ?? BlockRegion.unitCount
        return end - first + freeUnits(before: first)
    }

    /// Calls `body` with the addresses of all blocks.
    func forEachBlock(_ body: (UnsafeMutableRawPointer) -> Void) {
        for word in 0..<BlockRegion.wordCount {
            var rest = unsafe starts[word]
            while rest != 0 {
                let unit = word * 64 + rest.trailingZeroBitCount
                unsafe body(base + unit * BlockRegion.unitBytes)
                rest &= rest - 1
            }
        }
    }

    // MARK: Bits

    /// Returns the first unit from `unit` on that is taken (or free).
    private func next(from unit: Int, isTaken: Bool) -> Int? {
        guard unit < BlockRegion.unitCount else { return nil }
        let flip: UInt64 = isTaken ? 0 : .max
        var word = unit / 64
        var bits = unsafe (taken[word] ^ flip) & (.max << UInt64(unit % 64))
        while bits == 0 {
            word += 1
            if word == BlockRegion.wordCount { return nil }
            bits = unsafe taken[word] ^ flip
        }
        return word * 64 + bits.trailingZeroBitCount
    }

    /// Returns the number of free units directly before `unit`. Unit 0 is never free.
    private func freeUnits(before unit: Int) -> Int {
        var word = unit / 64
        var bits = unsafe taken[word] & ~(.max << UInt64(unit % 64))
        while bits == 0, word > 0 {
            word -= 1
            bits = unsafe taken[word]
        }
        return unit - 1 - (word * 64 + 63 - bits.leadingZeroBitCount)
    }

    private func mark(_ first: Int, _ units: Int, isTaken: Bool) {
        var unit = first
        let end = first + units
        while unit < end {
            let bit = unit % 64
            let count = min(64 - bit, end - unit)
            let mask = (UInt64.max >> UInt64(64 - count)) << UInt64(bit)
            unsafe taken[unit / 64] = isTaken ? taken[unit / 64] | mask : taken[unit / 64] & ~mask
            unit += count
        }
        unsafe takenCount.pointee += isTaken ? units : -units
    }
}
