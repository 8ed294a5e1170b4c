#if HTTP
    import Shale
    import ShaleBase

    /// The index of a URL: the variants that are stored for it. A stored response is used only through its index, so
    /// removing the index invalidates all variants at once.
    struct VariantIndex: Equatable, Sendable {
        struct Variant: Equatable, Sendable {
            /// The place of its `Vary` in ``varies``.
            var vary: Int
            var hash: WideHash
            var stamp: UInt64
            /// The value of `Date`: of several variants that match, the newest is used.
            var date: Int64
            /// The time when it was stored or validated last. The oldest makes room.
            var storedAt: Int64
        }

        var url: String
        /// The different `Vary` fields of the variants.
        var varies: [VaryNames] = []
        var variants: [Variant] = []

        init(url: String) { self.url = url }

        /// Returns the newest variant that a request selects. `hash` makes the hash of the fields with these names.
        func selected(_ hash: ([String]) -> WideHash) -> Variant? {
            let hashes = varies.map { hash($0.names) }
            return variants.filter { hashes[$0.vary] == $0.hash }.max {
                ($0.date, $0.storedAt) < ($1.date, $1.storedAt)
            }
        }

        /// Adds or replaces a variant. Returns the variants that make room for it.
        mutating func put(
            _ names: VaryNames, _ hash: WideHash, stamp: UInt64, date: Int64, now: Int64, max limit: Int
        ) -> [Variant] {
            variants.removeAll { $0.hash == hash }
            variants.sort { $0.storedAt < $1.storedAt }
            let removed = Array(variants.prefix(max(0, variants.count - limit + 1)))
            variants.removeFirst(removed.count)
            let place = varies.firstIndex(of: names) ?? varies.count
            if place == varies.count { varies.append(names) }
            variants.append(Variant(vary: place, hash: hash, stamp: stamp, date: date, storedAt: now))
            dropUnused()
            return removed
        }

        mutating func remove(_ hash: WideHash) {
            variants.removeAll { $0.hash == hash }
            dropUnused()
        }

        private mutating func dropUnused() {
            let used = Set(variants.map(\.vary)).sorted()
            guard used.count < varies.count else { return }
            varies = used.map { varies[$0] }
            for index in variants.indices { variants[index].vary = used.firstIndex(of: variants[index].vary) ?? 0 }
        }
    }

    /// The record of an index. On disk, do not change; integers are little-endian.
    ///
    /// version u8 (1) | URL: u32 length, bytes | `Vary` fields: u8 count, then for each u8 count of names, each u8
    /// length and bytes | variants: u16 count, then for each vary u8 | hash u64 u64 | stamp u64 | date i64 | stored at
    /// i64
    extension VariantIndex {
        static let version: UInt8 = 1
        /// The maximum number of variants of a URL.
        static let variantsMax = 255

        func encode() -> [UInt8] {
            var buffer = ByteBuffer(capacity: 256)
            buffer.append(VariantIndex.version)
            buffer.append(UInt32(url.utf8.count))
            for byte in url.utf8 { buffer.append(byte) }
            buffer.append(UInt8(varies.count))
            for vary in varies {
                buffer.append(UInt8(vary.names.count))
                for name in vary.names {
                    buffer.append(UInt8(name.utf8.count))
                    for byte in name.utf8 { buffer.append(byte) }
                }
            }
            buffer.append(UInt16(variants.count))
            for variant in variants {
                buffer.append(UInt8(variant.vary))
                buffer.append(variant.hash.high)
                buffer.append(variant.hash.low)
                buffer.append(variant.stamp)
                buffer.append(variant.date)
                buffer.append(variant.storedAt)
            }
            return buffer.bytes.array()
        }

        /// Throws `.corruption` for bytes that are no record, and `.newerFormat` for another version.
        static func decode(_ bytes: [UInt8]) throws(StorageError) -> VariantIndex {
            guard bytes.first == version else {
                throw StorageError(.newerFormat, "an index of responses has another version")
            }
            do throws(ParseFailure) {
                let span = unsafe bytes.span.bytes
                return try unsafe span.withUnsafeBytes { (buffer) throws(ParseFailure) in
                    try parse(ByteReader(unsafe Bytes(buffer), at: 1))
                }
            } catch {
                throw .corruption("an index of responses is not valid: \(error.reason)")
            }
        }

        private static func parse(_ start: ByteReader) throws(ParseFailure) -> VariantIndex {
            var reader = start
            var index = VariantIndex(url: text(try reader.slice(Int(try reader.u32("a length")), "the URL")))
            for _ in 0..<(try reader.u8("a count")) {
                var names: [String] = []
                for _ in 0..<(try reader.u8("a count")) {
                    names.append(text(try reader.slice(Int(try reader.u8("a length")), "a name")))
                }
                guard let vary = VaryNames(names: names) else { throw ParseFailure("a Vary has too many names") }
                index.varies.append(vary)
            }
            for _ in 0..<(try reader.u16("a count")) {
                let vary = Int(try reader.u8("a place"))
                guard vary < index.varies.count else { throw ParseFailure("a variant has no Vary") }
                index.variants.append(
                    Variant(
                        vary: vary, hash: WideHash(high: try reader.u64("a hash"), low: try reader.u64("a hash")),
                        stamp: try reader.u64("a stamp"), date: try reader.i64("a time"),
                        storedAt: try reader.i64("a time")))
            }
            guard reader.isAtEnd else { throw ParseFailure("the record is too long") }
            return index
        }

        private static func text(_ bytes: Bytes) -> String { unsafe String(decoding: bytes.buffer, as: UTF8.self) }
    }
#endif
