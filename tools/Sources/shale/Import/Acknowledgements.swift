/// Reports acknowledged batches to another process: one line `ack BATCHES RECORDS USER WRITTEN` after each batch. All
/// numbers are totals of this run. Records include skipped ones; `USER` is the bytes of keys and values given to the
/// engine, `WRITTEN` the bytes that it has written to files.
///
/// Each line is one `write(2)` after the engine has returned. A line that was read therefore names a batch that
/// survives the death of the importing process.
final class Acknowledgements {
    private let descriptor: Int32
    private let name: String
    private let isOwned: Bool

    init(descriptor: Int32) {
        self.descriptor = descriptor
        name = "descriptor \(descriptor)"
        isOwned = false
    }

    /// Appends to the file `path`, which is created if it does not exist.
    init(file path: String) throws {
        name = path
        descriptor = try OutputFile.openAppending(path)
        isOwned = true
    }

    deinit { if isOwned { _ = close(descriptor) } }

    func acknowledge(_ line: AcknowledgedPrefix) throws {
        try writeFully(Array((line.text + "\n").utf8), to: descriptor, named: name)
    }
}

/// The part of an import's input that is certainly in the store.
struct AcknowledgedPrefix: Equatable {
    var batches = 0
    var records = 0
    var userBytes: UInt64 = 0
    var writtenBytes: UInt64 = 0

    var text: String { "ack \(batches) \(records) \(userBytes) \(writtenBytes)" }

    init() {}

    init?(line: Substring) {
        let words = line.split(separator: " ")
        guard words.count == 5, words[0] == "ack", let batches = Int(words[1]), let records = Int(words[2]),
            let userBytes = UInt64(words[3]), let writtenBytes = UInt64(words[4])
        else { return nil }
        self.batches = batches
        self.records = records
        self.userBytes = userBytes
        self.writtenBytes = writtenBytes
    }
}
