import ShaleBase

/// Walks all sources at once and hands on the newest version of each key, with what casts doubt on its being the newest.
///
/// **Why nothing comes back.** Of a key, the version with the highest sequence was written last (normalised sequences keep
/// that order among live segments). If it is found, whatever it hides may be lost or not. A version that is lost was newer
/// only if it lay in the same source or in one above, since newer versions never lie below older ones; so the version found
/// is the newest unless a loss in its own source or in one above it may have been about its key.
struct SalvageMerge {
    /// The newest version of a key. Lent for as long as the call that hands it on.
    struct Found {
        let key: Bytes
        let trailer: Trailer
        let expiry: Int64
        let value: Bytes
        /// Something that is lost and may have been newer.
        let doubt: Loss?
    }

    /// Newest first.
    private let sources: [any SalvageSource]
    /// Sources from here on are older than a loss that may have been about any key.
    private let doubtfulFrom: Int
    private let generalLoss: Loss?

    init(_ sources: [any SalvageSource], doubtfulFrom: Int, _ generalLoss: Loss?) {
        self.sources = sources
        self.doubtfulFrom = doubtfulFrom
        self.generalLoss = generalLoss
    }

    func forEach(_ body: (Found) throws(StorageError) -> Void) throws(StorageError) {
        for source in sources { try source.advance() }
        var key = ByteBuffer(capacity: 64)
        while let newest = smallest() {
            let source = sources[newest]
            key.removeAll()
            key.append(source.key)
            try body(
                Found(
                    key: key.bytes, trailer: source.trailer, expiry: source.expiry, value: source.value,
                    doubt: doubt(about: key.bytes, in: newest)))
            for source in sources {
                while !source.isEnded, source.key == key.bytes { try source.advance() }
            }
        }
    }

    /// The source with the first entry in the order of entries.
    private func smallest() -> Int? {
        var best: Int?
        for (index, source) in sources.enumerated() where !source.isEnded {
            guard let current = best else {
                best = index
                continue
            }
            let order = Bytes.compare(source.key, sources[current].key)
            if order < 0 || (order == 0 && source.trailer.rawValue > sources[current].trailer.rawValue) { best = index }
        }
        return best
    }

    /// All sources are asked, because each forgets losses that lie behind.
    private func doubt(about key: Bytes, in newest: Int) -> Loss? {
        var found: Loss?
        for (index, source) in sources.enumerated() {
            let loss = source.loss(about: key)
            if index <= newest, found == nil { found = loss }
        }
        return found ?? (newest >= doubtfulFrom ? generalLoss : nil)
    }
}
