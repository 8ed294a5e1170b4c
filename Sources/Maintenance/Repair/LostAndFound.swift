import ShaleBase

/// The names for entries whose namespace has lost its name: `lost+found/ID` in the common space.
enum LostAndFound {
    static func name(of id: NamespaceID) -> [UInt8] {
        // The format of names: Shale.docc, "Names and options of namespaces".
        [1] + component("lost+found") + component(String(id.rawValue))
    }

    private static func component(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count), 0] + Array(text.utf8)
    }
}
