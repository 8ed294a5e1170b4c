/// Some keys, one behind the other in one piece of memory, for calls that take many.
///
/// An array of keys takes an allocation for each of them.
@frozen
@usableFromInline
package struct KeyList: Sendable {
    @usableFromInline var bytes: [UInt8] = []
    /// The ends of the keys in the memory that ``withBytes(_:)`` passes.
    @usableFromInline package private(set) var ends: [Int] = []

    package init() {}

    @inlinable @inline(__always)
    package var count: Int { ends.count }

    @inlinable @inline(__always)
    package var isEmpty: Bool { ends.isEmpty }

    /// Reserves memory for keys of this many bytes in total.
    package mutating func reserveCapacity(keys: Int, bytes: Int) {
        ends.reserveCapacity(keys)
        self.bytes.reserveCapacity(bytes)
    }

    package mutating func append(_ key: Bytes) {
        unsafe bytes.append(contentsOf: key.buffer)
        ends.append(bytes.count)
    }

    package mutating func append(_ key: [UInt8]) {
        bytes.append(contentsOf: key)
        ends.append(bytes.count)
    }

    /// Appends a key whose bits are inverted.
    package mutating func append(inverted key: Bytes) {
        append(key)
        for index in range(count - 1) { bytes[index] = ~bytes[index] }
    }

    /// Removes all keys and keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// Returns the place of a key in the memory that ``withBytes(_:)`` passes.
    @inlinable @inline(__always)
    package func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index &- 1])..<ends[index] }

    /// Passes the memory of all keys to `body`, which is valid during the call.
    @inlinable @inline(__always)
    package func withBytes<R, Failure: Error>(_ body: (Bytes) throws(Failure) -> R) throws(Failure) -> R {
        try unsafe bytes.span.bytes.withUnsafeBytes { (buffer) throws(Failure) in try body(unsafe Bytes(buffer)) }
    }

    /// Passes a key to `body`, which is valid during the call.
    @inlinable @inline(__always)
    package func withKey<R, Failure: Error>(
        _ index: Int, _ body: (Bytes) throws(Failure) -> R
    ) throws(Failure) -> R {
        let range = range(index)
        return try withBytes { (bytes) throws(Failure) in try body(bytes.slice(range.lowerBound, range.count)) }
    }
}
