#if Encryption
    import ShalePlatform

    /// The errors that properties could not throw. See ``DataBox/failures``.
    public struct BoxFailures: Sendable {
        /// An error that a property could not throw.
        public struct Failure: Sendable {
            /// The error that was thrown.
            public let error: StorageError
            /// The property's key; empty when its name could not be found.
            public let key: String
            /// The property's scope.
            public let scope: BoxScope
            /// True if the value was being set, false if it was being read.
            public let isWrite: Bool
        }

        /// The number of reads that returned `nil` or a default instead of an error since the box was opened.
        public internal(set) var failedReads = 0
        /// The number of writes that failed since the box was opened. Their values are not stored.
        public internal(set) var failedWrites = 0
        /// The newest failures, oldest first; at most 16.
        public internal(set) var newest: [Failure] = []
    }

    extension DataBox {
        /// The errors of properties, which can't throw, as a copy. See ``StoredProperty``.
        public var failures: BoxFailures { failureLog.current }
    }

    /// Collects failures. Thread-safe.
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
