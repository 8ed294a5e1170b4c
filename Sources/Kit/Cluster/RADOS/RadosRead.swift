#if RADOS
    import CRados

    /// A compound read. Used by one call: librados fills in the results before it completes the operation.
    @safe
    final class RadosRead: @unchecked Sendable {
        private let handle: rados_read_op_t?
        /// librados writes them, and ``contents()`` reads them after the completion.
        private let results: RadosResults
        private let hasSize: Bool

        init(_ query: ObjectQuery) {
            unsafe handle = rados_create_read_op()
            results = RadosResults(dataBytes: query.dataBytes ?? 0)
            hasSize = query.size
            addParts(query)
        }

        deinit {
            results.deallocate()
            unsafe rados_release_read_op(handle)
        }

        private func addParts(_ query: ObjectQuery) {
            if let value = query.requiredAttribute {
                unsafe withText(value) { (text, count) in
                    unsafe rados_read_op_cmpxattr(
                        handle, attributeName, UInt8(LIBRADOS_CMPXATTR_OP_EQ), text, count)
                }
            }
            if query.attribute { unsafe rados_read_op_getxattrs(handle, results.attributes, nil) }
            if query.size { unsafe rados_read_op_stat(handle, results.size, nil, nil) }
            if !query.names.isEmpty {
                unsafe withTexts(query.names) { (texts, lengths) in
                    unsafe rados_read_op_omap_get_vals_by_keys2(
                        handle, texts, query.names.count, lengths, results.found, nil)
                }
            }
            if let page = query.page {
                // librados takes both as texts that end with 0.
                unsafe withText(page.after + [0]) { (after, _) in
                    unsafe withText(page.prefix + [0]) { (prefix, _) in
                        unsafe rados_read_op_omap_get_vals2(
                            handle, after, prefix, UInt64(page.limit), results.page, results.hasMore, nil)
                    }
                }
            }
            if let count = query.dataBytes {
                unsafe rados_read_op_read(handle, 0, count, results.data, results.dataCount, nil)
            }
        }

        func send(_ context: RadosContext, _ object: String, _ completion: rados_completion_t) -> Int32 {
            unsafe rados_aio_read_op_operate(
                handle, context.handle, completion, object, Int32(LIBRADOS_OPERATION_NOFLAG))
        }

        /// Returns the results of an operation that has succeeded.
        func contents() -> ObjectContents {
            var contents = ObjectContents()
            contents.attribute = attribute()
            contents.size = hasSize ? unsafe results.size.pointee : nil
            contents.found = unsafe entries(results.found.pointee)
            contents.page = unsafe entries(results.page.pointee)
            contents.hasMore = unsafe results.hasMore.pointee != 0
            contents.data = unsafe [UInt8](
                UnsafeRawBufferPointer(start: results.data, count: results.dataCount.pointee))
            return contents
        }

        private func attribute() -> [UInt8]? {
            guard let iterator = unsafe results.attributes.pointee else { return nil }
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

        private func entries(_ iterator: rados_omap_iter_t?) -> ObjectEntries {
            var entries = ObjectEntries()
            guard let iterator = unsafe iterator else { return entries }
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

    /// The place of the results of a read, in one allocation.
    @safe
    private struct RadosResults {
        private static let fields = 6
        private static let dataOffset = fields * MemoryLayout<Int>.stride

        private let place: UnsafeMutableRawPointer

        init(dataBytes: Int) {
            unsafe place = .allocate(
                byteCount: RadosResults.dataOffset + dataBytes, alignment: MemoryLayout<Int>.alignment)
            // No iterator, no bytes of data, and no entries that follow.
            unsafe place.initializeMemory(as: Int.self, repeating: 0, count: RadosResults.fields)
        }

        func deallocate() {
            if let attributes = unsafe attributes.pointee { unsafe rados_getxattrs_end(attributes) }
            if let found = unsafe found.pointee { unsafe rados_omap_get_end(found) }
            if let page = unsafe page.pointee { unsafe rados_omap_get_end(page) }
            unsafe place.deallocate()
        }

        var attributes: UnsafeMutablePointer<rados_xattrs_iter_t?> { unsafe field(0) }
        var found: UnsafeMutablePointer<rados_omap_iter_t?> { unsafe field(1) }
        var page: UnsafeMutablePointer<rados_omap_iter_t?> { unsafe field(2) }
        var dataCount: UnsafeMutablePointer<Int> { unsafe field(3) }
        var hasMore: UnsafeMutablePointer<UInt8> { unsafe field(4) }
        var size: UnsafeMutablePointer<UInt64> { unsafe field(5) }
        var data: UnsafeMutablePointer<CChar> { unsafe field(RadosResults.fields) }

        private func field<Field>(_ index: Int) -> UnsafeMutablePointer<Field> {
            unsafe (place + index * MemoryLayout<Int>.stride).assumingMemoryBound(to: Field.self)
        }
    }
#endif
