import ShaleBase
import ShalePlatform
import Synchronization

/// The sizes from which values go to value files: one for the store, and others for some namespaces. Thread-safe.
///
/// A write compares the size of its value with the least of them, and looks its namespace up only if the value is that
/// large. Small values cost one load.
final class ValueThresholds: Sendable {
    /// The size of the store; `Int.max` for never.
    private let standard: Int
    private let named = Locked<[NamespaceID: Int]>([:])
    private let leastBytes: Atomic<Int>

    /// - Parameter standard: The option ``Engine/Options/largeValueBytes``; 0 for never.
    init(_ standard: Int) {
        self.standard = ValueThresholds.bytes(standard)
        leastBytes = Atomic(ValueThresholds.bytes(standard))
    }

    private static func bytes(_ option: Int) -> Int { option > 0 ? option : .max }

    /// No smaller value of any namespace goes to a value file.
    @inline(__always)
    var least: Int { leastBytes.load(ordering: .relaxed) }

    /// True if a value of `count` bytes goes to a value file.
    @inline(__always)
    func takes(_ count: Int, in namespace: NamespaceID) -> Bool { count >= least && isLarge(count, namespace) }

    @inline(never)
    private func isLarge(_ count: Int, _ namespace: NamespaceID) -> Bool {
        count >= named.withLock { $0[namespace] ?? standard }
    }

    /// Sets the size of a namespace; `nil` means that of the store.
    func set(_ option: Int?, of namespace: NamespaceID) {
        named.withLock { named in
            named[namespace] = option.map(ValueThresholds.bytes)
            leastBytes.store(named.values.reduce(standard, min), ordering: .relaxed)
        }
    }
}

extension Engine {
    /// Sets the size from which values of one namespace go to value files, until the engine is closed.
    ///
    /// Writes that begin later follow it. It is not stored with the namespace: a caller that stores it sets it after
    /// each opening, before the first write.
    ///
    /// - Parameters:
    ///   - bytes: 64 … 32 MiB, 0 for never, or `nil` for ``Options/largeValueBytes``.
    ///   - namespace: The namespace.
    /// - Throws: `.invalidArgument` if `bytes` is out of bounds.
    /// - Complexity: O(namespaces that have a size of their own).
    public func setLargeValueBytes(_ bytes: Int?, of namespace: NamespaceID) throws(StorageError) {
        if let bytes, bytes != 0, !(64...FormatLimits.valueBytes).contains(bytes) {
            throw .invalid("largeValueBytes=\(bytes) is not in 64 ... \(FormatLimits.valueBytes)")
        }
        adoptLargeValueBytes(bytes, of: namespace)
    }

    /// Does the same for a size that is within bounds.
    package func adoptLargeValueBytes(_ bytes: Int?, of namespace: NamespaceID) {
        guard let bytes else { return core.thresholds.set(nil, of: namespace) }
        if bytes > 0 {
            // The present log may have no references: the first large value begins the next one.
            core.spareLog?.allowReferences()
            // Without that thread the flushes sync the values, later.
            do { try core.background?.startValueSyncs() } catch { core.counters.backgroundFailures.add(1) }
        }
        core.thresholds.set(bytes, of: namespace)
    }
}
