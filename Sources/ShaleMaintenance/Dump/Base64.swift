import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// RFC 4648, with padding, by Foundation, from and into the engine's buffers.
enum Base64 {
    static func encode(_ bytes: Bytes, into text: inout ByteBuffer) {
        let encoded = lent(bytes).base64EncodedData()
        unsafe encoded.withUnsafeBytes { text.append(unsafe Bytes($0)) }
    }

    /// False, and nothing appended, when `text` is no base64.
    static func decode(_ text: Bytes, into bytes: inout ByteBuffer) -> Bool {
        guard let decoded = Data(base64Encoded: lent(text)) else { return false }
        unsafe decoded.withUnsafeBytes { bytes.append(unsafe Bytes($0)) }
        return true
    }

    /// The same memory: the value must not outlive the call.
    private static func lent(_ bytes: Bytes) -> Data {
        unsafe Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes.start), count: bytes.count, deallocator: .none)
    }
}
