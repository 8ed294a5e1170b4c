#if HTTP
    import HTTPTypes
    import Shale
    import ShaleBase

    /// A response that is stored, as the cache uses it.
    struct StoredResponse: Sendable, Equatable {
        var url: String
        /// The number that the URL's index holds too: a response with another one is not the index's.
        var stamp: UInt64
        var freshness: Freshness
        var head: HTTPResponse
        var body: [UInt8]

        var fields: HTTPFields { head.headerFields }
    }

    /// The record of a stored response. On disk, do not change; integers are little-endian.
    ///
    /// version u8 (1) | flags u8 | status u16 | stamp u64 | request time, response time, date, initial age, lifetime,
    /// stale-while-revalidate, stale-if-error: i64 milliseconds each | URL: u32 length, bytes | fields: u16 count, then
    /// for each name length u16, value length u32, name, value | body: u32 length, bytes
    ///
    /// Flags: 1 no-cache, 2 must-revalidate, 4 immutable. Names are in lower case.
    enum ResponseRecord {
        private static let version: UInt8 = 1
        private static let noCache: UInt8 = 1
        private static let mustRevalidate: UInt8 = 2
        private static let immutable: UInt8 = 4

        static func encode(_ response: StoredResponse) -> [UInt8] {
            let freshness = response.freshness
            var buffer = ByteBuffer(capacity: 512 + response.body.count)
            buffer.append(version)
            buffer.append(
                (freshness.isNoCache ? noCache : 0) | (freshness.mustRevalidate ? mustRevalidate : 0)
                    | (freshness.isImmutable ? immutable : 0))
            buffer.append(UInt16(truncatingIfNeeded: response.head.status.code))
            buffer.append(response.stamp)
            buffer.append(freshness.requestTime)
            buffer.append(freshness.responseTime)
            buffer.append(freshness.date)
            buffer.append(freshness.initialAge)
            buffer.append(freshness.lifetime)
            buffer.append(freshness.staleWhileRevalidate)
            buffer.append(freshness.staleIfError)
            buffer.append(UInt32(response.url.utf8.count))
            for byte in response.url.utf8 { buffer.append(byte) }
            buffer.append(UInt16(response.fields.count))
            for field in response.fields {
                unsafe field.withUnsafeBytesOfValue { value in
                    buffer.append(UInt16(field.name.canonicalName.utf8.count))
                    buffer.append(UInt32(value.count))
                    for byte in field.name.canonicalName.utf8 { buffer.append(byte) }
                    buffer.append(unsafe Bytes(UnsafeRawBufferPointer(value)))
                }
            }
            buffer.append(UInt32(response.body.count))
            buffer.append(response.body)
            return buffer.bytes.array()
        }

        /// Throws `.corruption` for bytes that are no record, and `.newerFormat` for another version.
        static func decode(_ bytes: [UInt8]) throws(StorageError) -> StoredResponse {
            guard bytes.first == version else {
                throw StorageError(.newerFormat, "a stored response has another version")
            }
            do throws(ParseFailure) {
                let span = unsafe bytes.span.bytes
                return try unsafe span.withUnsafeBytes { (buffer) throws(ParseFailure) in
                    try parse(ByteReader(unsafe Bytes(buffer), at: 1))
                }
            } catch {
                throw .corruption("a stored response is not valid: \(error.reason)")
            }
        }

        private static func parse(_ start: ByteReader) throws(ParseFailure) -> StoredResponse {
            var reader = start
            let flags = try reader.u8("the flags")
            let status = Int(try reader.u16("the status"))
            guard 100...999 ~= status else { throw ParseFailure("the status is out of range") }
            let stamp = try reader.u64("the stamp")
            let freshness = Freshness(
                requestTime: try reader.i64("a time"), responseTime: try reader.i64("a time"),
                date: try reader.i64("a time"), initialAge: try reader.i64("the age"),
                lifetime: try reader.i64("the lifetime"), staleWhileRevalidate: try reader.i64("a time"),
                staleIfError: try reader.i64("a time"), isNoCache: flags & noCache != 0,
                mustRevalidate: flags & mustRevalidate != 0, isImmutable: flags & immutable != 0)
            guard freshness.isInRange else { throw ParseFailure("a time is out of range") }
            let url = text(try reader.slice(Int(try reader.u32("a length")), "the URL"))
            let fields = try fields(&reader)
            let body = try reader.slice(Int(try reader.u32("a length")), "the body").array()
            guard reader.isAtEnd else { throw ParseFailure("the record is too long") }
            let head = HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
            return StoredResponse(url: url, stamp: stamp, freshness: freshness, head: head, body: body)
        }

        private static func fields(_ reader: inout ByteReader) throws(ParseFailure) -> HTTPFields {
            let count = Int(try reader.u16("the number of fields"))
            guard count <= Storability.fieldsMax else { throw ParseFailure("there are too many fields") }
            guard count * 6 <= reader.remaining else { throw ParseFailure("the fields are cut short") }
            var fields = HTTPFields()
            // One more for `Age`.
            fields.reserveCapacity(count + 1)
            for _ in 0..<count {
                let nameLength = Int(try reader.u16("a length"))
                let valueLength = Int(try reader.u32("a length"))
                guard let name = HTTPField.Name(parsed: text(try reader.slice(nameLength, "a name"))),
                    name.rawName.utf8.first != UInt8(ascii: ":")
                else { throw ParseFailure("the name of a field is not valid") }
                fields.append(field(name, try reader.slice(valueLength, "a value")))
            }
            return fields
        }

        /// Returns a field. ASCII becomes a string here: `HTTPField` would take four times as long.
        private static func field(_ name: HTTPField.Name, _ value: Bytes) -> HTTPField {
            let isASCII = unsafe value.buffer.allSatisfy { $0 < 0x80 }
            return isASCII
                ? HTTPField(name: name, value: text(value)) : unsafe HTTPField(name: name, value: value.buffer)
        }

        private static func text(_ bytes: Bytes) -> String { unsafe String(decoding: bytes.buffer, as: UTF8.self) }
    }
#endif
