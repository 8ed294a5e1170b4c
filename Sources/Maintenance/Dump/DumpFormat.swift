/// The format of a dump's lines: ShaleMaintenance.docc, "Dumps". Raise the version if readers of this version could
/// not read a new dump.
enum DumpFormat {
    static let version = 1

    /// Returns true for codecs whose payload is text: string, URL, JSON. A dump writes it as text where it is valid
    /// UTF-8.
    static func isText(_ codec: UInt8) -> Bool { codec == 2 || codec == 10 || codec == 16 }

    static let intCodec: UInt8 = 4

    /// The limit for texts; longer ones are written in base64. An escaped text may take six times its bytes, and a line
    /// has at most four times the bytes of the largest value.
    static let textBytesMax = 16 << 20
}
