#if RADOS
    import CRados

    /// The name of the only attribute that objects of namespaces have.
    private let attributeName = "shale"

    /// A compound write. Used by one call.
    @safe
    final class RadosWrite: @unchecked Sendable {
        // Changed by `init` only; librados takes its content when the operation is sent.
        private let handle: rados_write_op_t?
        private let flags: Int32

        init(_ change: ObjectChange) {
            flags = Int32(
                change.isTriedWithoutSpace ? LIBRADOS_OPERATION_FULL_TRY : LIBRADOS_OPERATION_NOFLAG)
            unsafe handle = rados_create_write_op()
            for step in change.steps { add(step) }
        }

        deinit { unsafe rados_release_write_op(handle) }

        /// Sends the operation.
        func send(_ context: RadosContext, _ object: String, _ completion: rados_completion_t) -> Int32 {
            unsafe rados_aio_write_op_operate(handle, context.handle, completion, object, nil, flags)
        }

        private func add(_ step: ObjectChange.Step) {
            switch step {
            case .requireObject: unsafe rados_write_op_assert_exists(handle)
            case .create: unsafe rados_write_op_create(handle, LIBRADOS_CREATE_EXCLUSIVE, nil)
            case .requireAttribute(let value):
                unsafe withText(value) { (text, count) in
                    unsafe rados_write_op_cmpxattr(
                        handle, attributeName, UInt8(LIBRADOS_CMPXATTR_OP_EQ), text, count)
                }
            case .setAttribute(let value):
                unsafe withText(value) { (text, count) in
                    unsafe rados_write_op_setxattr(handle, attributeName, text, count)
                }
            case .requireEntry(let name, let value):
                unsafe withText(name) { (name, nameCount) in
                    unsafe withText(value) { (value, valueCount) in
                        unsafe rados_write_op_omap_cmp2(
                            handle, name, UInt8(LIBRADOS_CMPXATTR_OP_EQ), value, nameCount, valueCount, nil)
                    }
                }
            case .setEntries(let entries):
                unsafe entries.withUnsafeBytes { (bytes) in
                    let names = unsafe RadosTexts(bytes, entries.indices.lazy.map { entries.nameRange($0) })
                    let values = unsafe RadosTexts(bytes, entries.indices.lazy.map { entries.valueRange($0) })
                    unsafe names.with { (names, nameLengths) in
                        unsafe values.with { (values, valueLengths) in
                            unsafe rados_write_op_omap_set2(
                                handle, names, values, nameLengths, valueLengths, entries.count)
                        }
                    }
                }
            case .removeEntries(let names):
                unsafe withTexts(names) { (texts, lengths) in
                    unsafe rados_write_op_omap_rm_keys2(handle, texts, lengths, names.count)
                }
            case .setData(let data):
                unsafe withText(data) { (text, count) in
                    unsafe rados_write_op_write_full(handle, text, count)
                }
            case .removeObject: unsafe rados_write_op_remove(handle)
            }
        }
    }

    /// A compound read. Used by one call: librados fills in the results before it completes the operation.
    @safe
    final class RadosRead: @unchecked Sendable {
        private let query: ObjectQuery
        private let handle: rados_read_op_t?
        /// Attributes, entries of names, page. librados writes them, and ``contents()`` reads them after the
        /// completion.
        private let iterators: UnsafeMutablePointer<UnsafeMutableRawPointer?>
        private let more: UnsafeMutablePointer<UInt8>
        private let dataCount: UnsafeMutablePointer<Int>
        private let data: UnsafeMutablePointer<CChar>

        init(_ query: ObjectQuery) {
            self.query = query
            unsafe handle = rados_create_read_op()
            unsafe iterators = .allocate(capacity: 3)
            unsafe iterators.initialize(repeating: nil, count: 3)
            unsafe more = .allocate(capacity: 1)
            unsafe more.initialize(to: 0)
            unsafe dataCount = .allocate(capacity: 1)
            unsafe dataCount.initialize(to: 0)
            unsafe data = .allocate(capacity: max(1, query.dataBytes ?? 0))
            addParts()
        }

        deinit {
            if let attributes = unsafe iterators[0] { unsafe rados_getxattrs_end(attributes) }
            for index in 1...2 {
                if let entries = unsafe iterators[index] { unsafe rados_omap_get_end(entries) }
            }
            unsafe rados_release_read_op(handle)
            unsafe iterators.deallocate()
            unsafe more.deallocate()
            unsafe dataCount.deallocate()
            unsafe data.deallocate()
        }

        private func addParts() {
            if let value = query.requiredAttribute {
                unsafe withText(value) { (text, count) in
                    unsafe rados_read_op_cmpxattr(
                        handle, attributeName, UInt8(LIBRADOS_CMPXATTR_OP_EQ), text, count)
                }
            }
            if query.attribute { unsafe rados_read_op_getxattrs(handle, iterators, nil) }
            if !query.names.isEmpty {
                unsafe withTexts(query.names) { (texts, lengths) in
                    unsafe rados_read_op_omap_get_vals_by_keys2(
                        handle, texts, query.names.count, lengths, iterators + 1, nil)
                }
            }
            if let page = query.page {
                // librados takes both as texts that end with 0.
                unsafe withText(page.after + [0]) { (after, _) in
                    unsafe withText(page.prefix + [0]) { (prefix, _) in
                        unsafe rados_read_op_omap_get_vals2(
                            handle, after, prefix, UInt64(page.limit), iterators + 2, more, nil)
                    }
                }
            }
            if let count = query.dataBytes { unsafe rados_read_op_read(handle, 0, count, data, dataCount, nil) }
        }

        func send(_ context: RadosContext, _ object: String, _ completion: rados_completion_t) -> Int32 {
            unsafe rados_aio_read_op_operate(
                handle, context.handle, completion, object, Int32(LIBRADOS_OPERATION_NOFLAG))
        }

        /// Returns the results of an operation that has succeeded.
        func contents() -> ObjectContents {
            var contents = ObjectContents()
            contents.attribute = attribute()
            contents.found = entries(1)
            contents.page = entries(2)
            contents.hasMore = unsafe more.pointee != 0
            contents.data = unsafe [UInt8](UnsafeRawBufferPointer(start: data, count: dataCount.pointee))
            return contents
        }

        private func attribute() -> [UInt8]? {
            guard let iterator = unsafe iterators[0] else { return nil }
            while true {
                var (name, value): (UnsafePointer<CChar>?, UnsafePointer<CChar>?) = (nil, nil)
                var count = 0
                let status = unsafe rados_getxattrs_next(iterator, &name, &value, &count)
                guard status == 0, let name = unsafe name else { return nil }
                if unsafe String(cString: name) == attributeName {
                    return unsafe [UInt8](UnsafeRawBufferPointer(start: value, count: count))
                }
            }
        }

        private func entries(_ index: Int) -> ObjectEntries {
            var entries = ObjectEntries()
            guard let iterator = unsafe iterators[index] else { return entries }
            let count = Int(unsafe rados_omap_iter_size(iterator))
            while true {
                var (name, value): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (nil, nil)
                var (nameCount, valueCount) = (0, 0)
                let status = unsafe rados_omap_get_next2(iterator, &name, &value, &nameCount, &valueCount)
                guard status == 0, let name = unsafe name else { return entries }
                // Most entries of a page are about as large as the first one.
                if entries.isEmpty { entries.reserveCapacity(count, byteCount: count * (nameCount + valueCount)) }
                entries.append { (bytes) in
                    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: name, count: nameCount))
                } value: { (bytes) in
                    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: value, count: valueCount))
                }
            }
        }
    }

    /// Passes bytes in the form that librados takes. The address is valid, and not nil, during the call, which copies
    /// the bytes.
    private func withText(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>, Int) -> Void) {
        unsafe bytes.withUnsafeBytes { (buffer) in
            guard let base = buffer.baseAddress else {
                var nothing: CChar = 0
                return unsafe body(&nothing, 0)
            }
            unsafe body(base.assumingMemoryBound(to: CChar.self), buffer.count)
        }
    }

    /// Passes byte strings in the form that librados takes: addresses and lengths. Valid during the call, which copies
    /// the bytes.
    private func withTexts(
        _ texts: [[UInt8]], _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int>) -> Void
    ) {
        if texts.count == 1 {
            return unsafe withText(texts[0]) { (text, count) in
                var (address, length): (UnsafePointer<CChar>?, Int) = unsafe (text, count)
                unsafe body(&address, &length)
            }
        }
        var ranges: [Range<Int>] = []
        var bytes: [UInt8] = []
        for text in texts {
            ranges.append(bytes.count..<bytes.count + text.count)
            bytes += text
        }
        // Never empty, so that there is an address.
        bytes.append(0)
        unsafe bytes.withUnsafeBytes { unsafe RadosTexts($0, ranges).with(body) }
    }

    /// Byte strings in one buffer, in the form that librados takes. Valid as long as the buffer.
    @safe
    private struct RadosTexts {
        private let addresses: [UnsafePointer<CChar>?]
        private let lengths: [Int]

        init(_ bytes: UnsafeRawBufferPointer, _ ranges: some Collection<Range<Int>>) {
            unsafe addresses = ranges.map {
                unsafe UnsafeRawBufferPointer(rebasing: bytes[$0]).baseAddress?.assumingMemoryBound(to: CChar.self)
            }
            lengths = ranges.map { $0.count }
        }

        func with(_ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int>) -> Void) {
            unsafe addresses.withUnsafeBufferPointer { (addresses) in
                unsafe lengths.withUnsafeBufferPointer { (lengths) in
                    guard let addresses = addresses.baseAddress, let lengths = lengths.baseAddress else { return }
                    unsafe body(addresses, lengths)
                }
            }
        }
    }
#endif
