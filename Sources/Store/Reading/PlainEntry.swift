package import ShaleBase

/// A copy of an entry with its value decrypted, for other interfaces to a namespace.
package struct PlainEntry: Sendable {
    package let key: [UInt8]
    package let envelope: [UInt8]
    package let info: ValueInfo

    init(key: [UInt8], envelope: [UInt8], info: ValueInfo) {
        self.key = key
        self.envelope = envelope
        self.info = info
    }

    /// Copies an entry that a scan found. Throws the errors of reading its value.
    package init(_ entry: Store.Entry) throws(StorageError) {
        key = entry.key.bytes
        envelope = try entry.read { (value) in [UInt8](copying: value) }
        info = try entry.info()
    }
}

extension NamespaceReader {
    /// Returns a copy of the entry of `key`; `nil` if the key is missing. Throws the errors of ``value(forKey:as:)``,
    /// except those of decoding.
    package func plainEntry(forKey key: some StoreKey) throws(StorageError) -> PlainEntry? {
        try source.plainEntry(try key.keyBytes)
    }
}

extension Store.Namespace {
    /// The application's codecs of the namespace's store.
    package var codecs: CodecTable { state.core.codecs }

    /// The format of `Codable` values that are set without one.
    package var codableFormat: CodableFormat { state.core.options.codableFormat }
}
