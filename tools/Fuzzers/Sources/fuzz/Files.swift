#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Files of inputs. An error ends the process: nobody is left to handle it.
enum Files {
    static func write(_ bytes: [UInt8], to path: String) {
        guard let file = unsafe fopen(path, "w") else { return Fuzz.stop("can't write \(path)", 1) }
        let written = unsafe bytes.withUnsafeBytes { unsafe fwrite($0.baseAddress, 1, $0.count, file) }
        guard unsafe fclose(file) == 0, written == bytes.count else { return Fuzz.stop("can't write \(path)", 1) }
    }

    static func read(_ path: String) -> [UInt8] {
        guard let file = unsafe fopen(path, "r") else {
            Fuzz.stop("can't read \(path)", 1)
            return []
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, $0.count, file) }
            if count == 0 { break }
            bytes += piece.prefix(count)
        }
        guard unsafe ferror(file) == 0, unsafe fclose(file) == 0 else {
            Fuzz.stop("can't read \(path)", 1)
            return []
        }
        return bytes
    }
}
