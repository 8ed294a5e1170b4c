#if !canImport(ObjectiveC)
    import Foundation
    import ShaleBase

    /// The part of a coder that decodes numbers and bytes. It is a class because an extension of another class can't
    /// contain overrides.
    class ScalarDecoder: NSCoder {
        /// Returns a field of the object being made. A number that was archived as an object counts as a number.
        func scalar(_ key: String) -> StructuredValue? { nil }

        func fail(_ error: StorageError) {}

        /// Returns the number of a field, converted by `convert`; `absent` if there is no field, as in every keyed
        /// coder.
        private func number<N>(_ key: String, _ absent: N, _ convert: (StructuredValue) -> N?) -> N {
            guard let value = scalar(key) else { return absent }
            guard let number = convert(value) else {
                fail(.typeMismatch(stored: "another value", requested: "\(N.self)"))
                return absent
            }
            return number
        }

        private func integer<N: FixedWidthInteger>(_ key: String) -> N {
            number(key, 0) { value in
                switch value {
                case .bool(let value): value ? 1 : 0
                case .int(let value): N(exactly: value)
                case .unsigned(let value): N(exactly: value)
                case .double(let value): N(exactly: value.rounded(.towardZero))
                default: nil
                }
            }
        }

        private func double(_ key: String) -> Double {
            number(key, 0) { value in
                switch value {
                case .bool(let value): value ? 1 : 0
                case .int(let value): Double(value)
                case .unsigned(let value): Double(value)
                case .double(let value): value
                default: nil
                }
            }
        }

        private func data(_ key: String) -> Data? {
            guard let value = scalar(key) else { return nil }
            guard case .data(let bytes) = value else {
                fail(.typeMismatch(stored: "another value", requested: "bytes"))
                return nil
            }
            return bytes
        }

        override func decodeBool(forKey key: String) -> Bool { double(key) != 0 }
        override func decodeCInt(forKey key: String) -> Int32 { integer(key) }
        override func decodeInt32(forKey key: String) -> Int32 { integer(key) }
        override func decodeInt64(forKey key: String) -> Int64 { integer(key) }
        override func decodeInteger(forKey key: String) -> Int { integer(key) }
        override func decodeFloat(forKey key: String) -> Float { Float(double(key)) }
        override func decodeDouble(forKey key: String) -> Double { double(key) }

        // MARK: Bytes

        override func withDecodedUnsafeBytes<R>(
            forKey key: String, body: (UnsafeRawBufferPointer?) throws -> R
        ) rethrows -> R {
            guard let bytes = data(key) else { return try body(nil) }
            return try unsafe bytes.withUnsafeBytes { try unsafe body($0) }
        }

        override func withDecodedUnsafeBufferPointer<R>(
            forKey key: String, body: (UnsafeBufferPointer<UInt8>?) throws -> R
        ) rethrows -> R {
            guard let bytes = data(key) else { return try body(nil) }
            return try unsafe bytes.withUnsafeBytes { try unsafe body($0.assumingMemoryBound(to: UInt8.self)) }
        }

        // MARK: Without keys

        private func refuseUnkeyed() {
            fail(StorageError(.codecFailure, "a class decodes fields without keys, which keyed archives don't support"))
        }

        override func decodeObject() -> Any? {
            refuseUnkeyed()
            return nil
        }

        override func decodePropertyList() -> Any? {
            refuseUnkeyed()
            return nil
        }

        override func decodeData() -> Data? {
            refuseUnkeyed()
            return nil
        }

        override func decodeValue(ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer) {
            refuseUnkeyed()
        }

        override func decodeArray(ofObjCType type: UnsafePointer<Int8>, count: Int, at array: UnsafeMutableRawPointer) {
            refuseUnkeyed()
        }

        override func version(forClassName className: String) -> Int { 0 }
    }
#endif
