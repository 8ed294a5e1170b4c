import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests to a server on this machine, over a real connection.
struct Client {
    struct Answer {
        let status: Int
        let type: String?
        let text: String
    }

    let port: Int

    func send(_ method: String, _ path: String) async throws -> Answer {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        let (body, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return Answer(
            status: response.statusCode, type: response.value(forHTTPHeaderField: "Content-Type"),
            text: String(decoding: body, as: UTF8.self))
    }

    /// Makes a session and returns its id.
    func create(_ user: String) async throws -> String { try await send("POST", "/sessions?user=\(user)").text }

    /// Returns the value of a series of `/metrics`; `nil` if there is no such series.
    func metric(_ series: String) async throws -> Double? {
        let line = try await send("GET", "/metrics").text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { Double($0.dropFirst(series.count + 1)) }
    }
}
