/// A result file that can't be reported on, and where in it the trouble is.
struct ResultFileError: Error, Equatable, CustomStringConvertible {
    let path: String
    /// From 1; `nil` if the file as a whole is meant.
    var line: Int?
    let problem: String

    init(path: String, line: Int? = nil, problem: String) {
        self.path = path
        self.line = line
        self.problem = problem
    }

    var description: String {
        let place = line.map { "\(path):\($0)" } ?? path
        return "\(place): \(problem)"
    }
}
