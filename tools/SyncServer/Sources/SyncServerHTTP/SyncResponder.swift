import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ShaleSyncServer

/// Answers requests: checks their heads, reads their bodies, and passes calls to the server.
///
/// | request | answer |
/// |---|---|
/// | `POST BASE/v1/push`, `POST BASE/v1/pull` | the call's reply |
/// | `GET BASE/health` | 200 while the store is good, otherwise 503 |
/// | `GET BASE/openapi.json` | the description of the protocol |
struct SyncResponder: HTTPResponder {
    /// The connection of a request.
    struct Context: InitializableFromSource {
        let channel: any Channel
        let logger: Logger

        init(source: ApplicationRequestContextSource) {
            channel = source.channel
            logger = source.logger
        }
    }

    /// The time in seconds for which the rest of an unread body is received and thrown away, so that the client gets to
    /// read the response.
    private static let drainSeconds: Int64 = 5

    let server: SyncServer
    let authenticator: any SyncAuthenticator
    let options: SyncServiceOptions
    let isHealthy: @Sendable () -> Bool
    let slots: CallSlots

    func respond(to request: Request, context: Context) async throws -> Response {
        let start = ContinuousClock.now
        let path = request.uri.path
        guard path.hasPrefix(options.basePath) else {
            return response(.failure(.notFound, "notFound", "no such path").withoutReading(), nil, context)
        }
        let name = path.dropFirst(options.basePath.count)
        if name == "/health" || name == "/openapi.json" {
            return response(described(String(name), request), nil, context)
        }
        guard let call = SyncCall.allCases.first(where: { name == "/\($0.path)" }) else {
            return response(.failure(.notFound, "notFound", "no such path").withoutReading(), nil, context)
        }
        let slot = slots.take(context.channel, seconds: options.callSeconds)
        let answer: SyncAnswer
        if slot == nil {
            answer = .failure(.serviceUnavailable, "busy", "too many calls at a time").with(.retryAfter, "1")
                .withoutReading()
        } else {
            answer = await perform(call, request, context)
        }
        log(call, answer, ContinuousClock.now - start, context.logger)
        return response(answer, slot, context)
    }

    private func response(_ answer: SyncAnswer, _ slot: CallSlot?, _ context: Context) -> Response {
        if !answer.isRequestRead {
            let channel = context.channel
            channel.eventLoop.scheduleTask(in: .seconds(SyncResponder.drainSeconds)) { channel.close(promise: nil) }
        }
        return answer.response(holding: slot)
    }

    // MARK: Requests without a call

    private func described(_ name: String, _ request: Request) -> SyncAnswer {
        guard request.method == .get || request.method == .head else {
            return .failure(.methodNotAllowed, "methodNotAllowed", "the method is GET").with(.allow, "GET, HEAD")
                .withoutReading()
        }
        var answer =
            if name == "/openapi.json" {
                SyncAnswer(status: 200, body: SyncService.openAPI)
            } else if isHealthy() {
                SyncAnswer(status: 200, body: Array(#"{"status":"ok"}"#.utf8))
            } else {
                SyncAnswer.failure(.serviceUnavailable, "storage", "the store is not good: see the log")
            }
        if request.method == .head { answer.body = [] }
        return answer
    }

    // MARK: Calls

    private func perform(_ call: SyncCall, _ request: Request, _ context: Context) async -> SyncAnswer {
        if let refusal = refusal(of: request) { return refusal.withoutReading() }
        let user: String
        do {
            switch try await authenticator.identify(request.headers) {
            case .user(let id): user = id
            case .unknown:
                return .failure(.unauthorized, "unauthenticated", "sign in").with(.wwwAuthenticate, "Bearer")
                    .withoutReading()
            case .forbidden: return .failure(.forbidden, "forbidden", "the user must not synchronise").withoutReading()
            }
        } catch {
            return failed("authentication: \(error)").withoutReading()
        }
        let body: [UInt8]
        do {
            body = [UInt8](buffer: try await request.body.collect(upTo: SyncLimits.messageBytes))
        } catch is NIOTooManyBytesError {
            return tooLarge.withoutReading()
        } catch {
            // The connection is closed, or the request is cut: nobody reads this answer.
            return .failure(.badRequest, "malformed", "the body is incomplete").withoutReading()
        }
        var answer: SyncAnswer
        do throws(StorageError) {
            answer = SyncAnswer(try await server.answer(call, body: body, user: user))
        } catch {
            answer = failed("\(error)")
        }
        answer.received = body.count
        answer.user = user
        return answer
    }

    /// Returns the answer to a request whose head is not that of a call.
    private func refusal(of request: Request) -> SyncAnswer? {
        guard request.method == .post else {
            return .failure(.methodNotAllowed, "methodNotAllowed", "the method is POST").with(.allow, "POST")
        }
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        guard type == "application/json", request.headers[.contentEncoding] ?? "identity" == "identity" else {
            return .failure(.unsupportedMediaType, "unsupportedMediaType", "the body is application/json, not encoded")
        }
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > SyncLimits.messageBytes {
            return tooLarge
        }
        return nil
    }

    private var tooLarge: SyncAnswer {
        .failure(.contentTooLarge, "tooLarge", "the body is over \(SyncLimits.messageBytes) bytes")
    }

    /// The answer to a call that failed here. Its reason is for the log, not for the client.
    private func failed(_ reason: String) -> SyncAnswer {
        var answer = SyncAnswer.failure(.serviceUnavailable, "storage", "the server failed: ask again")
            .with(.retryAfter, "5")
        answer.failure = reason
        return answer
    }

    private func log(_ call: SyncCall, _ answer: SyncAnswer, _ duration: Duration, _ logger: Logger) {
        let (seconds, attoseconds) = duration.components
        var metadata: Logger.Metadata = [
            "call": "\(call.rawValue)", "status": "\(answer.status)", "received": "\(answer.received)",
            "sent": "\(answer.body.count)", "ms": "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)",
        ]
        if logger.logLevel <= .debug, let user = answer.user { metadata["user"] = "\(user)" }
        if let failure = answer.failure {
            metadata["error"] = "\(failure)"
            logger.error("a call failed", metadata: metadata)
        } else {
            logger.info("call", metadata: metadata)
        }
    }
}
