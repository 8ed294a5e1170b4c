import ShaleBase

/// A value in an object of its own. On the cluster, do not change: id 16 | bytes of the envelope u32 | its XXH3-64.
struct LargeValue: Hashable, Sendable {
    private static let byteCount = 28

    /// The random id of the object.
    let id: [UInt8]
    let count: Int
    let checksum: UInt64

    init(id: [UInt8], envelope: [UInt8]) {
        self.id = id
        count = envelope.count
        checksum = envelope.checksum
    }

    var bytes: [UInt8] {
        var bytes = id
        bytes.append(littleEndian: UInt32(count))
        bytes.append(littleEndian: checksum)
        return bytes
    }

    init(_ bytes: [UInt8]) throws(StorageError) {
        guard bytes.count == LargeValue.byteCount else {
            throw .corruption("an entry of a shard names no object bytes=\(bytes.count)")
        }
        id = Array(bytes[..<16])
        count = Int(bytes.littleEndian(at: 16, as: UInt32.self))
        checksum = bytes.littleEndian(at: 20)
        guard count <= FormatLimits.valueBytes + ClusterLimits.envelopeBytes else {
            throw .corruption("an entry of a shard names an object that is too large bytes=\(count)")
        }
    }

    /// True if these are the bytes of the value.
    func matches(_ envelope: [UInt8]) -> Bool { envelope.count == count && envelope.checksum == checksum }
}

/// The note of a large value, in the shard of its entry from before the object is made until after it is removed. So
/// every object is found from its shard, whatever happens to clients. On the cluster, do not change.
///
/// Its name is `o` and the id of the value in hexadecimal. Its value is state u8 | time i64 | key | XXH3-64 of the id
/// and the bytes before. The time is that of the beginning, in milliseconds since 1970 by the writer's clock.
struct ValueNote: Equatable, Sendable {
    enum State: UInt8, Sendable {
        /// The object is being made, or an entry names it, or one named it.
        case begun = 1
        /// No entry names the object or will name it; it is to be removed.
        case abandoned = 2
    }

    /// The beginning of all names of notes.
    static let prefix = [UInt8(ascii: "o")]

    let id: [UInt8]
    var state: State
    let time: Int64
    let key: [UInt8]

    init(id: [UInt8], time: Int64, key: [UInt8]) {
        self.id = id
        self.time = time
        self.key = key
        state = .begun
    }

    var name: [UInt8] { ValueNote.prefix + Array(Hexadecimal.text(id).utf8) }

    var bytes: [UInt8] {
        var bytes = [state.rawValue]
        bytes.append(littleEndian: time)
        bytes += key
        bytes.append(littleEndian: (id + bytes).checksum)
        return bytes
    }

    var entry: ObjectEntry { ObjectEntry(name: name, value: bytes) }

    /// Parses a note. Throws `.corruption` and `.newerFormat`.
    init(_ entry: ObjectEntry) throws(StorageError) {
        let text = String(decoding: entry.name.dropFirst(), as: UTF8.self)
        let (value, content) = (entry.value, entry.value.count - 8)
        guard let id = Hexadecimal.bytes(text), id.count == NamespaceRecord.idBytes, content >= 9,
            (id + value.prefix(content)).checksum == value.littleEndian(at: content)
        else { throw .corruption("the note of a value is damaged bytes=\(value.count)") }
        guard let state = State(rawValue: value[0]) else {
            throw StorageError(.newerFormat, "the note of a value has a state that this version does not know")
        }
        self.id = id
        self.state = state
        time = value.littleEndian(at: 1)
        key = Array(value[9..<content])
    }
}
