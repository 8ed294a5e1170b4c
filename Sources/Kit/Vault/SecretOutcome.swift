#if Encryption
    /// The outcome of storing a secret.
    public enum SecretOutcome: Sendable, Hashable {
        /// The secret was stored.
        case stored
        /// The same secret was stored already.
        case unchanged
        /// Another secret was stored already and was kept, as the caller requested: the new one is **not** stored.
        case kept
    }
#endif
