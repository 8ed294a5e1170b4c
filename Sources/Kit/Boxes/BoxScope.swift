#if Encryption
    /// How long a value of a ``DataBox`` lasts, and who may read it.
    public enum BoxScope: Sendable, Hashable, CaseIterable {
        /// In the data directory, in the clear: gone with it.
        case standard
        /// In the vault: still there when the data directory was deleted and the application starts anew.
        case vault
        /// In the vault, sealed to this installation: once the data directory was deleted nobody can read it, and the next opening
        /// erases it.
        case restricted
    }
#endif
