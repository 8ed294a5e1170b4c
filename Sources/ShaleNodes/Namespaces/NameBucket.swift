import ShaleBase

/// What is kept for long names with one hash: each with something of its own. Nearly always one; but anybody can make names whose hashes
/// (``XXH3``) are equal, and these must not be taken for each other. On disk, do not change: for each name, in the order in which they
/// came: length u32 | name | length u32 | content.
struct NameBucket {
    private(set) var entries: [(name: [UInt8], content: [UInt8])] = []

    static func hash(_ name: [UInt8]) -> UInt64 {
        unsafe name.span.bytes.withUnsafeBytes { unsafe XXH3.hash(Bytes($0)) }
    }

    /// `nil`: nothing is kept yet. Throws `.corruption`.
    init(_ bytes: [UInt8]?) throws(StorageError) {
        guard let bytes else { return }
        try unsafe bytes.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                var reader = ByteReader(unsafe Bytes(buffer))
                while !reader.isAtEnd {
                    let name = try reader.string32(limit: NodeLimits.nameBytes, "a name")
                    entries.append((name, try reader.string32(limit: NodeLimits.valueBytes, "a content")))
                }
            } catch {
                throw .corruption("an entry of long names is not valid: \(error.reason)")
            }
        }
    }

    var bytes: [UInt8] {
        var buffer = ByteBuffer()
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

    /// What is kept for a name; setting `nil` forgets it, and the others move up.
    subscript(name: [UInt8]) -> [UInt8]? {
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
