import NIOCore
import NIOPosix
import Synchronization

/// A server on loopback that answers each request with bytes of a script, so that it can break every rule of HTTP.
/// Thread-safe.
final class RawServer: Sendable {
    /// A step of an answer.
    enum Step: Sendable {
        case write(String)
        /// Sends nothing more and leaves the connection open.
        case stall
        /// Closes the connection.
        case close
    }

    private let script: RawScript
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    /// The heads of the requests so far.
    var requests: [String] { script.heads.withLock { $0 } }

    /// Starts a server with the answers to the next requests; the last one is repeated.
    static func start(_ answers: [[Step]]) async throws -> RawServer {
        let script = RawScript(answers)
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RawHandler(script))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return RawServer(script, channel)
    }

    private init(_ script: RawScript, _ channel: any Channel) {
        self.script = script
        self.channel = channel
    }

    /// Closes the server, unless it is closed. Connections stay.
    func stop() async throws { if channel.isActive { try await channel.close() } }
}

/// The answers of a server, and the requests that it got. Thread-safe.
private final class RawScript: Sendable {
    let answers: Mutex<[[RawServer.Step]]>
    let heads = Mutex<[String]>([])

    init(_ answers: [[RawServer.Step]]) { self.answers = Mutex(answers) }

    func answer(_ head: String) -> [RawServer.Step] {
        heads.withLock { $0.append(head) }
        return answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
}

/// Collects the head of a request and writes the next answer.
private final class RawHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let script: RawScript
    private var head = ""

    init(_ script: RawScript) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        head += String(buffer: unwrapInboundIn(data))
        guard head.contains("\r\n\r\n") else { return }
        let steps = script.answer(head)
        head = ""
        for step in steps {
            switch step {
            case .write(let text): context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            case .stall: return
            case .close: context.close(promise: nil)
            }
        }
    }
}
