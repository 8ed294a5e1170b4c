#if os(Linux)
    import Glibc

    /// The kernel's figures of this process, and the size of a directory.
    enum ProcessMeter {
        static var residentBytes: Int {
            guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
            defer { unsafe fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            guard unsafe fgets(&line, Int32(line.count), file) != nil else { return 0 }
            let text = line.prefix { $0 != 0 }.map { Character(UnicodeScalar(UInt8(bitPattern: $0))) }
            let fields = String(text).split(separator: " ")
            return fields.count > 1 ? (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
        }

        static var descriptorCount: Int { names(in: "/proc/self/fd").count }

        /// Returns the allocated bytes of all files below `path`. Files that vanish meanwhile don't count.
        static func diskBytes(_ path: String) -> Int {
            names(in: path).reduce(0) { total, name in
                let inner = path + "/" + name
                var information = stat()
                guard unsafe lstat(inner, &information) == 0 else { return total }
                if information.st_mode & S_IFMT == S_IFDIR { return total + diskBytes(inner) }
                return total + Int(information.st_blocks) * 512
            }
        }

        private static func names(in path: String) -> [String] {
            guard let directory = unsafe opendir(path) else { return [] }
            defer { unsafe closedir(directory) }
            var names: [String] = []
            while let entry = unsafe readdir(directory) {
                let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { pointer in
                    unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                }
                if name != ".", name != ".." { names.append(name) }
            }
            return names
        }
    }
#endif
