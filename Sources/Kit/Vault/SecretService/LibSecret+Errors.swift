#if Encryption && os(Linux)
    extension LibSecret {
        static var lockedError: StorageError {
            StorageError(.locked, "the keyring is locked, and only the user can unlock it")
        }

        /// Runs a function that may set an error, and throws that error.
        func checked<R>(_ deadline: ServiceDeadline, _ body: (ErrorPlace) -> R) throws(StorageError) -> R {
            var error: Pointer?
            let result = unsafe body(&error)
            guard let error = unsafe error else { return result }
            defer { unsafe freeError(error) }
            // A GError: domain, code, message. The message is left out because it may name what was requested.
            let domain = unsafe error.load(as: UInt32.self)
            let code = unsafe error.load(fromByteOffset: 4, as: CInt.self)
            throw failure(domain, code, deadline)
        }

        private func failure(_ domain: UInt32, _ code: CInt, _ deadline: ServiceDeadline) -> StorageError {
            if deadline.isOver {
                return StorageError(.unavailable, "the Secret Service did not answer in time")
            }
            if domain == secretErrors(), code == LibSecret.isLockedError { return LibSecret.lockedError }
            let name = unsafe quarkName(domain).map { unsafe String(cString: $0) } ?? "\(domain)"
            return StorageError(.unavailable, "the Secret Service can't be used domain=\(name) code=\(code)")
        }
    }
#endif
