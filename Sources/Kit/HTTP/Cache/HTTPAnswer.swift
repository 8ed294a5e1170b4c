#if HTTP
    public import HTTPTypes
    public import ShaleBase

    /// A response, and how the cache got it.
    public struct HTTPAnswer: Sendable {
        /// The status and the fields. A stored response has its current `Age`, and names of fields in lower case.
        public var head: HTTPResponse
        /// The content: in memory if the response is stored, otherwise as it arrives.
        public var body: HTTPBody
        /// The handling of the request by the cache.
        public var cacheStatus: CacheStatus
        /// True if the response is stale: the request or the response allows that, or the origin failed.
        public var isStale = false
        /// True if the origin could not be reached, so that a stored response stands in.
        public var isOffline = false
        /// The error of reading or writing the cache, if there was one. The response does not depend on it, but it may
        /// not be stored, and an invalidation may be missing.
        public var storageError: StorageError?

        init(head: HTTPResponse, body: HTTPBody, cacheStatus: CacheStatus) {
            self.head = head
            self.body = body
            self.cacheStatus = cacheStatus
        }
    }
#endif
