import Posix
import Shale
import ShaleEngine

/// The same entries through the store's typed calls and through the engine's, in two namespaces of one store.
struct TypedCalls<Value: StorableValue & Equatable> {
    let namespace: Store.Namespace
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

/// A few hundred values of one type, with their stored bytes.
struct ValueRing<Value: StorableValue & Equatable> {
    static var count: Int { 256 }

    let values: [Value]
    private let bytes: [UInt8]
    private let starts: [Int]

    init(_ make: (UInt64) -> Value) throws {
        values = (0..<Self.count).map { make(mixed(UInt64($0) &+ 1)) }
        var (bytes, starts): ([UInt8], [Int]) = ([], [0])
        for value in values {
            bytes += [value.codec.rawValue, 0]
            try value.withPayload { payload in unsafe payload.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) } }
            starts.append(bytes.count)
        }
        (self.bytes, self.starts) = (bytes, starts)
    }

    /// The average stored size in bytes, including the header.
    var storedBytes: Int { bytes.count / Self.count }

    @inline(__always)
    func value(_ item: Int) -> Value { values[item & (Self.count - 1)] }

    @inline(__always)
    func withStored<R>(_ item: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        let index = item & (Self.count - 1)
        return try unsafe bytes.withUnsafeBytes { buffer in
            let value = unsafe UnsafeRawBufferPointer(rebasing: buffer[starts[index]..<starts[index + 1]])
            return try body(unsafe RawSpan(_unsafeBytes: value))
        }
    }
}

/// Keys in the order of visits, as text and as bytes, so that neither form has to be computed while measuring.
struct VisitedKeys {
    /// The item of each position.
    let items: [Int]
    let texts: [String]
    /// The concatenated keys, ``TypedKey/byteCount`` bytes each.
    let bytes: [UInt8]

    /// Makes `count` keys. If `beginsWithAll`, every item below `entries` comes first, once, in a shuffled order; the
    /// rest is random.
    init(count: Int, of entries: Int, seed: UInt64, beginsWithAll: Bool) {
        let order = Permutation(count: entries, seed: seed)
        items = (0..<count).map { position in
            beginsWithAll && position < entries
                ? order[position] : pick(seed &+ UInt64(position), below: entries)
        }
        texts = items.map(TypedKey.key)
        bytes = texts.flatMap(\.utf8)
    }

    /// Calls `body` with each key of `range`, borrowed as bytes.
    @inline(__always)
    func forEach(in range: Range<Int>, _ body: (Int, RawSpan) throws -> Void) rethrows {
        try unsafe bytes.withUnsafeBytes { buffer in
            for position in range {
                let start = position * TypedKey.byteCount
                let key = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<start + TypedKey.byteCount])
                try body(position, unsafe RawSpan(_unsafeBytes: key))
            }
        }
    }
}
