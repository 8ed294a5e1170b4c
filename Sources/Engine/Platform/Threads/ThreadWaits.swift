#if SHALE_WAITS
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif
    import Synchronization

    /// Records of what each thread waits for, for the report of a test that hangs. Only in builds with the compilation
    /// condition `SHALE_WAITS`: debug builds, and those of the nightly and the release ring.
    ///
    /// A thread that blocks on a ``Lock``, a stripe of ``LockStripes``, a ``Condition``, a ``Parker`` or a
    /// ``WorkerThread`` records the object, the place in the sources and the time in a slot of its own. If the
    /// environment variable `SHALE_HANG_REPORT` is set, SIGQUIT prints the slots. `tools/test` sends it to a program
    /// before it ends it.
    @safe
    enum ThreadWaits {
        enum Kind: UInt64 {
            /// The slot belongs to a thread that does not wait.
            case nothing = 1
            case lock, condition, join
        }

        /// One thread's entry: 128 bytes. Written by its thread, and read by the signal's handler.
        @unsafe
        private struct Slot {
            /// A ``Kind``; 0 while the slot belongs to no thread.
            var kind: UInt64
            var object: UInt
            var since: UInt64
            var file: UnsafePointer<UInt8>?
            var fileCount: Int
            var line: UInt
            var name: (UInt64, UInt64)
        }

        /// The tests of the library have up to a thousand threads at once.
        private static let slotCount = 4096
        private static let stride = 128

        /// The slots, and the key under which a thread finds its own.
        @unsafe
        private struct Table: @unchecked Sendable {
            let slots: UnsafeMutableRawPointer
            let key: pthread_key_t
        }

        private static let table: Table = {
            let slots = UnsafeMutableRawPointer.allocate(byteCount: slotCount * stride, alignment: stride)
            unsafe slots.initializeMemory(as: UInt8.self, repeating: 0, count: slotCount * stride)
            var key = pthread_key_t()
            let status = unsafe pthread_key_create(&key) { slot in
                let slot: UnsafeMutableRawPointer? = unsafe slot
                if let slot = unsafe slot { unsafe kindWord(slot).pointee.store(0, ordering: .releasing) }
            }
            precondition(status == 0, "no thread-specific key is left")
            if unsafe getenv("SHALE_HANG_REPORT") != nil {
                _ = signal(SIGQUIT) { _ in ThreadWaits.report(to: Report(descriptor: 2)) }
            }
            return unsafe Table(slots: slots, key: key)
        }()

        /// The calling thread's slot; nil when all are taken.
        private static func currentSlot() -> UnsafeMutablePointer<Slot>? {
            let table = unsafe table
            if let known = unsafe pthread_getspecific(table.key) {
                return unsafe known.assumingMemoryBound(to: Slot.self)
            }
            for index in 0..<slotCount {
                let place = unsafe table.slots + index * stride
                let isOwned = unsafe kindWord(place).pointee.compareExchange(
                    expected: 0, desired: Kind.nothing.rawValue, ordering: .acquiring)
                guard isOwned.exchanged else { continue }
                unsafe pthread_setspecific(table.key, place)
                let slot = unsafe place.assumingMemoryBound(to: Slot.self)
                unsafe slot.pointee.name = (0, 0)
                return unsafe slot
            }
            return nil
        }

        /// Names the calling thread in reports.
        static func setName(_ name: String) {
            guard let slot = unsafe currentSlot() else { return }
            unsafe withUnsafeMutableBytes(of: &slot.pointee.name) { bytes in
                for (index, byte) in name.utf8.prefix(bytes.count).enumerated() { unsafe bytes[index] = byte }
            }
        }

        /// Runs `wait`, which may block, and keeps account of it.
        static func during<Result>(
            _ kind: Kind, _ object: UInt, _ file: StaticString, _ line: UInt, _ wait: () -> Result
        ) -> Result {
            guard let slot = unsafe currentSlot() else { return wait() }
            unsafe slot.pointee.object = object
            unsafe slot.pointee.file = file.utf8Start
            unsafe slot.pointee.fileCount = file.utf8CodeUnitCount
            unsafe slot.pointee.line = line
            unsafe slot.pointee.since = now
            let word = unsafe kindWord(UnsafeMutableRawPointer(slot))
            unsafe word.pointee.store(kind.rawValue, ordering: .relaxed)
            defer { unsafe word.pointee.store(Kind.nothing.rawValue, ordering: .relaxed) }
            return wait()
        }

        /// The first word of a slot. Atomic, because a thread that looks for a slot reads those of other threads.
        private static func kindWord(_ slot: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt64>> {
            unsafe slot.assumingMemoryBound(to: Atomic<UInt64>.self)
        }

        private static var now: UInt64 {
            var time = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec)
        }

        /// Records behind `mutex` that the calling thread holds it. There is room for a word.
        static func noteHolder(of mutex: UnsafeMutablePointer<pthread_mutex_t>) {
            unsafe UnsafeMutableRawPointer(mutex + 1).storeBytes(of: currentNumber, as: UInt64.self)
        }

        /// The calling thread as a number. 0 for none.
        private static var currentNumber: UInt64 {
            guard let slot = unsafe currentSlot() else { return 0 }
            return UInt64(unsafe UnsafeRawPointer(slot) - UnsafeRawPointer(table.slots)) / UInt64(stride) + 1
        }

        // MARK: The report

        /// Prints the slots of the threads that wait. In a signal's handler: takes no memory and no lock.
        static func report(to report: Report) {
            for index in 0..<slotCount {
                let slot = unsafe (table.slots + index * stride).assumingMemoryBound(to: Slot.self)
                guard let kind = unsafe Kind(rawValue: slot.pointee.kind), kind != .nothing else { continue }
                report.write("WAITING thread ")
                writeThread(UInt64(index + 1), to: report)
                switch kind {
                case .nothing: continue
                case .lock: report.write(" for the lock ")
                case .condition: report.write(" for the condition ")
                case .join: report.write(" for the end of thread ")
                }
                report.write(UInt64(unsafe slot.pointee.object), radix: 16)
                report.write(" at ")
                if let file = unsafe slot.pointee.file { unsafe report.write(file, slot.pointee.fileCount) }
                report.write(":")
                report.write(UInt64(unsafe slot.pointee.line), radix: 10)
                report.write(" since ")
                let since = unsafe slot.pointee.since
                report.write(now &- since, radix: 10)
                report.write(" s")
                if kind == .lock, let mutex = unsafe UnsafePointer<pthread_mutex_t>(bitPattern: slot.pointee.object) {
                    report.write(", held by ")
                    writeThread(unsafe UnsafeRawPointer(mutex + 1).load(as: UInt64.self), to: report)
                }
                report.write("\n")
            }
        }

        private static func writeThread(_ number: UInt64, to report: Report) {
            report.write(number, radix: 10)
            guard number > 0, number <= UInt64(slotCount) else { return }
            let slot = unsafe (table.slots + Int(number - 1) * stride).assumingMemoryBound(to: Slot.self)
            report.write(" ")
            unsafe withUnsafeBytes(of: &slot.pointee.name) { bytes in
                let count = unsafe bytes.firstIndex(of: 0) ?? bytes.count
                if let start = bytes.baseAddress { unsafe report.write(start, count) }
            }
        }

        /// The destination of a report.
        struct Report {
            let descriptor: Int32

            func write(_ text: StaticString) { unsafe write(text.utf8Start, text.utf8CodeUnitCount) }

            func write(_ number: UInt64, radix: UInt64) {
                var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
                unsafe withUnsafeMutableBytes(of: &digits) { bytes in
                    var rest = number
                    var index = bytes.count
                    repeat {
                        index -= 1
                        let digit = UInt8(rest % radix)
                        unsafe bytes[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
                        rest /= radix
                    } while rest > 0 && index > 0
                    if let start = bytes.baseAddress { unsafe write(start + index, bytes.count - index) }
                }
            }

            func write(_ start: UnsafeRawPointer, _ count: Int) {
                #if canImport(Darwin)
                    _ = unsafe Darwin.write(descriptor, start, count)
                #elseif canImport(Musl)
                    _ = unsafe Musl.write(descriptor, start, count)
                #else
                    _ = unsafe Glibc.write(descriptor, start, count)
                #endif
            }
        }
    }
#endif
