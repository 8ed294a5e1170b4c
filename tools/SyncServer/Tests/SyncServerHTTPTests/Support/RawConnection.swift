import NIOCore
import NIOPosix

/// A connection that sends any bytes.
struct RawConnection {
    private let channel: any Channel
    private let received: EventLoopFuture<String>

    /// Connects to a port of loopback.
    init(port: Int) async throws {
        let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: String.self)
        channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(promise))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        received = promise.futureResult
    }

    func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }

    /// Waits until the server closes the connection, and returns everything that it sent.
    func end() async throws -> String { try await received.get() }
}

private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<String>
    private var text = ""

    init(_ promise: EventLoopPromise<String>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { text += String(buffer: unwrapInboundIn(data)) }
    func channelInactive(context: ChannelHandlerContext) { promise.succeed(text) }
    // A reset is an end, too.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
