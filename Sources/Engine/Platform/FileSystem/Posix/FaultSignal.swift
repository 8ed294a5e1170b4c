#if canImport(Glibc)
    import Glibc

    /// The question whether the calling thread can be told of a failed access to a mapping. The kernel kills a process
    /// whose failed access raises a blocked SIGBUS, without calling a handler.
    enum FaultSignal {
        /// The key of a thread's answer: 1 for yes, 2 for no. `nil` if no key is left, so that no thread may ask.
        private static let key: pthread_key_t? = {
            var key = pthread_key_t()
            return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
        }()

        /// False if the calling thread blocks SIGBUS. The kernel is asked at the thread's first use and not again: that
        /// takes as long as half a `pread`.
        @inline(__always)
        static var reachesThread: Bool {
            guard let key else { return false }
            if let known = unsafe pthread_getspecific(key) { return UInt(bitPattern: known) == 1 }
            return ask(key)
        }

        @inline(never)
        private static func ask(_ key: pthread_key_t) -> Bool {
            let answer = isUnblocked
            return unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: answer ? 1 : 2)) == 0 && answer
        }

        /// False if the calling thread blocks SIGBUS now. A system call.
        static var isUnblocked: Bool {
            var blocked = sigset_t()
            return unsafe pthread_sigmask(SIG_BLOCK, nil, &blocked) == 0 && sigismember(&blocked, SIGBUS) == 0
        }
    }
#endif
