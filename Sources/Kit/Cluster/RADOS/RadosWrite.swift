#if RADOS
    import CRados

    /// A compound write. Used by one call.
    @safe
    final class RadosWrite: @unchecked Sendable {
        // Changed by `init` only; librados takes its content when the operation is sent.
        private let handle: rados_write_op_t?
        private let flags: Int32

        init(_ change: ObjectChange) {
            let withoutSpace =
                change.isForcedWithoutSpace ? LIBRADOS_OPERATION_FULL_FORCE : LIBRADOS_OPERATION_FULL_TRY
            flags = Int32(
                change.isForcedWithoutSpace || change.isTriedWithoutSpace ? withoutSpace : LIBRADOS_OPERATION_NOFLAG)
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
            case .setSize(let size): unsafe rados_write_op_truncate(handle, size)
            case .removeObject: unsafe rados_write_op_remove(handle)
            }
        }
    }
#endif
