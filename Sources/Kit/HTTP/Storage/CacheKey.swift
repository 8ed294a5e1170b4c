#if HTTP
    import HTTPTypes
    import Shale
    import ShaleBase
    import ShalePlatform

    /// The target of a request in a form in which equal targets are equal: scheme and authority in lower case, without
    /// the default port, and without a fragment (RFC 9110, section 4.2.3).
    struct RequestTarget: Hashable, Sendable {
        /// At most this many bytes; longer targets are not cached.
        static let byteCountMax = 8 << 10

        let scheme: String
        let authority: String
        /// The path with its query.
        let path: String

        /// `nil` if the request has no scheme or authority.
        init?(_ request: HTTPRequest) {
            guard let scheme = request.scheme, let authority = request.authority, !authority.isEmpty else { return nil }
            self.init(scheme: scheme, authority: authority, path: request.path ?? "/")
        }

        init(scheme: String, authority: String, path: String) {
            // By bytes: characters would take half of the time of a hit.
            self.scheme = RequestTarget.lowercased(scheme)
            let host = RequestTarget.lowercased(authority)
            let port = self.scheme == "https" ? ":443" : self.scheme == "http" ? ":80" : ":"
            let hasPort = host.utf8.suffix(port.utf8.count).elementsEqual(port.utf8)
            self.authority = hasPort ? String(decoding: host.utf8.dropLast(port.utf8.count), as: UTF8.self) : host
            let visible = path.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(path[..<$0]) } ?? path
            let isPath = visible.utf8.first.map { $0 != UInt8(ascii: "?") } ?? false
            self.path = isPath ? visible : "/" + visible
        }

        private static func lowercased(_ text: String) -> String {
            text.utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A ~= $0) } ? text : text.lowercased()
        }

        var url: String {
            var url = ""
            url.reserveCapacity(byteCount)
            url += scheme
            url += "://"
            url += authority
            url += path
            return url
        }

        /// The bytes of ``url``.
        var byteCount: Int { scheme.utf8.count + authority.utf8.count + path.utf8.count + 3 }

        /// True if another target has the same scheme, host and port.
        func isSameOrigin(as other: RequestTarget) -> Bool { scheme == other.scheme && authority == other.authority }

        /// Returns the target of a reference in a response: an absolute URL of HTTP, or a path. `nil` for anything
        /// else: another form never names more than one target of the same origin, which then stays until it is stale.
        func resolving(_ reference: String) -> RequestTarget? {
            if reference.hasPrefix("//") { return RequestTarget(url: scheme + ":" + reference) }
            if reference.hasPrefix("/") { return RequestTarget(scheme: scheme, authority: authority, path: reference) }
            if let absolute = RequestTarget(url: reference) { return absolute }
            guard !reference.isEmpty, !reference.contains(":"), !reference.contains("./") else { return nil }
            if reference.hasPrefix("?") {
                return RequestTarget(
                    scheme: scheme, authority: authority, path: String(path.prefix { $0 != "?" }) + reference)
            }
            let place = path.prefix { $0 != "?" }
            let folder = place.lastIndex(of: "/").map { place[...$0] } ?? "/"
            return RequestTarget(scheme: scheme, authority: authority, path: folder + reference)
        }

        /// Returns the targets that a successful unsafe request may have changed: this one, and those of the same
        /// origin that its response names.
        func changed(by response: HTTPFields) -> [RequestTarget] {
            let named = [HTTPField.Name.location, .contentLocation].compactMap { name in
                response[name].flatMap(resolving)
            }
            return [self] + named.filter(isSameOrigin)
        }

        /// Reads an absolute URL; `nil` unless its scheme is http or https.
        init?(url: String) {
            guard let colon = url.firstRange(of: "://") else { return nil }
            let scheme = url[..<colon.lowerBound].lowercased()
            guard scheme == "http" || scheme == "https" else { return nil }
            let rest = url[colon.upperBound...]
            let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            guard !authority.isEmpty else { return nil }
            self.init(scheme: scheme, authority: String(authority), path: String(rest.dropFirst(authority.count)))
        }
    }

    /// A hash of 128 bits.
    struct WideHash: Hashable, Sendable {
        let high: UInt64
        let low: UInt64
    }

    /// Makes keys of entries. They are keyed hashes: keys of a store are never encrypted, and URLs and credentials may
    /// be secret. The article "How the cache works" has the argument.
    struct CacheKeys: Sendable {
        /// The key of the secret, which is not purgeable.
        static let secretKey: [UInt8] = [0]
        static let secretBytes = 32

        private var secret: (UInt64, UInt64, UInt64, UInt64)

        /// The secret as it is stored.
        var storedSecret: [UInt8] {
            [secret.0, secret.1, secret.2, secret.3].flatMap { word in
                stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: word >> $0) }
            }
        }

        /// Reads the secret of a namespace, and makes one if there is none.
        init(in namespace: Store.Namespace, random: any RandomSource) throws(StorageError) {
            if let stored = try namespace.storedBytes(CacheKeys.secretKey) {
                self = try CacheKeys(stored)
                return
            }
            secret = (random.next(), random.next(), random.next(), random.next())
            // In a store that is only read nothing is stored, so no key is ever compared.
            guard try !namespace.isReadOnly else { return }
            let fresh = storedSecret
            let stored = try namespace.transaction { (transaction) throws(StorageError) -> [UInt8] in
                if let other = try transaction.storedBytes(CacheKeys.secretKey, in: namespace) { return other }
                try CacheKeys.write(fresh, transaction, namespace)
                return fresh
            }
            self = try CacheKeys(stored)
        }

        /// Writes the secret again if it was removed, for example by a truncation of the namespace.
        func keep(in namespace: Store.Namespace, _ transaction: borrowing Store.Transaction) throws(StorageError) {
            guard try !transaction.hasKey(CacheKeys.secretKey, in: namespace) else { return }
            try CacheKeys.write(storedSecret, transaction, namespace)
        }

        private static func write(
            _ secret: [UInt8], _ transaction: borrowing Store.Transaction, _ namespace: Store.Namespace
        ) throws(StorageError) {
            try transaction.setBytes(secret, forKey: secretKey, in: namespace, options: [.notPurgeable, .neverExpires])
        }

        private init(_ bytes: [UInt8]) throws(StorageError) {
            guard bytes.count == CacheKeys.secretBytes else {
                throw .corruption("the secret of a cache has a wrong size")
            }
            func word(_ index: Int) -> UInt64 {
                bytes[8 * index..<8 * index + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
            secret = (word(0), word(1), word(2), word(3))
        }

        /// Returns the hash of the bytes that `fill` appends.
        private func hash(_ fill: (inout ByteBuffer) -> Void) -> WideHash {
            var buffer = ByteBuffer(capacity: 256)
            buffer.append(secret.0)
            buffer.append(secret.1)
            fill(&buffer)
            let high = XXH3.hash(buffer.bytes)
            buffer.mutableBytes.store(secret.2, at: 0)
            buffer.mutableBytes.store(secret.3, at: 8)
            return WideHash(high: high, low: XXH3.hash(buffer.bytes))
        }

        func hash(of url: String) -> WideHash { hash { $0.append(text: url) } }

        /// Returns the hash of what selects a variant: the request's `Authorization`, and its fields with `names`.
        func hash(of request: HTTPFields, selectedBy names: [String]) -> WideHash {
            hash { buffer in
                if !PlantedBug.isActive(.shareAuthorized) { buffer.append("authorization", request) }
                if PlantedBug.isActive(.ignoreVary) { return }
                for name in names { buffer.append(name, request) }
            }
        }

        /// Returns the hash of a whole request: requests with equal hashes get one response. `Cache-Control` and
        /// `Pragma` are left out, because each request checks the response by its own directives.
        func hash(of request: HTTPFields, method: String, url: String) -> WideHash {
            hash { buffer in
                buffer.append(text: method)
                buffer.append(text: url)
                for field in request where field.name != .cacheControl && field.name.canonicalName != "pragma" {
                    buffer.append(text: field.name.canonicalName)
                    buffer.append(valueOf: field)
                }
            }
        }

        /// The key of a URL's index.
        static func index(_ url: WideHash) -> [UInt8] { key(url, nil) }

        /// The key of a variant's response.
        static func response(_ url: WideHash, _ variant: WideHash) -> [UInt8] { key(url, variant) }

        private static func key(_ url: WideHash, _ variant: WideHash?) -> [UInt8] {
            var key: [UInt8] = []
            key.reserveCapacity(33)
            key.append(1)
            append(url, to: &key)
            if let variant { append(variant, to: &key) }
            return key
        }

        private static func append(_ hash: WideHash, to key: inout [UInt8]) {
            for byte in 0..<8 { key.append(UInt8(truncatingIfNeeded: hash.high >> UInt64(56 - 8 * byte))) }
            for byte in 0..<8 { key.append(UInt8(truncatingIfNeeded: hash.low >> UInt64(56 - 8 * byte))) }
        }
    }

    extension ByteBuffer {
        /// Appends a text with its length before it.
        fileprivate mutating func append(text: String) {
            var text = text
            text.withUTF8 { bytes in
                append(UInt32(truncatingIfNeeded: bytes.count))
                unsafe append(Bytes(UnsafeRawBufferPointer(bytes)))
            }
        }

        fileprivate mutating func append(valueOf field: HTTPField) {
            unsafe field.withUnsafeBytesOfValue { value in
                append(UInt32(truncatingIfNeeded: value.count))
                append(unsafe Bytes(UnsafeRawBufferPointer(value)))
            }
        }

        /// Appends a field of a request: its name and its lines.
        fileprivate mutating func append(_ name: String, _ request: HTTPFields) {
            append(text: name)
            for field in request where field.name.canonicalName == name { append(valueOf: field) }
            // The end of the lines: no line has this length.
            append(UInt32.max)
        }
    }
#endif
