#if Encryption && os(Linux)
    import Dispatch

    /// One call to the back end: a sequence of operations on the bus. Objects obtained in the call are released with
    /// it.
    struct ServiceCall {
        /// The attributes that identify an item: its address as ``AddressText``. Services can only look up equal
        /// attributes. Stored there, do not change.
        enum Attribute {
            /// The attribute by which libsecret and other programs identify the owner of an item.
            static let schema = "xdg:schema"
            static let schemaName = "shale.Vault"
            /// The first two parts of the path, or fewer. Items below a longer path are searched for within this root.
            static let root = "root"
            static let rootParts = 2
            static let path = "path"
            static let name = "name"
        }

        let library: LibSecret
        let service: ForeignObject
        let deadline: ServiceDeadline

        /// Returns the same call with a new deadline, for one of many steps.
        func renewed() throws(StorageError) -> ServiceCall {
            guard let deadline = ServiceDeadline(library, deadline.limit) else { throw ServiceConnection.noMemory }
            return ServiceCall(library: library, service: service, deadline: deadline)
        }

        private var cancellable: LibSecret.Pointer { unsafe deadline.cancellable.pointer }

        /// Returns a keyring that is unlocked. Throws `.missing` if there is none, `.locked` if a user would have to
        /// unlock it.
        func keyring(_ alias: String) throws(StorageError) -> ForeignObject {
            let found = try unsafe library.checked(deadline) {
                unsafe library.object(library.collection(service.pointer, alias, 0, cancellable, $0))
            }
            guard let found else { throw StorageError(.missing, "the Secret Service has no such keyring") }
            guard unsafe library.isCollectionLocked(found.pointer) == 0 else { throw LibSecret.lockedError }
            return found
        }

        /// Returns our items with these attributes, with their secrets.
        func items(in keyring: ForeignObject, _ attributes: [String: String]) throws(StorageError) -> [ForeignObject] {
            let table = try attributesTable(attributes)
            return try unsafe library.checked(deadline) {
                unsafe library.objects(
                    library.search(
                        keyring.pointer, nil, table.pointer, LibSecret.searchAll | LibSecret.loadSecrets,
                        cancellable, $0))
            }
        }

        /// Returns the secret of an item. Throws `.locked` if the keyring has been locked meanwhile.
        func secret(of item: ForeignObject) throws(StorageError) -> [UInt8] {
            guard let value = unsafe library.secret(item.pointer) else {
                guard unsafe library.isItemLocked(item.pointer) == 0 else { throw LibSecret.lockedError }
                throw StorageError(.unavailable, "the Secret Service returned no secret")
            }
            defer { unsafe library.releaseValue(value) }
            var count: UInt = 0
            guard let bytes = unsafe library.bytes(value, &count) else { return [] }
            return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
        }

        /// Returns the address of an item; `nil` if the item is not ours.
        func address(of item: ForeignObject) -> SecretAddress? {
            guard let pointer = unsafe library.attributes(item.pointer) else { return nil }
            let attributes = unsafe ForeignObject(pointer, library.releaseTable)
            guard let path = library.text(Attribute.path, in: attributes).flatMap({ AddressText.path($0) }),
                let name = library.text(Attribute.name, in: attributes).flatMap({ AddressText.part($0) })
            else { return nil }
            return SecretAddress(path, name)
        }

        /// Creates an item, or replaces the secret of the item with these attributes.
        func put(
            _ secret: [UInt8], _ attributes: [String: String], label: String, in keyring: ForeignObject
        ) throws(StorageError) {
            let table = try attributesTable(attributes)
            // A copy in memory that is locked and cleared.
            let value = unsafe secret.withUnsafeBufferPointer {
                unsafe library.makeValue($0.baseAddress, secret.count, "application/octet-stream")
            }
            guard let value = unsafe value else { throw StorageError(.unavailable, "libsecret can't allocate a value") }
            defer { unsafe library.releaseValue(value) }
            _ = try unsafe library.checked(deadline) {
                unsafe library.object(
                    library.createItem(
                        keyring.pointer, nil, table.pointer, label, value, LibSecret.replaces, cancellable,
                        $0))
            }
        }

        func remove(_ item: ForeignObject) throws(StorageError) {
            _ = try unsafe library.checked(deadline) { unsafe library.deleteItem(item.pointer, cancellable, $0) }
        }

        private func attributesTable(_ attributes: [String: String]) throws(StorageError) -> ForeignObject {
            var attributes = attributes
            attributes[Attribute.schema] = Attribute.schemaName
            guard let table = library.table(attributes) else {
                throw StorageError(.unavailable, "GLib can't allocate a table")
            }
            return table
        }
    }

    /// The deadline of a call. When it passes, the running operation of libsecret is cancelled: for example if a
    /// service does not answer or waits for an absent user.
    final class ServiceDeadline {
        let cancellable: ForeignObject
        let limit: Duration
        private let alarm: DispatchWorkItem
        private let library: LibSecret

        /// Returns `nil` if there is no memory.
        init?(_ library: LibSecret, _ limit: Duration) {
            guard let cancellable = unsafe library.object(library.makeCancellable()) else { return nil }
            self.cancellable = cancellable
            self.library = library
            self.limit = limit
            alarm = DispatchWorkItem { unsafe library.cancel(cancellable.pointer) }
            let (seconds, attoseconds) = limit.components
            let delay = Double(seconds) + Double(attoseconds) / 1e18
            DispatchQueue.global().asyncAfter(deadline: .now() + delay, execute: alarm)
        }

        deinit { alarm.cancel() }

        var hasPassed: Bool { unsafe library.isCancelled(cancellable.pointer) != 0 }
    }
#endif
