import Shale
import ShaleBase
import ShalePlatform
import ShaleSync
import ShaleSyncServer

/// Devices and a server with the real code, over a network and disks that fail.
///
/// Requests and replies are lost, repeated, delayed and reordered; devices are partitioned; processes are killed and
/// lose power; clocks are wrong by years. Each operation has a seed of its own, so that a failing history can be
/// shortened.
package final class SyncWorld {
    /// The numbers of what a history exercised.
    package struct Coverage {
        package var operations = 0
        package var writes = 0
        package var exchanges = 0
        package var lostMessages = 0
        package var repeatedMessages = 0
        package var crashes = 0
        package var lostWrites = 0
        package var removedTombstones = 0
        package var conflicts = 0

        package init() {}
    }

    private enum Message {
        case request(device: Int, SyncEngine.Exchange)
        case reply(device: Int, SyncEngine.Exchange, SyncReply)

        var device: Int {
            switch self {
            case .request(let device, _), .reply(let device, _, _): device
            }
        }
    }

    let devices: [SyncDevice]
    let host: SyncHost
    private let keys: Int
    private let seed: UInt64
    /// True if clocks may be wrong.
    let isSkewed: Bool
    private var messages: [Message] = []
    private var place = "the beginning"
    package private(set) var coverage = Coverage()

    package init(seed: UInt64) throws {
        self.seed = seed
        let random = SeededRandom(seed: seed)
        keys = [1, 3, 12][random.below(3)]
        isSkewed = random.below(2) == 0
        let wall: Int64 = 1_700_000_000_000
        host = try SyncHost(seed: random.next(), wall: wall, retention: 500)
        devices = try (0..<2 + random.below(3)).map { try SyncDevice(number: $0, seed: random.next(), wall: wall) }
    }

    /// Runs a history, heals everything, and throws a ``SyncDisagreement`` if the end is wrong.
    package func run(_ operations: [UInt64]) throws {
        for (number, seed) in operations.enumerated() {
            place = "operation \(number)"
            coverage.operations += 1
            do {
                try step(SeededRandom(seed: seed))
            } catch {
                throw SyncDisagreement("\(place): \(error)")
            }
        }
        place = "the end"
        do {
            try heal()
            try compare()
        } catch {
            throw SyncDisagreement("\(place): \(error)")
        }
    }

    private func step(_ draw: SeededRandom) throws {
        tick(UInt64(1 + draw.below(20)))
        let device = devices[draw.below(devices.count)]
        switch draw.below(1000) {
        case ..<330:
            try device.write(draw, keys: keys)
            coverage.writes += 1
        case ..<600: try send(device, draw)
        case ..<920: try deliver(draw)
        case ..<935:
            coverage.lostWrites += try device.crash(draw)
            coverage.crashes += 1
        case ..<945:
            try host.crash(draw)
            coverage.crashes += 1
        case ..<960: device.isPartitioned.toggle()
        case ..<970: tick(UInt64(draw.below(1000)))
        case ..<980: coverage.removedTombstones += try host.server.removeOutdated().tombstones
        case ..<985: try device.engine.restart("notes", of: try device.engine.clientRecord().id)
        default: skew(draw, device)
        }
    }

    private func tick(_ milliseconds: UInt64) {
        for device in devices { device.time.advance(milliseconds: milliseconds) }
        host.time.advance(milliseconds: milliseconds)
    }

    private func skew(_ draw: SeededRandom, _ device: SyncDevice) {
        guard isSkewed else { return }
        let years = Int64(draw.below(41)) - 20
        let time = draw.below(6) == 0 ? host.time : device.time
        time.wallMilliseconds += years * 365 * 86_400_000
    }

    // MARK: The network

    private func send(_ device: SyncDevice, _ draw: SeededRandom) throws {
        // A device gives up waiting once in a while.
        guard device.exchange == nil || draw.below(3) == 0 else { return }
        device.exchange = try device.engine.prepare()
        guard let exchange = device.exchange else { return device.engine.beginCycle() }
        coverage.exchanges += 1
        messages.append(.request(device: device.number, exchange))
    }

    private func deliver(_ draw: SeededRandom) throws {
        guard !messages.isEmpty else { return }
        let position = draw.below(messages.count)
        let message = messages[position]
        let fate = draw.below(10)
        if fate == 0 { coverage.repeatedMessages += 1 } else { messages.remove(at: position) }
        guard fate != 1, !devices[message.device].isPartitioned else { return coverage.lostMessages += 1 }
        switch message {
        case .request(let number, let exchange):
            messages.append(.reply(device: number, exchange, try host.answer(exchange)))
        case .reply(let number, let exchange, let reply): try accept(devices[number], exchange, reply)
        }
    }

    private func accept(_ device: SyncDevice, _ exchange: SyncEngine.Exchange, _ reply: SyncReply) throws {
        // A process that was killed since has forgotten its requests.
        guard device.exchange?.body == exchange.body else { return }
        try device.engine.accept(exchange, reply)
        device.exchange = nil
    }

    // MARK: The end

    /// Ends all faults, and lets every device exchange what it has until nothing is left.
    private func heal() throws {
        messages = []
        for device in devices { device.exchange = nil }
        for _ in 0..<2 { for device in devices { try settle(device) } }
        for device in devices where try device.engine.pendingCount() > 0 {
            throw SyncDisagreement("device \(device.number) has pending changes")
        }
    }

    /// Runs a cycle to its end.
    func settle(_ device: SyncDevice) throws {
        device.engine.beginCycle()
        for _ in 0..<2000 {
            guard let exchange = try device.engine.prepare() else { return }
            try device.engine.accept(exchange, try host.answer(exchange))
            tick(1)
        }
        throw SyncDisagreement("device \(device.number) exchanges without end")
    }

    func counted(conflicts: Int) { coverage.conflicts += conflicts }

    /// A device that has never been in step.
    func newDevice() throws -> SyncDevice {
        try SyncDevice(number: 0, seed: ~seed, wall: host.time.wallMilliseconds)
    }
}
