public import Shale

/// A record that can't be decoded, decrypted or migrated. It fails alone: other records of a query are delivered.
public struct RecordFailure: Sendable {
    public let key: RecordKey
    public let error: StorageError

    /// True for errors that concern one record. Any other error ends a query.
    static func isOfRecord(_ error: StorageError) -> Bool {
        let codes: [StorageError.Code] = [
            .codecFailure, .typeMismatch, .newerFormat, .authenticationFailed, .cipherMismatch, .corruption,
        ]
        // Damage of a file has a place. Other records in the same file are likely to have the same error, and the walk
        // can't continue behind it.
        return codes.contains(error.code) && error.file == nil
    }
}
