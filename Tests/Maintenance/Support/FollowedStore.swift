import Foundation
import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// A store whose owner works while a follower makes continuous backups of it, and what the store held at each moment.
final class FollowedStore {
    /// The content of a store by name of namespace and key, and the options of each namespace.
    struct Content: Equatable {
        let entries: [[UInt8]: [[UInt8]: [UInt8]]]
        let options: [[UInt8]: [UInt8]]

        init(_ engine: Engine) throws {
            entries = try PopulatedStore.content(engine)
            options = Dictionary(uniqueKeysWithValues: engine.namespaces.map { ($0.name, $0.options) })
        }
    }

    struct Moment {
        let milliseconds: Int64
        let content: Content
    }

    static let backups = "/backups"

    let files: SimulatedFileSystem
    let time: ManualTime
    private(set) var follower: BackupFollower
    private(set) var moments: [Moment] = []
    private(set) var backupCount = 0
    private let options: BackupFollower.Options

    /// Begins to follow the store that `owner` has open.
    init(
        _ owner: Engine, in files: SimulatedFileSystem, _ time: ManualTime,
        _ change: (inout BackupFollower.Options) -> Void = { _ in }
    ) throws {
        var options = BackupFollower.Options()
        change(&options)
        self.files = files
        self.time = time
        self.options = options
        follower = try Self.follow(files, time, options)
        try step(owner)
    }

    private static func follow(
        _ files: SimulatedFileSystem, _ time: ManualTime, _ options: BackupFollower.Options
    ) throws -> BackupFollower {
        let reader = try PopulatedStore.open(files, at: StoreScript.path, time)
        return try BackupFollower(reader, to: backups, options: options, fileSystem: files, time: time)
    }

    /// Lets the follower take a step, and notes what the owner shows.
    @discardableResult
    func step(_ owner: Engine) throws -> BackupFollower.Step {
        let step = try follower.step()
        if case .backedUp = step { backupCount += 1 }
        moments.append(Moment(milliseconds: time.wallMilliseconds, content: try Content(owner)))
        time.advance(milliseconds: 10)
        return step
    }

    /// Ends the follower and begins with another one.
    func restart() throws {
        try follower.close()
        follower = try Self.follow(files, time, options)
    }

    static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Restores the state at a time, and returns what the store shows at that time.
    static func restore(
        _ files: SimulatedFileSystem, at milliseconds: Int64, into target: String
    ) throws -> (content: Content, info: BackupInfo) {
        let info = try Maintenance.restore(
            from: backups, at: date(milliseconds), into: target, options: BackupOptions(), fileSystem: files)
        let engine = try PopulatedStore.open(files, at: target, ManualTime(wallMilliseconds: milliseconds))
        let content = try Content(engine)
        try engine.close()
        return (content, info)
    }

    /// Checks that each moment of `range` is restored, at its time and shortly before the next one.
    func check(_ range: Range<Int>? = nil, in files: SimulatedFileSystem? = nil, _ what: String = "") throws {
        // A copy, so that restored stores take no part in what follows.
        let copy = (files ?? self.files).crashClone(.processKill)
        #expect(try Maintenance.verifyBackups(in: Self.backups, number: nil, fileSystem: copy).isEmpty)
        for index in range ?? 0..<moments.count {
            let moment = moments[index]
            let restored = try Self.restore(copy, at: moment.milliseconds, into: "/at \(index)")
            #expect(restored.content == moment.content, "moment \(index) \(what), \(Ring.reproduction)")
            let later = try Self.restore(copy, at: moment.milliseconds + 1, into: "/after \(index)")
            #expect(later.info.restored == restored.info.restored)
        }
    }
}
