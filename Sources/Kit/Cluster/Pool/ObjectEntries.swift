/// An entry of an object: a name, and a value that is not empty.
package struct ObjectEntry: Equatable, Sendable {
    package let name: [UInt8]
    package let value: [UInt8]

    package init(name: [UInt8], value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

/// Entries of an object, in one buffer: a page of them takes two allocations, however many they are.
///
/// Names and values are read where they are. Elements of the collection are copies.
package struct ObjectEntries: Sendable {
    /// The name and the value of each entry, one after the other.
    private var bytes: [UInt8] = []
    /// The ends of the names and values in `bytes`.
    private var ends: [Int] = []

    package init() {}

    /// The bytes of all names and values.
    package var byteCount: Int { bytes.count }

    /// Makes space for entries with `byteCount` bytes in names and values.
    package mutating func reserveCapacity(_ count: Int, byteCount: Int) {
        ends.reserveCapacity(2 * count)
        bytes.reserveCapacity(byteCount)
    }

    /// Adds an entry. The closures append its name and its value to what is there.
    package mutating func append(name: (inout [UInt8]) -> Void, value: (inout [UInt8]) -> Void) {
        name(&bytes)
        ends.append(bytes.count)
        value(&bytes)
        ends.append(bytes.count)
    }

    package mutating func append(_ entry: ObjectEntry) {
        append(name: { $0 += entry.name }, value: { $0 += entry.value })
    }

    /// Returns the name of an entry. Valid until the entries change.
    @_lifetime(borrow self)
    package func name(at index: Int) -> Span<UInt8> {
        bytes.span.extracting(nameRange(index))
    }

    /// Returns the value of an entry. Valid until the entries change.
    @_lifetime(borrow self)
    package func value(at index: Int) -> Span<UInt8> {
        bytes.span.extracting(valueRange(index))
    }

    /// Returns the index of the entry with a name, in entries that ascend by name; `nil` if there is none.
    func index(of name: Span<UInt8>) -> Int? {
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            switch name.compared(to: self.name(at: middle)) {
            case 0: return middle
            case ..<0: range = range.lowerBound..<middle
            default: range = middle + 1..<range.upperBound
            }
        }
        return nil
    }

    /// Returns bytes of a name, which share the memory of all entries.
    func sharedName(at index: Int, _ range: Range<Int>) -> ArraySlice<UInt8> {
        bytes[nameRange(index)][relative: range]
    }

    /// Returns bytes of a value, which share the memory of all entries.
    func sharedValue(at index: Int, _ range: Range<Int>) -> ArraySlice<UInt8> {
        bytes[valueRange(index)][relative: range]
    }

    /// Returns the place of a name in the buffer.
    func nameRange(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[2 * index - 1])..<ends[2 * index] }

    /// Returns the place of a value in the buffer.
    func valueRange(_ index: Int) -> Range<Int> { ends[2 * index]..<ends[2 * index + 1] }

    /// Passes the buffer of all names and values, which is valid during the call.
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { unsafe bytes.withUnsafeBytes(body) }
}

extension ObjectEntries: RandomAccessCollection, ExpressibleByArrayLiteral {
    package init(_ entries: some Sequence<ObjectEntry>) {
        for entry in entries { append(entry) }
    }

    package init(arrayLiteral entries: ObjectEntry...) { self.init(entries) }

    package var startIndex: Int { 0 }
    package var endIndex: Int { ends.count / 2 }

    package subscript(index: Int) -> ObjectEntry {
        ObjectEntry(name: [UInt8](copying: name(at: index)), value: [UInt8](copying: value(at: index)))
    }
}

extension ArraySlice {
    /// The elements in a range that counts from the start of the slice.
    fileprivate subscript(relative range: Range<Int>) -> ArraySlice {
        self[startIndex + range.lowerBound..<startIndex + range.upperBound]
    }
}
