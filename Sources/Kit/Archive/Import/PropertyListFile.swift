package import ShaleBase

/// Property lists of names and values in files, binary or XML.
package enum PropertyListFile {
    /// The members of the dictionary at the top. Throws `.missing`, `.ioFailure`, `.corruption` for what is no such file, and
    /// `.invalidArgument` for what is no file or larger than 64 MiB.
    package static func members(of path: String) throws(StorageError) -> [String: StructuredValue] {
        let file: ImportedFile
        do throws(StorageError) {
            file = try ImportedFile(path: path, isJSON: false)
        } catch {
            throw error.inFile(path)
        }
        guard case .propertyList(.dictionary(let members)) = file else {
            throw .corruption("a file is no property list of names and values", file: path)
        }
        return members
    }
}
