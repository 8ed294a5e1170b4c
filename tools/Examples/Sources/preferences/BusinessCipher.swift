import ShaleEncryption

/// A cipher of the business's own, with a number that is stored with each value: the original's custom APDataCrypt.
/// This one is the standard cipher, bound to the business: a party that has the key but seals for another business
/// can't pass values off as this one's.
struct BusinessCipher: ValueCipher {
    let id = CipherID(rawValue: 200)

    func sealer(with key: SecretKey) throws(StorageError) -> any ValueSealer {
        Sealer(inner: try AES256GCM().sealer(with: key))
    }

    private struct Sealer: ValueSealer {
        let inner: any ValueSealer

        func seal(
            _ plaintext: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
        ) throws(StorageError) {
            let bound = bound(context)
            try unsafe inner.seal(plaintext, nonce: nonce, context: bound.span.bytes, appendingTo: &output)
        }

        func open(
            _ sealed: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
        ) throws(StorageError) -> Bool {
            let bound = bound(context)
            return try unsafe inner.open(sealed, nonce: nonce, context: bound.span.bytes, appendingTo: &output)
        }

        private func bound(_ context: RawSpan) -> [UInt8] {
            unsafe context.withUnsafeBytes { unsafe Array("biz".utf8) + $0 }
        }
    }
}
