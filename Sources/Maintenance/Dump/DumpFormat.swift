/// The lines of a dump: DESIGN.md, "Maintenance". Raised when a reader of this version could not read it.
enum DumpFormat {
    static let version = 1

    /// Codecs whose payload is text, which a dump shows as text where it is valid: string, URL, JSON.
    static func isText(_ codec: UInt8) -> Bool { codec == 2 || codec == 10 || codec == 16 }

    static let intCodec: UInt8 = 4

    /// Longer texts are base64: escaped, a text may have six times its bytes, and no line is longer than four times the
    /// largest value.
    static let textBytesMax = 16 << 20
}
