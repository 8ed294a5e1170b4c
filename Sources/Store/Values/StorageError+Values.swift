public import ShaleBase

extension StorageError {
    /// Returns an error for a stored value that has another type than requested or does not fit into it.
    ///
    /// Code `.typeMismatch`; the message contains both names.
    public static func typeMismatch(stored: String, requested: String) -> StorageError {
        StorageError(.typeMismatch, "the stored value has another type stored=\(stored) requested=\(requested)")
    }

    /// Returns an error for a codec that `requested` is never stored with: `.newerFormat` for an unknown codec,
    /// `.typeMismatch` for a known one.
    @usableFromInline @inline(never)
    static func unexpected(_ codec: ValueCodec, requested: String) -> StorageError {
        guard codec.isKnown else {
            return StorageError(
                .newerFormat, "a stored value has a codec that this version does not know codec=\(codec.rawValue)")
        }
        return .typeMismatch(stored: codec.description, requested: requested)
    }

    /// Returns an error for a payload that is not valid for its codec, although its checksum is right.
    @usableFromInline @inline(never)
    static func badPayload(_ codec: ValueCodec, _ byteCount: Int) -> StorageError {
        .corruption("a stored value is not a valid \(codec) bytes=\(byteCount)")
    }

    /// Returns an error for a date that is NaN. It can't be stored: Foundation ends the process when it describes one.
    @usableFromInline @inline(never)
    static func dateIsNoNumber() -> StorageError {
        StorageError(.invalidArgument, "a date is not a number")
    }
}
