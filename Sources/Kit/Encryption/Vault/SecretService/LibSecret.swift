#if Encryption && os(Linux)
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// The functions of libsecret and GLib that the Secret Service back end calls. They are loaded when first needed:
    /// nothing is linked, and a machine need not have them.
    ///
    /// - The declarations follow the headers of libsecret 0.20 (`secret-service.h`, `secret-collection.h`,
    ///   `secret-item.h`, `secret-value.h`) and of GLib 2.74. Both keep their binary interfaces stable.
    /// - Only functions with a fixed number of parameters are used; functions with `…` have another calling convention.
    /// - The structs whose fields are read, `GList` and `GError`, are public and documented in GLib's reference.
    /// - `SecretSchema` is not used. For a lookup it only adds an attribute, and making one at run time is not
    ///   thread-safe (0.20.5 registers its enumeration without a lock).
    @safe
    struct LibSecret: @unchecked Sendable {
        /// Any C object; the function's name says which.
        typealias Pointer = UnsafeMutableRawPointer
        /// The location where a function stores a `GError *`.
        typealias ErrorPlace = UnsafeMutablePointer<Pointer?>
        typealias Text = UnsafePointer<CChar>
        typealias Release = @convention(c) (Pointer?) -> Void

        // GLib.
        let strdup: @convention(c) (Text?) -> Pointer?
        let free: Release
        let freeError: Release
        let quarkName: @convention(c) (UInt32) -> Text?
        let makeTable: @convention(c) (Pointer?, Pointer?, Pointer?, Pointer?) -> Pointer?
        let insert: @convention(c) (Pointer?, Pointer?, Pointer?) -> CInt
        let look: @convention(c) (Pointer?, Text?) -> Text?
        let releaseTable: Release
        let freeList: Release
        /// Passed to `makeTable`, never called here.
        let hashOfText: Pointer
        let equalityOfTexts: Pointer
        let freeing: Pointer

        // Its main loops.
        let makeContext: @convention(c) () -> Pointer?
        let pushContext: Release
        let popContext: Release
        let iterate: @convention(c) (Pointer?, CInt) -> CInt
        let releaseContext: Release

        // GObject and GIO.
        let release: Release
        let sessionBus: @convention(c) (CInt, Pointer?, ErrorPlace?) -> Pointer?
        let setExitOnClose: @convention(c) (Pointer?, CInt) -> Void
        let makeCancellable: @convention(c) () -> Pointer?
        let cancel: Release
        let isCancelled: @convention(c) (Pointer?) -> CInt

        // libsecret.
        let secretErrors: @convention(c) () -> UInt32
        let serviceType: @convention(c) () -> UInt
        let openService: @convention(c) (UInt, Text?, CInt, Pointer?, ErrorPlace?) -> Pointer?
        let collection: @convention(c) (Pointer?, Text?, CInt, Pointer?, ErrorPlace?) -> Pointer?
        let isCollectionLocked: @convention(c) (Pointer?) -> CInt
        let search: @convention(c) (Pointer?, Pointer?, Pointer?, CInt, Pointer?, ErrorPlace?) -> Pointer?
        let createItem:
            @convention(c) (Pointer?, Pointer?, Pointer?, Text?, Pointer?, CInt, Pointer?, ErrorPlace?) -> Pointer?
        let deleteItem: @convention(c) (Pointer?, Pointer?, ErrorPlace?) -> CInt
        let isItemLocked: @convention(c) (Pointer?) -> CInt
        let attributes: @convention(c) (Pointer?) -> Pointer?
        let secret: @convention(c) (Pointer?) -> Pointer?
        let makeValue: @convention(c) (UnsafePointer<UInt8>?, Int, Text?) -> Pointer?
        let bytes: @convention(c) (Pointer?, UnsafeMutablePointer<UInt>?) -> UnsafePointer<UInt8>?
        let releaseValue: Release

        /// The library of this machine, or the error if it can't be loaded.
        static let loaded: Result<LibSecret, StorageError> = {
            do throws(StorageError) {
                return .success(try LibSecret("libsecret-1.so.0"))
            } catch {
                return .failure(error)
            }
        }()

        /// Loads a library permanently: types that GLib has registered must not disappear. Throws `.unavailable` if the
        /// library is missing or lacks a function.
        init(_ file: String) throws(StorageError) {
            // The lookup also finds functions of libraries that this one is linked with.
            guard let library = unsafe dlopen(file, RTLD_NOW | RTLD_LOCAL) else {
                throw StorageError(.unavailable, "the Secret Service needs \(file), which can't be loaded")
            }
            func pointer(_ name: String) throws(StorageError) -> Pointer {
                guard let symbol = unsafe dlsym(library, name) else {
                    throw StorageError(.unavailable, "the library has no function \(name)", file: file)
                }
                return unsafe symbol
            }
            func function<T>(_ name: String) throws(StorageError) -> T {
                unsafe unsafeBitCast(try pointer(name), to: T.self)
            }
            unsafe strdup = try function("g_strdup")
            unsafe free = try function("g_free")
            unsafe freeError = try function("g_error_free")
            unsafe quarkName = try function("g_quark_to_string")
            unsafe makeTable = try function("g_hash_table_new_full")
            unsafe insert = try function("g_hash_table_insert")
            unsafe look = try function("g_hash_table_lookup")
            unsafe releaseTable = try function("g_hash_table_unref")
            unsafe freeList = try function("g_list_free")
            unsafe hashOfText = try pointer("g_str_hash")
            unsafe equalityOfTexts = try pointer("g_str_equal")
            unsafe freeing = try pointer("g_free")
            unsafe makeContext = try function("g_main_context_new")
            unsafe pushContext = try function("g_main_context_push_thread_default")
            unsafe popContext = try function("g_main_context_pop_thread_default")
            unsafe iterate = try function("g_main_context_iteration")
            unsafe releaseContext = try function("g_main_context_unref")
            unsafe release = try function("g_object_unref")
            unsafe sessionBus = try function("g_bus_get_sync")
            unsafe setExitOnClose = try function("g_dbus_connection_set_exit_on_close")
            unsafe makeCancellable = try function("g_cancellable_new")
            unsafe cancel = try function("g_cancellable_cancel")
            unsafe isCancelled = try function("g_cancellable_is_cancelled")
            secretErrors = try function("secret_error_get_quark")
            serviceType = try function("secret_service_get_type")
            unsafe openService = try function("secret_service_open_sync")
            unsafe collection = try function("secret_collection_for_alias_sync")
            unsafe isCollectionLocked = try function("secret_collection_get_locked")
            unsafe search = try function("secret_collection_search_sync")
            unsafe createItem = try function("secret_item_create_sync")
            unsafe deleteItem = try function("secret_item_delete_sync")
            unsafe isItemLocked = try function("secret_item_get_locked")
            unsafe attributes = try function("secret_item_get_attributes")
            unsafe secret = try function("secret_item_get_secret")
            unsafe makeValue = try function("secret_value_new")
            unsafe bytes = try function("secret_value_get")
            unsafe releaseValue = try function("secret_value_unref")
        }
    }

    extension LibSecret {
        // The headers' constants.
        static let sessionBusType: CInt = 2
        static let opensSession: CInt = 1 << 1
        static let searchAll: CInt = 1 << 1
        static let loadSecrets: CInt = 1 << 3
        static let replaces: CInt = 1 << 1
        static let isLockedError: CInt = 2
    }

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
            if deadline.hasPassed {
                return StorageError(.unavailable, "the Secret Service did not answer in time")
            }
            if domain == secretErrors(), code == LibSecret.isLockedError { return LibSecret.lockedError }
            let name = unsafe quarkName(domain).map { unsafe String(cString: $0) } ?? "\(domain)"
            return StorageError(.unavailable, "the Secret Service can't be used domain=\(name) code=\(code)")
        }
    }

    /// A counted reference to a C object, released with this object.
    @safe
    final class ForeignObject: @unchecked Sendable {
        let pointer: LibSecret.Pointer
        private let release: LibSecret.Release

        init(_ pointer: LibSecret.Pointer, _ release: LibSecret.Release) {
            unsafe self.pointer = pointer
            unsafe self.release = release
        }

        deinit { unsafe release(pointer) }
    }

    extension LibSecret {
        /// Wraps a GObject.
        func object(_ pointer: Pointer?) -> ForeignObject? {
            guard let pointer = unsafe pointer else { return nil }
            return unsafe ForeignObject(pointer, release)
        }

        /// Makes a table of texts.
        func table(_ texts: [String: String]) -> ForeignObject? {
            guard let table = unsafe makeTable(hashOfText, equalityOfTexts, freeing, freeing) else { return nil }
            for (name, text) in texts { _ = unsafe insert(table, strdup(name), strdup(text)) }
            return unsafe ForeignObject(table, releaseTable)
        }

        /// Returns the objects of a list and frees the list, which the caller owns.
        func objects(_ list: Pointer?) -> [ForeignObject] {
            var objects: [ForeignObject] = []
            var link = unsafe list
            while let current = unsafe link {
                if let object = unsafe object(current.load(as: Pointer?.self)) { objects.append(object) }
                unsafe link = unsafe current.load(fromByteOffset: MemoryLayout<Pointer?>.stride, as: Pointer?.self)
            }
            unsafe freeList(list)
            return objects
        }

        /// Returns the text of a name in a table; `nil` if there is none.
        func text(_ name: String, in table: ForeignObject) -> String? {
            guard let text = unsafe look(table.pointer, name) else { return nil }
            return unsafe String(validatingCString: text)
        }
    }
#endif
