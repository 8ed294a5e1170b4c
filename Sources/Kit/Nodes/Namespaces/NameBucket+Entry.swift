import ShaleBase

extension NameBucket {
    /// Parses a bucket that is the value of an entry; `nil` gives an empty bucket. Throws `.corruption`.
    init(_ value: [UInt8]?) throws(StorageError) {
        self.init()
        guard let value else { return }
        self = try unsafe value.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                return try NameBucket(parsing: unsafe Bytes(buffer))
            } catch {
                throw .corruption("an entry of long names is not valid: \(error.reason)")
            }
        }
    }
}
