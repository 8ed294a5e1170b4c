#if HTTP
    public import Shale
    public import ShaleBase
    import ShalePlatform

    /// A private HTTP cache (RFC 9111) in a namespace of a store.
    ///
    /// ```swift
    /// let cache = try HTTPCache(in: store.common["http"], transport: transport)
    /// let request = HTTPRequest(method: .get, scheme: "https", authority: "example.org", path: "/news")
    /// let answer = try await cache.response(for: request)
    /// let news = try await answer.body.bytes(upTo: 1 << 20)
    /// ```
    /// Responses are purgeable entries, so a purge of the store removes them. They stay after they are stale, for
    /// validation and for use without connection, until the capacity is needed.
    ///
    /// Make one cache for a namespace: two caches don't know of each other's requests in flight. Use a namespace of the
    /// user's space for what one user may see. All functions may be called from any thread.
    public final class HTTPCache: Sendable {
        /// Limits and choices of a cache.
        public struct Options: Sendable, Hashable {
            /// The name in `Cache-Status`. ASCII.
            public var name = "ShaleHTTP"
            /// The capacity of the namespace, enforced on writing: the least recently used responses make room.
            public var capacityBytes: Int64 = 64 << 20
            /// Removes responses that were not used for this long; `nil` means never.
            public var maximumAge: Duration? = .seconds(90 * 86_400)
            /// The maximum size of a stored body, and of the memory that a body takes before it is stored. A larger
            /// body is passed on as it arrives. At most 30 MiB and a quarter of the capacity.
            public var bodyBytesMax = 4 << 20
            /// The maximum size of the fields of a stored response: names and values. At most 1 MiB.
            public var fieldBytesMax = 32 << 10
            /// The maximum number of variants of a URL, 1 … 255. The oldest makes room.
            public var variantsMax = 16
            /// The maximum number of validations in the background (`stale-while-revalidate`).
            public var backgroundRequestsMax = 8
            /// The estimated lifetime of a response that states none, as a share of the time since its last
            /// modification, 0 … 1.
            public var heuristicFraction = 0.1
            /// The maximum of an estimated lifetime.
            public var heuristicLifetimeMax: Duration = .seconds(86_400)
            /// True if a stale response stands in when the origin can't be reached. `no-cache`, `must-revalidate` and
            /// directives of the request still forbid it.
            public var servesStaleWhenUnreachable = true

            /// The defaults.
            public init() {}
        }

        /// The limits and choices that the cache was made with.
        public let options: Options
        /// The namespace that holds the responses. Its entries have a format of the cache's own.
        public let namespace: Store.Namespace

        let transport: any HTTPTransport
        let storage: ResponseStorage
        let flights = FlightTable<FetchedResponse>()
        let heuristics: HeuristicLimits
        let isReadOnly: Bool

        /// Makes a cache. It sets the namespace's options: entries are purgeable, and its `PurgePolicy` is the
        /// capacity.
        ///
        /// - Throws: `.invalidArgument` for options out of range; the errors of
        ///   `Namespace.setOptions(_:)`.
        public convenience init(
            in namespace: Store.Namespace, transport: any HTTPTransport, options: Options = .init()
        ) throws(StorageError) {
            try self.init(in: namespace, transport: transport, options: options, random: SystemRandom())
        }

        package init(
            in namespace: Store.Namespace, transport: any HTTPTransport, options: Options, random: any RandomSource
        ) throws(StorageError) {
            try options.check()
            self.options = options
            self.namespace = namespace
            self.transport = transport
            isReadOnly = try namespace.isReadOnly
            heuristics = HTTPCache.heuristics(options)
            if !isReadOnly { try options.apply(to: namespace) }
            storage = ResponseStorage(
                namespace: namespace, keys: try CacheKeys(in: namespace, random: random),
                variantsMax: options.variantsMax, random: random)
        }

        static func heuristics(_ options: Options) -> HeuristicLimits {
            HeuristicLimits(
                fraction: options.heuristicFraction,
                maximumMilliseconds: options.heuristicLifetimeMax.policyMilliseconds)
        }

        /// The machine's clock. The store's stands still after a jump back, and would make responses too young.
        var now: Int64 { namespace.machineMilliseconds }

        /// Removes all responses of a URL. Requests for it that are in flight store nothing.
        ///
        /// - Parameter url: An absolute URL with the scheme http or https.
        /// - Throws: `.invalidArgument` for another URL; the errors of writing.
        public func invalidate(_ url: String) throws(StorageError) {
            guard let target = RequestTarget(url: url) else { throw .invalid("a URL of HTTP is needed") }
            try invalidate(storage.hashed(target))
        }

        func invalidate(_ url: HashedURL) throws(StorageError) {
            flights.supersede(url.hash)
            if !isReadOnly { try storage.invalidate(url) }
        }

        /// Removes all responses. Requests that are in flight store nothing. Durable on return.
        public func removeAll() throws(StorageError) {
            flights.supersede(nil)
            try namespace.truncate()
        }

        /// Returns when the validations in the background that have begun have ended.
        public func finishBackgroundRequests() async { await flights.finishBackground() }
    }

    extension HTTPCache.Options {
        private static let bodyBytesLimit = 30 << 20
        private static let fieldBytesLimit = 1 << 20

        func check() throws(StorageError) {
            guard 0...HTTPCache.Options.bodyBytesLimit ~= bodyBytesMax,
                0...HTTPCache.Options.fieldBytesLimit ~= fieldBytesMax,
                Int64(bodyBytesMax + fieldBytesMax) <= capacityBytes / 4
            else {
                throw .invalid(
                    "a cache needs bodies of at most 30 MiB, fields of at most 1 MiB, and 4 times their capacity")
            }
            guard 1...VariantIndex.variantsMax ~= variantsMax, backgroundRequestsMax >= 0, 0...1 ~= heuristicFraction
            else {
                throw .invalid("a cache needs 1 to 255 variants, and a heuristic fraction in 0...1")
            }
            guard !name.isEmpty, name.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
                throw .invalid("the name of a cache is not printable ASCII")
            }
        }

        /// Sets the options of a namespace that a cache needs. Encryption and other options stay.
        func apply(to namespace: Store.Namespace) throws(StorageError) {
            let current = try namespace.options
            var wanted = current
            wanted.isPurgeable = true
            wanted.purgePolicy = PurgePolicy(
                maximumAge: maximumAge, maximumBytes: capacityBytes, trimTo: 0.75, order: .leastRecentlyUsedFirst,
                enforcement: .onWrite)
            if wanted != current { try namespace.setOptions(wanted) }
        }
    }
#endif
