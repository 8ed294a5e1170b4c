import Shale
import ShaleBase

/// A cipher for tests of what is sealed and bound to what, which needs no package. It hides nothing from anybody.
struct ToyCipher: ValueCipher {
    var id: CipherID { CipherID(rawValue: 200) }

    func sealer(with key: SecretKey) throws(StorageError) -> any ValueSealer {
        try ToySealer(key: key.withBytes { (bytes) in unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } })
    }
}

private struct ToySealer: ValueSealer {
    let key: [UInt8]

    private func tag(_ plaintext: [UInt8], _ nonce: RawSpan, _ context: RawSpan) -> [UInt8] {
        var bytes = key + plaintext
        unsafe nonce.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        unsafe context.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        let hash = unsafe bytes.withUnsafeBytes { XXH3.hash(unsafe Bytes($0)) }
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) }
    }

    private func crossed(_ bytes: RawSpan) -> [UInt8] {
        unsafe bytes.withUnsafeBytes { unsafe $0.enumerated().map { $1 ^ key[$0 % key.count] } }
    }

    func seal(
        _ plaintext: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
    ) throws(StorageError) {
        let plain = unsafe plaintext.withUnsafeBytes { unsafe [UInt8]($0) }
        output += crossed(plaintext) + tag(plain, nonce, context)
    }

    func open(
        _ sealed: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
    ) throws(StorageError) -> Bool {
        guard sealed.byteCount >= 8 else { return false }
        let plain = crossed(sealed.extracting(0..<(sealed.byteCount - 8)))
        let found = unsafe sealed.withUnsafeBytes { unsafe [UInt8]($0.suffix(8)) }
        guard found == tag(plain, nonce, context) else { return false }
        output += plain
        return true
    }
}

/// A provider of one key.
struct ToyKeys: KeyProvider {
    let byte: UInt8

    func key(for parameters: [UInt8]) throws(StorageError) -> SecretKey {
        var bytes = [UInt8](repeating: byte, count: SecretKey.byteCount)
        return try SecretKey(wiping: &bytes)
    }
}
