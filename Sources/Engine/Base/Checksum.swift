/// The checksum of every block, chunk and header: XXH3-64 of the bytes, bound to the file and offset at which they are
/// stored.
///
/// File number and offset are mixed into the sum. A block read from the wrong file or offset, or a stale chunk of
/// another log, therefore fails the check like a damaged one. On disk, do not change: DESIGN.md, "Checksums".
package enum Checksum {
    package static func of(_ bytes: Bytes, file: UInt64, offset: UInt64) -> UInt64 {
        XXH3.hash(bytes) &+ place(file, offset)
    }

    /// Mixes file and offset with splitmix64's finaliser, so that neighbouring offsets give unrelated words at low
    /// cost.
    package static func place(_ file: UInt64, _ offset: UInt64) -> UInt64 {
        if PlantedBug.isActive(.unboundChecksum) { return 0 }
        var z = file &* 0x9E37_79B9_7F4A_7C15 &+ offset
        z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z &>> 31)
    }
}
