import NIOCore
import NIOPosix
import Synchronization

/// A proxy for TCP on loopback that delays bytes, cuts connections and refuses them.
///
/// Thread-safe.
final class CuttingProxy: Sendable {
    /// The faults of connections from now on.
    struct Faults: Sendable {
        /// The port of the server.
        var target = 0
        /// True if every connection is refused.
        var isDown = false
        /// The chance in thousandths that a connection is cut at a piece of its bytes.
        var cuts: UInt32 = 0
        /// The longest delay of a piece in milliseconds.
        var delay: UInt32 = 0
    }

    /// The fate of a piece.
    fileprivate enum Fate {
        case pass(delayNanoseconds: Int64)
        /// A part of the piece passes, and both sides are closed.
        case cut(after: Double)
    }

    private struct State {
        var faults = Faults()
        var random: SeededGenerator
        var connections: [ObjectIdentifier: any Channel] = [:]
        var cut = 0
        var bytes = 0
    }

    private let state: Mutex<State>
    private let listener = Mutex<(any Channel)?>(nil)

    private init(seed: UInt64) { state = Mutex(State(random: SeededGenerator(seed: seed))) }

    /// Starts a proxy on any port that is free.
    static func start(seed: UInt64) async throws -> CuttingProxy {
        let proxy = CuttingProxy(seed: seed)
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { proxy.accept($0) }
            .bind(host: "127.0.0.1", port: 0).get()
        proxy.listener.withLock { $0 = channel }
        return proxy
    }

    var port: Int { listener.withLock { $0?.localAddress?.port ?? 0 } }

    /// The connections that were cut, and the bytes that passed.
    var figures: (cut: Int, bytes: Int) { state.withLock { ($0.cut, $0.bytes) } }

    func set(_ change: (inout Faults) -> Void) { state.withLock { change(&$0.faults) } }

    /// Closes every connection.
    func cutAll() {
        let channels = state.withLock { state in
            state.cut += state.connections.count
            return Array(state.connections.values)
        }
        for channel in channels { channel.close(promise: nil) }
    }

    func stop() async throws { try await listener.withLock { $0 }?.close() }

    // MARK: Connections

    private func accept(_ client: any Channel) -> EventLoopFuture<Void> {
        let faults = state.withLock { $0.faults }
        guard !faults.isDown else { return client.close() }
        return ClientBootstrap(group: client.eventLoop)
            .channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: faults.target)
            .flatMap { server in
                self.join(client, server)
            }
            .flatMapError { _ in client.close() }
    }

    private func join(_ client: any Channel, _ server: any Channel) -> EventLoopFuture<Void> {
        let loop = client.eventLoop
        let joined = loop.makeCompletedFuture {
            try client.pipeline.syncOperations.addHandler(Relay(self, to: server))
            try server.pipeline.syncOperations.addHandler(Relay(self, to: client))
        }
        state.withLock { $0.connections[ObjectIdentifier(client)] = client }
        client.closeFuture.whenComplete { _ in
            self.state.withLock { $0.connections[ObjectIdentifier(client)] = nil }
        }
        return joined.flatMap {
            server.setOption(.autoRead, value: true).and(client.setOption(.autoRead, value: true)).map { _ in }
        }
    }

    fileprivate func fate(of count: Int) -> Fate {
        state.withLock { state in
            state.bytes += count
            if UInt32.random(in: 0..<1000, using: &state.random) < state.faults.cuts {
                state.cut += 1
                return .cut(after: Double.random(in: 0...1, using: &state.random))
            }
            let limit = Int64(state.faults.delay) * 1_000_000
            return .pass(delayNanoseconds: limit == 0 ? 0 : Int64.random(in: 0...limit, using: &state.random))
        }
    }
}

/// Passes the bytes of one side of a connection to the other side, in their order.
private final class Relay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let proxy: CuttingProxy
    private let peer: any Channel
    /// The time at which the last piece passes.
    private var due = NIODeadline.now()

    init(_ proxy: CuttingProxy, to peer: any Channel) {
        self.proxy = proxy
        self.peer = peer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let piece = unwrapInboundIn(data)
        let (peer, channel) = (peer, context.channel)
        switch proxy.fate(of: piece.readableBytes) {
        case .pass(let delay):
            later(context, delay) { peer.writeAndFlush(piece, promise: nil) }
        case .cut(let part):
            let rest = piece.getSlice(at: piece.readerIndex, length: Int(Double(piece.readableBytes) * part))
            later(context, 0) {
                if let rest { peer.writeAndFlush(rest, promise: nil) }
                peer.close(promise: nil)
                channel.close(promise: nil)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let peer = peer
        later(context, 0) { peer.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Runs `body` after everything before it.
    private func later(_ context: ChannelHandlerContext, _ nanoseconds: Int64, _ body: @escaping @Sendable () -> Void) {
        due = max(due + .nanoseconds(1), NIODeadline.now() + .nanoseconds(nanoseconds))
        context.eventLoop.scheduleTask(deadline: due, body)
    }
}
