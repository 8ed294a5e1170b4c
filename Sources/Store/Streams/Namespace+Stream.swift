public import ShaleBase
import ShaleEngine
import ShalePlatform

extension Store.Namespace {
    /// Stores the bytes of a sequence of pieces, which need not be in memory together.
    ///
    /// - Parameters:
    ///   - pieces: The bytes of the value, together at most 1 GiB.
    ///   - key: At most 16 KiB.
    ///   - options: Purgeability, expiry and encryption of the entry.
    ///   - durability: What the entry survives once the call has returned; `nil` means the store's default.
    /// - Throws: The errors of ``Store/ValueWriter``, with nothing written unless it is `.indeterminate`.
    /// - Complexity: O(key + bytes). Memory: about 1 MiB, and one piece.
    public func setBytes(
        inPieces pieces: some Sequence<[UInt8]>, forKey key: some StoreKey, options: ValueOptions = [],
        durability: Durability? = nil
    ) throws(StorageError) {
        let writer = try makeValueWriter(forKey: key, options: options)
        do throws(StorageError) {
            for piece in pieces { try writer.append(piece) }
        } catch {
            writer.cancel()
            throw error
        }
        try writer.commit(durability: durability)
    }

    /// Stores the bytes of an asynchronous sequence of pieces, which need not be in memory together.
    ///
    /// ```swift
    /// try await pictures.setBytes(from: response.body, forKey: url)
    /// ```
    /// The pieces are taken where the caller runs. They are written, and the value is committed, on threads that may
    /// block. If `pieces` throws, or the task is cancelled before the commit begins, nothing is written.
    ///
    /// - Parameters:
    ///   - pieces: The bytes of the value, together at most 1 GiB.
    ///   - key: At most 16 KiB.
    ///   - options: Purgeability, expiry and encryption of the entry.
    ///   - durability: What the entry survives once the call has returned; `nil` means the store's default.
    /// - Throws: The error of `pieces`; `.cancelled`; the errors of ``Store/ValueWriter``.
    /// - Complexity: O(key + bytes). Memory: about 1 MiB, and one piece.
    public nonisolated(nonsending) func setBytes<Pieces: AsyncSequence>(
        from pieces: Pieces, forKey key: some StoreKey, options: ValueOptions = [], durability: Durability? = nil
    ) async throws where Pieces.Element == [UInt8] {
        let writer = try makeValueWriter(forKey: key, options: options)
        do {
            for try await piece in pieces {
                try await BlockingWork.run { (_) throws(StorageError) in try writer.append(piece) }
            }
            try await BlockingWork.run { (_) throws(StorageError) in try writer.commit(durability: durability) }
        } catch {
            // Does nothing after a commit, and keeps a value that may be committed.
            writer.cancel()
            throw error
        }
    }

    /// Stores the content of a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - key: At most 16 KiB.
    ///   - options: Purgeability, expiry and encryption of the entry.
    ///   - durability: What the entry survives once the call has returned; `nil` means the store's default.
    /// - Throws: `.missing` if there is no such file, `.ioFailure` if it can't be read, and the errors of
    ///   ``Store/ValueWriter``, with nothing written unless it is `.indeterminate`.
    /// - Complexity: O(key + bytes). Memory: about 1 MiB.
    public func setBytes(
        ofFile path: String, forKey key: some StoreKey, options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) {
        try DescriptorReader.withFile(at: path, failure: \.storageError) { (reader) throws(StorageError) in
            try setBytes(of: reader, key, options, durability)
        }
    }

    /// Stores what a file, a pipe or a socket has, from its position to its end.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor, such as that of a `FileHandle`. It stays open.
    ///   - key: At most 16 KiB.
    ///   - options: Purgeability, expiry and encryption of the entry.
    ///   - durability: What the entry survives once the call has returned; `nil` means the store's default.
    /// - Throws: `.ioFailure` if reading fails, and the errors of ``Store/ValueWriter``, with nothing written unless
    ///   it is `.indeterminate`. Bytes that were read before an error are lost to the caller.
    /// - Complexity: O(key + bytes). Memory: about 1 MiB. Waits as long as the descriptor's reads do.
    public func setBytes(
        fromDescriptor descriptor: CInt, forKey key: some StoreKey, options: ValueOptions = [],
        durability: Durability? = nil
    ) throws(StorageError) {
        try setBytes(of: DescriptorReader(descriptor), key, options, durability)
    }

    private func setBytes(
        of reader: DescriptorReader, _ key: some StoreKey, _ options: ValueOptions, _ durability: Durability?
    ) throws(StorageError) {
        let writer = try makeValueWriter(forKey: key, options: options)
        let buffer = OwnedBytes(count: 256 << 10)
        defer { withExtendedLifetime(buffer) {} }
        do throws(StorageError) {
            while true {
                let count: Int
                do throws(IOFailure) { count = try reader.read(into: buffer.mutable) } catch {
                    throw error.storageError
                }
                if count == 0 { break }
                try writer.append(buffer.bytes.slice(0, count).span)
            }
        } catch {
            writer.cancel()
            throw error
        }
        try writer.commit(durability: durability)
    }
}
