#if Encryption
    /// The lifetime and the protection of a value in a ``DataBox``.
    public enum BoxScope: Sendable, Hashable, CaseIterable {
        /// In the data directory, not encrypted. The value is lost with the directory.
        case standard
        /// In the vault. The value survives deletion of the data directory.
        case vault
        /// In the vault, sealed to this installation. Once the data directory is deleted, the value can't be read any
        /// more, and the next opening erases it.
        case restricted
    }
#endif
