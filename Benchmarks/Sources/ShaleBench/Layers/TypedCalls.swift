import Posix
import Shale
import ShaleEngine

/// The same entries through the store's typed calls and through the engine's, in two namespaces of one store.
struct TypedCalls<Value: StorableValue & Equatable> {
    let namespace: Namespace
    let engine: Engine
    let id: NamespaceID
    let ring: ValueRing<Value>
    /// True if the engine's result is copied: reading a string copies too, reading a number does not.
    let copies: Bool

    @inline(never)
    func setTyped(_ keys: VisitedKeys, _ range: Range<Int>) throws {
        for position in range {
            try namespace.set(ring.value(keys.items[position]), forKey: keys.texts[position])
        }
    }

    @inline(never)
    func setBytes(_ keys: VisitedKeys, _ range: Range<Int>) throws {
        try keys.forEach(in: range) { position, key in
            try ring.withStored(keys.items[position]) { try engine.put($0, forKey: key, in: id) }
        }
    }

    /// Compares every value, as a caller would read it.
    @inline(never)
    func getTyped(_ keys: VisitedKeys, _ range: Range<Int>) throws {
        for position in range {
            let value = try namespace.value(forKey: keys.texts[position], as: Value.self)
            guard value == ring.value(keys.items[position]) else { throw wrong(keys, position) }
        }
    }

    @inline(never)
    func getBytes(_ keys: VisitedKeys, _ range: Range<Int>) throws {
        try keys.forEach(in: range) { position, key in
            let isRight = try ring.withStored(keys.items[position]) { stored -> Bool? in
                guard copies else {
                    return try engine.withValue(forKey: key, in: id) { $0.isEqual(to: stored) }
                }
                return try engine.value(forKey: key, in: id).map { unsafe $0.span.bytes.isEqual(to: stored) }
            }
            guard isRight == true else { throw wrong(keys, position) }
        }
    }

    private func wrong(_ keys: VisitedKeys, _ position: Int) -> BenchError { .wrong("item \(keys.items[position])") }
}

extension RawSpan {
    @inline(__always)
    fileprivate func isEqual(to other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        return unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { other in
                guard let a = own.baseAddress, let b = other.baseAddress else { return true }
                return unsafe memcmp(a, b, own.count) == 0
            }
        }
    }
}
