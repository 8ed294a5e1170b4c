/// Makes a new directory, mode 0700, in the directory for temporary files. Its name starts with `prefix`.
func makeTemporaryDirectory(prefix: String) throws -> String {
    let parent = Terminal.environment("TMPDIR") ?? "/tmp"
    guard let template = unsafe strdup("\(parent)/\(prefix)-XXXXXX") else { throw ToolFailure.system("strdup", parent) }
    defer { unsafe free(template) }
    guard unsafe mkdtemp(template) != nil else { throw ToolFailure.system("mkdtemp", parent) }
    return unsafe String(cString: template)
}
