public import Foundation

extension Configuration {
    /// Where a configuration is looked for by name: temporary files, caches, documents, the main bundle.
    public static var standardDirectories: [String] {
        let files = FileManager.default
        let users = [FileManager.SearchPathDirectory.cachesDirectory, .documentDirectory].compactMap {
            files.urls(for: $0, in: .userDomainMask).first?.path
        }
        return [files.temporaryDirectory.path] + users + [directory(of: .main)]
    }

    /// Where the files of a bundle are.
    public static func directory(of bundle: Bundle) -> String { bundle.resourcePath ?? bundle.bundlePath }
}
