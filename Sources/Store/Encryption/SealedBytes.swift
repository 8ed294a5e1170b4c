package import ShaleBase
import ShalePlatform

/// A nonce followed by the cipher's output: the form of every sealed item. On disk, do not change.
///
/// Each sealing draws a nonce of 192 random bits. There is no counter that a restored copy, a clone or a fork could
/// repeat, and no state to store. ShaleEncryption.docc, "Value encryption".
package enum SealedBytes {
    static let nonceBytes = 24

    /// Appends nonce and sealed plaintext to `output`.
    package static func append(
        _ plaintext: RawSpan, with sealer: any ValueSealer, context: [UInt8], to output: inout [UInt8]
    ) throws(StorageError) {
        let nonce: [UInt8]
        do throws(IOFailure) {
            let isRepeated = PlantedBug.isActive(.repeatNonce)
            nonce = isRepeated ? [UInt8](repeating: 7, count: nonceBytes) : try SecretMemory.randomBytes(nonceBytes)
        } catch {
            throw error.storageError
        }
        output += nonce
        try unsafe sealer.seal(
            plaintext, nonce: nonce.span.bytes, context: context.span.bytes, appendingTo: &output)
    }

    /// Appends the plaintext to `output`; returns false if `sealed` is not authentic.
    package static func open(
        _ sealed: Bytes, with sealer: any ValueSealer, context: [UInt8], appendingTo output: inout [UInt8]
    ) throws(StorageError) -> Bool {
        guard sealed.count >= nonceBytes else { return false }
        return try unsafe sealer.open(
            sealed.suffix(from: nonceBytes).span, nonce: sealed.slice(0, nonceBytes).span, context: context.span.bytes,
            appendingTo: &output)
    }
}
