public import Foundation

extension Configuration {
    /// The directories that are searched for a named configuration: temporary files, caches, documents, the main
    /// bundle.
    public static var standardDirectories: [String] {
        let files = FileManager.default
        let users = [FileManager.SearchPathDirectory.cachesDirectory, .documentDirectory].compactMap {
            files.urls(for: $0, in: .userDomainMask).first?.path
        }
        return [files.temporaryDirectory.path] + users + [directory(of: .main)]
    }

    /// Returns the directory of a bundle's files.
    public static func directory(of bundle: Bundle) -> String { bundle.resourcePath ?? bundle.bundlePath }
}
