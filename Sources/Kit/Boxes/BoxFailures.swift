#if Encryption
    import ShalePlatform

    /// What went wrong where a property could not say so: see ``DataBox/failures``.
    public struct BoxFailures: Sendable {
        /// An error that a property could not throw.
        public struct Failure: Sendable {
            /// What was thrown.
            public let error: StorageError
            /// The property's key; empty when its name could not be found.
            public let key: String
            /// The property's scope.
            public let scope: BoxScope
            /// Whether the value was to be set; otherwise it was read.
            public let isWrite: Bool
        }

        /// Reads that gave `nil` or a default in place of an error, since the box was opened.
        public internal(set) var failedReads = 0
        /// Writes that are not there, since the box was opened.
        public internal(set) var failedWrites = 0
        /// The newest of them, oldest first; at most 16.
        public internal(set) var newest: [Failure] = []
    }

    extension DataBox {
        /// The errors of properties, which can't throw: see ``StoredProperty``. A copy.
        public var failures: BoxFailures { failureLog.current }
    }

    /// Thread-safe.
    final class BoxFailureLog: Sendable {
        private static let newestMax = 16

        private let failures = Guarded(BoxFailures())

        var current: BoxFailures { failures.withLock { $0 } }

        func record(_ error: StorageError, _ key: String, _ scope: BoxScope, isWrite: Bool) {
            let failure = BoxFailures.Failure(error: error, key: key, scope: scope, isWrite: isWrite)
            failures.withLock { failures in
                if isWrite { failures.failedWrites += 1 } else { failures.failedReads += 1 }
                if failures.newest.count == BoxFailureLog.newestMax { failures.newest.removeFirst() }
                failures.newest.append(failure)
            }
        }
    }
#endif
