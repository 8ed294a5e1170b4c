public import ShaleBase

extension StorageError {
    /// The stored value has another type than the one asked for, or does not fit into it. Code `.typeMismatch`; both
    /// names are in the message.
    public static func typeMismatch(stored: String, requested: String) -> StorageError {
        StorageError(.typeMismatch, "the stored value has another type stored=\(stored) requested=\(requested)")
    }

    /// For a codec that `requested` is never stored with: unknown codecs are a newer format, known ones another type.
    @usableFromInline @inline(never)
    static func unexpected(_ codec: ValueCodec, requested: String) -> StorageError {
        guard codec.isKnown else {
            return StorageError(
                .newerFormat, "a stored value has a codec that this version does not know codec=\(codec.rawValue)")
        }
        return .typeMismatch(stored: codec.description, requested: requested)
    }

    /// A payload that is not what its codec says, although its checksum held.
    @usableFromInline @inline(never)
    static func badPayload(_ codec: ValueCodec, _ byteCount: Int) -> StorageError {
        .corruption("a stored value is not a valid \(codec) bytes=\(byteCount)")
    }

    /// Nobody can store a date that is not a number: Foundation ends the process when it describes one.
    @usableFromInline @inline(never)
    static func dateIsNoNumber() -> StorageError {
        StorageError(.invalidArgument, "a date is not a number")
    }
}
