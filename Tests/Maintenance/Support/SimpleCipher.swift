import Shale
import ShaleBase

/// A cipher with the interface of a real one, for tests of authenticated data.
///
/// It is not secure, because XXH3 is not a keyed function.
struct SimpleCipher: ValueCipher {
    var id = CipherID(rawValue: 130)

    func sealer(with key: SecretKey) throws(StorageError) -> any ValueSealer { Sealer(key: key, id: id) }

    private struct Sealer: ValueSealer {
        let key: SecretKey
        let id: CipherID

        private func hash(_ parts: [[UInt8]]) throws(StorageError) -> [UInt8] {
            var input = [id.rawValue] + (try key.withBytes { [UInt8](copying: $0) })
            for part in parts { input += [UInt8(truncatingIfNeeded: part.count)] + part }
            let hash = unsafe input.withUnsafeBytes { XXH3.hash(unsafe Bytes($0)) }
            return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
        }

        private func masked(_ bytes: [UInt8], _ nonce: [UInt8]) throws(StorageError) -> [UInt8] {
            var masked = bytes
            for start in stride(from: 0, to: bytes.count, by: 8) {
                let mask = try hash([nonce, [UInt8(truncatingIfNeeded: start >> 3)]])
                for index in start..<min(start + 8, bytes.count) { masked[index] ^= mask[index - start] }
            }
            return masked
        }

        func seal(
            _ plaintext: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
        ) throws(StorageError) {
            let nonce = [UInt8](copying: nonce)
            let sealed = try masked([UInt8](copying: plaintext), nonce)
            output += sealed + (try hash([nonce, [UInt8](copying: context), sealed]))
        }

        func open(
            _ sealed: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
        ) throws(StorageError) -> Bool {
            let sealed = [UInt8](copying: sealed)
            guard sealed.count >= 8 else { return false }
            let nonce = [UInt8](copying: nonce)
            let payload = Array(sealed.dropLast(8))
            guard try hash([nonce, [UInt8](copying: context), payload]) == Array(sealed.suffix(8)) else { return false }
            output += try masked(payload, nonce)
            return true
        }
    }
}

/// A master key of one repeated byte.
struct SimpleKey: KeyProvider {
    var byte: UInt8 = 1

    func key(for parameters: [UInt8]) throws(StorageError) -> SecretKey {
        var bytes = [UInt8](repeating: byte, count: SecretKey.byteCount)
        return try SecretKey(wiping: &bytes)
    }
}

extension [UInt8] {
    fileprivate init(copying span: RawSpan) {
        self = unsafe span.withUnsafeBytes { unsafe [UInt8]($0) }
    }
}
