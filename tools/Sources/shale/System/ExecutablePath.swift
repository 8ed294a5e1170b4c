/// Returns the path of the program that this process runs, so that it can start itself again.
func executablePath() throws -> String {
    #if canImport(Darwin)
        var count: UInt32 = 4096
        var buffer = [CChar](repeating: 0, count: Int(count))
        guard unsafe _NSGetExecutablePath(&buffer, &count) == 0 else {
            throw ToolFailure.inputOutput("the path of this program is too long")
        }
        return unsafe String(cString: buffer)
    #else
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return unsafe readlink("/proc/self/exe", start, bytes.count)
        }
        guard count > 0 else { throw ToolFailure.system("readlink", "/proc/self/exe") }
        return String(decoding: buffer[..<count], as: UTF8.self)
    #endif
}
