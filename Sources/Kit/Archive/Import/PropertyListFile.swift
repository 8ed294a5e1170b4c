package import ShaleBase

/// Reads property lists of names and values from files, binary or XML.
package enum PropertyListFile {
    /// Returns the members of the dictionary at the top. Throws `.missing`, `.ioFailure`, `.corruption` for a file of
    /// another format, and `.invalidArgument` if the file is larger than 64 MiB or not a regular file.
    package static func members(of path: String) throws(StorageError) -> [String: StructuredValue] {
        let file: ImportedFile
        do throws(StorageError) {
            file = try ImportedFile(path: path, isJSON: false)
        } catch {
            throw error.inFile(path)
        }
        guard case .propertyList(.dictionary(let members)) = file else {
            throw .corruption("the file is not a property list of names and values", file: path)
        }
        return members
    }
}
