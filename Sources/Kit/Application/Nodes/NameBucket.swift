package import ShaleBase

/// The contents stored for all names with one hash. There is nearly always one name. But names with equal hashes
/// (``XXH3``) can be constructed, and they must be kept apart. On disk, do not change: for each name, in the order of
/// arrival: length u32 | name | length u32 | content.
package struct NameBucket {
    package private(set) var entries: [(name: [UInt8], content: [UInt8])] = []

    static func hash(_ name: [UInt8]) -> UInt64 {
        unsafe name.span.bytes.withUnsafeBytes { unsafe XXH3.hash(Bytes($0)) }
    }

    /// Returns the form of a bucket's n-th name in names of files and namespaces. On disk, do not change.
    static func numbered(_ hash: UInt64, _ index: Int) -> String {
        index == 0 ? hash.hexadecimalDigits : "\(hash.hexadecimalDigits)-\(index)"
    }

    package init() {}

    package init(parsing bytes: Bytes) throws(ParseFailure) {
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            let name = try reader.string32(limit: NodeLimits.nameBytes, "a name")
            entries.append((name, try reader.string32(limit: NodeLimits.valueBytes, "a content")))
        }
    }

    package var bytes: [UInt8] {
        var buffer = ByteBuffer(capacity: entries.reduce(0) { $0 + 8 + $1.name.count + $1.content.count })
        for (name, content) in entries {
            buffer.append(UInt32(name.count))
            buffer.append(name)
            buffer.append(UInt32(content.count))
            buffer.append(content)
        }
        return buffer.bytes.array()
    }

    func index(of name: [UInt8]) -> Int? {
        entries.firstIndex { $0.name == name || PlantedBug.isActive(.trustNameHash) }
    }

    /// The content stored for a name. Setting `nil` removes the name, and later ones move up.
    package subscript(name: [UInt8]) -> [UInt8]? {
        get { index(of: name).map { entries[$0].content } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let content?): entries[index].content = content
            case (let index?, nil): entries.remove(at: index)
            case (nil, let content?): entries.append((name, content))
            case (nil, nil): break
            }
        }
    }
}

extension NameBucket {
    /// Parses a bucket that is the value of an entry; `nil` gives an empty bucket. Throws `.corruption`.
    init(_ value: [UInt8]?) throws(StorageError) {
        self.init()
        guard let value else { return }
        self = try unsafe value.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                return try NameBucket(parsing: unsafe Bytes(buffer))
            } catch {
                throw .corruption("an entry of long names is not valid: \(error.reason)")
            }
        }
    }
}
