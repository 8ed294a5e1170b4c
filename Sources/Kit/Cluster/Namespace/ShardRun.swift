import ShaleBase

/// The entries of one shard in a range, from a position on. They are read where they are in their page, and copied when
/// the caller gets them.
struct ShardRun: Sendable {
    let shard: Int
    private let prefix: [UInt8]
    /// The names that follow this one are above the range; `nil` if none are.
    private let upper: [UInt8]?
    /// The name behind which the current page begins.
    private var position: [UInt8]
    /// The current page, and the header that its shard had at the same moment.
    private var page = ObjectEntries()
    private var header: ShardHeader
    /// The index in the page of the entry that follows the current one.
    private var next = 0
    /// The current entry; `nil` if pages must be read first, or at the end.
    private(set) var current: EntryFrame?
    /// True if no page follows the current one.
    private(set) var isAtEnd = false
    /// The number of entries to ask for.
    private var limit: Int

    init(shard: Int, range: KeyRange, limit: Int) {
        self.shard = shard
        self.limit = limit
        header = ShardHeader(namespace: [], index: shard)
        switch range.lower {
        case .unbounded: (position, prefix) = (EntryName.prefix, EntryName.prefix)
        case .included(let key):
            position = EntryName.start(of: key)
            prefix = KeyRange.prefix(key) == range ? position : EntryName.prefix
        case .excluded(let key): (position, prefix) = (EntryName.name(of: key), EntryName.prefix)
        }
        upper =
            switch range.upper {
            case .unbounded: nil
            case .included(let key): EntryName.name(of: key)
            // Its own name follows it, and those of smaller keys precede it.
            case .excluded(let key): EntryName.start(of: key)
            }
    }

    /// True if the current entry has a smaller key than that of another run. Both must have one.
    func precedes(_ other: ShardRun) -> Bool {
        page.name(at: next - 1).precedes(other.page.name(at: other.next - 1))
    }

    /// Returns a copy of the current entry; `nil` if there is none.
    func found() throws(StorageError) -> FoundEntry? {
        guard let current else { return nil }
        return FoundEntry(
            key: try EntryName.key(of: page.name(at: next - 1)),
            entry: try ClusterEntry(current, page.value(at: next - 1)))
    }

    /// Returns the current entry, which shares the memory of its page, if its value is in its shard and not encrypted.
    /// Otherwise returns `nil`.
    func shared(_ codecs: CodecTable) throws(StorageError) -> AsyncEntry? {
        guard let current else { return nil }
        let index = next - 1
        return try page.shared(at: index, current, codecs) { (name) throws(StorageError) in
            guard let place = EntryName.place(of: name) else { return try EntryName.key(of: name)[...] }
            return page.sharedName(at: index, place)
        }
    }

    /// The query of the page that follows the current one.
    var query: ObjectQuery {
        var query = ObjectQuery()
        query.page = ObjectQuery.Page(prefix: prefix, after: lastName ?? position, limit: limit)
        return query
    }

    private var lastName: [UInt8]? { page.isEmpty ? nil : [UInt8](copying: page.name(at: page.count - 1)) }

    /// Begins with the page that the query has found. The caller moves on to its first entry.
    mutating func begin(_ contents: ObjectContents, under header: ShardHeader) {
        position = lastName ?? position
        self.header = header
        page = contents.page
        next = 0
        isAtEnd = !contents.hasMore
        // Pages grow while a walk continues, and shrink if values are large.
        let isLarge = page.byteCount > ClusterLimits.bytesInPage
        limit = isLarge ? max(1, limit / 2) : min(ClusterLimits.entriesInPage, limit * 2)
    }

    /// Moves on to the next entry of the page that `isVisible` accepts. Without one, `current` is `nil`.
    ///
    /// - Throws: `.corruption` and `.newerFormat`. The page is to be read again then, from the damaged entry on.
    mutating func moveOn(
        in namespace: [UInt8], _ isVisible: (EntryFrame, ShardHeader) -> Bool
    ) throws(StorageError) {
        current = nil
        while next < page.count {
            if let upper, upper.span.precedes(page.name(at: next)) {
                page = ObjectEntries()
                isAtEnd = true
                return
            }
            let frame: EntryFrame
            do throws(StorageError) {
                frame = try EntryName.withKey(of: page.name(at: next)) { (key) throws(StorageError) in
                    try EntryFrame(page.value(at: next), namespace: namespace, key: key)
                }
            } catch {
                if next > 0 { position = [UInt8](copying: page.name(at: next - 1)) }
                page = ObjectEntries()
                isAtEnd = false
                throw error
            }
            next += 1
            if isVisible(frame, header) {
                current = frame
                return
            }
        }
    }
}

extension ClusterReader {
    /// Moves a run on to the next entry of its page that a reader sees. Returns false if there is none.
    func moveOn(_ run: inout ShardRun) throws(StorageError) -> Bool {
        try run.moveOn(in: namespace.record.id) { (entry, header) in sees(entry, header) }
        return run.current != nil
    }

    /// Returns a run after pages were read, up to one with an entry that a reader sees, or to the end.
    nonisolated(nonsending) func filled(_ run: ShardRun) async throws(StorageError) -> ShardRun {
        var run = run
        repeat {
            let (header, contents) = try await read(run.shard, run.query)
            run.begin(contents, under: header)
        } while try !moveOn(&run) && !run.isAtEnd
        return run
    }
}

extension ObjectEntries {
    /// Returns an entry that was checked and shares the memory of these; `nil` if its value is encrypted, or has an
    /// object of its own.
    func shared(
        at index: Int, _ frame: EntryFrame, _ codecs: CodecTable,
        key: (Span<UInt8>) throws(StorageError) -> ArraySlice<UInt8>
    ) throws(StorageError) -> AsyncEntry? {
        guard !frame.isLarge else { return nil }
        let info = try unsafe ValueInfo(
            envelope: value(at: index).extracting(frame.content).bytes, isPurgeable: frame.isPurgeable,
            expiresAtMilliseconds: frame.expiresAtMilliseconds)
        guard !info.isEncrypted else { return nil }
        return AsyncEntry(
            key: try key(name(at: index)), envelope: sharedValue(at: index, frame.content), info: info, codecs: codecs)
    }
}
