import ShaleBase

/// A record that a run of a query found. Valid during the call that passes it.
struct QueryMatch {
    let record: RecordAddress
    private let primary: Bytes
    private let entry: Bytes
    /// The end of what all values that an index cuts share; `nil` if the record was not found by such a value.
    private let cutEnd: Int?
    /// True if the record is in the place of the run's reader, and may be taken from there.
    let isInReader: Bool

    /// Makes a match of a record that is nowhere in the store's memory.
    init(_ record: RecordAddress, _ primary: Bytes, hint: Bytes) {
        self.record = record
        self.primary = primary
        entry = hint
        cutEnd = nil
        isInReader = false
    }

    /// Makes a match of a record in the place of the run's reader, which an entry of the path names.
    init(found record: RecordAddress, _ primary: Bytes, _ entry: Bytes, _ cutEnd: Int?) {
        self.record = record
        self.primary = primary
        self.entry = entry
        self.cutEnd = cutEnd
        isInReader = true
    }

    var key: [UInt8] { primary.array() }

    /// The place in the path: all earlier places were delivered.
    var hint: [UInt8] { (cutEnd.map { entry.slice(0, $0) } ?? entry).array() }

    var isCut: Bool { cutEnd != nil }

    /// The bytes that all values share which are cut like the record's; `nil` if its value is not cut.
    var cut: [UInt8]? { cutEnd.map { entry.slice(0, $0).array() } }

    /// Replaces the content of `key` by the record's key, without taking memory each time.
    func copyKey(to key: inout [UInt8]) {
        key.removeAll(keepingCapacity: true)
        unsafe key.append(contentsOf: primary.buffer)
    }
}
