#if Logging || Metrics || Tracing || ServiceLifecycle
    import ShaleBase
    import ShalePlatform

    extension StorageError {
        /// The error with causes from the store alone. Those from elsewhere, such as errors of a `Decodable` type, may
        /// quote a value.
        var withoutValues: StorageError {
            let cause: (any Error)? =
                switch cause {
                case let cause as StorageError: cause.withoutValues
                case let cause as IOFailure: cause
                default: nil
                }
            return StorageError(code, message, file: file, offset: offset, cause: cause)
        }
    }
#endif
