#if Encryption
    /// What became of a secret that was to be stored.
    public enum SecretOutcome: Sendable, Hashable {
        /// It is there now, and was not before.
        case stored
        /// The same was there already.
        case unchanged
        /// Another one was there and was left alone, as the caller wished: the new one is **not** stored.
        case kept
    }
#endif
