#if HTTP
    import HTTPTypes
    import Shale
    import ShaleBase
    import ShalePlatform

    /// A URL with its hash.
    struct HashedURL: Hashable, Sendable {
        let url: String
        let hash: WideHash
    }

    /// A stored response that a request selects, and the hash of its variant.
    struct SelectedResponse: Sendable {
        var response: StoredResponse
        var variant: WideHash
    }

    /// The stored responses of a cache. Thread-safe.
    ///
    /// Invariants:
    /// 1. A response is used only if the index of its URL lists its variant with its stamp, and if both hold the URL.
    /// 2. Index and response are written, and removed, in one transaction. A purge policy removes single entries, so
    ///    either may be missing: a missing index or response is a miss.
    /// 3. A response that an earlier index listed is not listed by a later one with the same stamp: stamps are random.
    struct ResponseStorage: Sendable {
        enum Lookup: Sendable {
            case found(SelectedResponse)
            /// Nothing is stored for the URL.
            case urlMiss
            /// No variant of the URL matches the request.
            case varyMiss
        }

        let namespace: Store.Namespace
        let keys: CacheKeys
        let variantsMax: Int
        let random: any RandomSource

        func hashed(_ target: RequestTarget) -> HashedURL {
            let url = target.url
            return HashedURL(url: url, hash: keys.hash(of: url))
        }

        /// Returns the stored response that a request selects.
        func find(_ url: HashedURL, _ request: HTTPFields) throws(StorageError) -> Lookup {
            guard let bytes = try namespace.storedBytes(CacheKeys.index(url.hash)) else { return .urlMiss }
            let index = try VariantIndex.decode(bytes)
            guard index.url == url.url, !index.variants.isEmpty else { return .urlMiss }
            let variant = index.selected { keys.hash(of: request, selectedBy: $0) }
            guard let variant else { return .varyMiss }
            guard let record = try namespace.storedBytes(CacheKeys.response(url.hash, variant.hash)) else {
                return .urlMiss
            }
            let response = try ResponseRecord.decode(record)
            guard response.url == url.url, response.stamp == variant.stamp || PlantedBug.isActive(.ignoreStamp) else {
                return .urlMiss
            }
            return .found(SelectedResponse(response: response, variant: variant.hash))
        }

        /// Stores a response and lists it in its URL's index. The oldest variants above the limit make room.
        ///
        /// `isCurrent` is asked in the transaction. An invalidation first makes it false and then writes the index, so
        /// either the transaction asks after that, or it conflicts and asks again.
        ///
        /// - Returns: The response with its stamp; `nil` if it is not current, with nothing stored.
        func store(
            _ response: StoredResponse, at url: HashedURL, for request: HTTPFields, isCurrent: () -> Bool
        ) throws(StorageError) -> SelectedResponse? {
            guard let names = VaryNames(response.fields) else { return nil }
            let hash = keys.hash(of: request, selectedBy: names.names)
            var response = response
            response.stamp = random.next()
            let (stored, key) = (response, CacheKeys.index(url.hash))
            let isStored = try namespace.transaction { (transaction) throws(StorageError) -> Bool in
                guard isCurrent() else { return false }
                try keys.keep(in: namespace, transaction)
                var index = VariantIndex(url: url.url)
                if let bytes = try transaction.storedBytes(key, in: namespace) {
                    let known = try VariantIndex.decode(bytes)
                    // Of two URLs with one hash, the newer one takes the place.
                    if known.url == url.url { index = known }
                }
                let removed = index.put(
                    names, hash, stamp: stored.stamp, date: stored.freshness.date, now: stored.freshness.responseTime,
                    max: variantsMax)
                for variant in removed {
                    try transaction.removeKey(CacheKeys.response(url.hash, variant.hash), in: namespace)
                }
                try transaction.setBytes(index.encode(), forKey: key, in: namespace, options: [])
                try transaction.setBytes(
                    ResponseRecord.encode(stored), forKey: CacheKeys.response(url.hash, hash), in: namespace,
                    options: [])
                return true
            }
            return isStored ? SelectedResponse(response: stored, variant: hash) : nil
        }

        /// Removes one variant of a URL, if it still is the one with `stamp`.
        func remove(_ variant: WideHash, stamp: UInt64, at url: HashedURL) throws(StorageError) {
            let key = CacheKeys.index(url.hash)
            try namespace.transaction { (transaction) throws(StorageError) in
                guard let bytes = try transaction.storedBytes(key, in: namespace) else { return }
                var index = try VariantIndex.decode(bytes)
                guard index.variants.contains(where: { $0.hash == variant && $0.stamp == stamp }) else { return }
                index.remove(variant)
                try transaction.removeKey(CacheKeys.response(url.hash, variant), in: namespace)
                if index.variants.isEmpty {
                    try transaction.removeKey(key, in: namespace)
                } else {
                    try transaction.setBytes(index.encode(), forKey: key, in: namespace, options: [])
                }
            }
        }

        /// Removes all variants of a URL. An index of another version is removed without the responses that it lists.
        ///
        /// The index is removed even if there is none, so that a transaction that is about to write it conflicts.
        func invalidate(_ url: HashedURL) throws(StorageError) {
            let key = CacheKeys.index(url.hash)
            try namespace.transaction { (transaction) throws(StorageError) in
                if let bytes = try transaction.storedBytes(key, in: namespace), bytes.first == VariantIndex.version {
                    for variant in try VariantIndex.decode(bytes).variants {
                        try transaction.removeKey(CacheKeys.response(url.hash, variant.hash), in: namespace)
                    }
                }
                try transaction.removeKey(key, in: namespace)
            }
        }
    }
#endif
