#if Encryption && os(Linux)
    /// A reference to an object of C, counted there, that ends with this one.
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
        /// An object of GObject's, which is let go of like any other.
        func object(_ pointer: Pointer?) -> ForeignObject? {
            guard let pointer = unsafe pointer else { return nil }
            return unsafe ForeignObject(pointer, release)
        }

        /// A table of texts.
        func table(_ texts: [String: String]) -> ForeignObject? {
            guard let table = unsafe makeTable(hashOfText, equalityOfTexts, freeing, freeing) else { return nil }
            for (name, text) in texts { _ = unsafe insert(table, strdup(name), strdup(text)) }
            return unsafe ForeignObject(table, releaseTable)
        }

        /// The objects of a list that is the caller's.
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

        /// The text of a name in a table; `nil` when it has none.
        func text(_ name: String, in table: ForeignObject) -> String? {
            guard let text = unsafe look(table.pointer, name) else { return nil }
            return unsafe String(validatingCString: text)
        }
    }
#endif
