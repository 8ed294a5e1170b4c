/// Names of files inside a directory handle.
///
/// They never come from users. Every implementation still rejects a name that is not one plain component, because it
/// would lead out of the store.
package enum FileName {
    package static func isValid(_ name: String) -> Bool {
        guard !name.isEmpty, name != ".", name != "..", name.utf8.count <= 255 else { return false }
        return !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    package static func join(_ directory: String, _ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }
}
