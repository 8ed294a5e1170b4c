import Shale
import ShaleInspection

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the process that has a store open says of it.
struct OwnerFigures: Encodable {
    /// In its own name space of processes.
    let processID: UInt64
    let openedAt: String
    /// When something last changed.
    let at: String
    let operations: UInt64
    /// Bytes written to files for each byte written by callers, since opening; `nil` while none was.
    let writeAmplification: Double?
    let memoryBudget: UInt64
    let memtableBytes: UInt64
    let tableBytes: UInt64
    /// 0 = writers run freely … 100 = they wait.
    let pressurePercent: UInt64
    let isPoisoned: Bool

    init(_ running: RunningStatistics) {
        processID = running.processID
        openedAt = OwnerFigures.text(running.openedMilliseconds)
        at = OwnerFigures.text(running.atMilliseconds)
        operations = running.operations
        writeAmplification = running.writeAmplification.map(OwnerFigures.rounded)
        memoryBudget = running.memoryBudget
        memtableBytes = running.memtableBytes
        tableBytes = running.tableBytes
        pressurePercent = running.pressurePercent
        isPoisoned = running.isPoisoned
    }

    private static func text(_ milliseconds: Int64) -> String {
        timestamp(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }

    static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    var text: String {
        var text = "open in process \(processID) since \(openedAt): memtables \(Figures.bytes(memtableBytes))"
        if let writeAmplification { text += ", written \(Figures.decimal(writeAmplification, 2)) ×" }
        if pressurePercent > 0 { text += ", writers are slowed (\(pressurePercent) %)" }
        return text + (isPoisoned ? "; poisoned: it has to be opened again" : "")
    }
}

/// The cache of blocks of the process that has a store open. One that only reads has its own, which tells nothing.
struct CacheFigures: Encodable {
    let capacityBytes: UInt64
    let bytes: UInt64
    let hits: UInt64
    let misses: UInt64
    /// `nil` without lookups.
    let hitRate: Double?

    enum CodingKeys: String, CodingKey, CaseIterable { case capacityBytes, bytes, hits, misses, hitRate }

    init(_ running: RunningStatistics) {
        capacityBytes = running.cacheCapacityBytes
        bytes = running.cacheBytes
        hits = running.cacheHits
        misses = running.cacheMisses
        hitRate = running.cacheHitRate().map(OwnerFigures.rounded)
    }

    var text: String {
        "cache \(Figures.bytes(bytes)) of \(Figures.bytes(capacityBytes))"
            + (hitRate.map { "; \(Figures.decimal($0 * 100)) % of \(Figures.count(hits + misses)) lookups hit" } ?? "")
    }
}

/// `null` where there is nothing, instead of no member.
struct Nullable<Value: Encodable>: Encodable {
    let value: Value?

    init(_ value: Value?) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let value { try container.encode(value) } else { try container.encodeNil() }
    }
}
