#if Encryption && os(Linux)
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
