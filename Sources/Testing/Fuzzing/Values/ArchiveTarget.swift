import Foundation
import Shale
import ShaleBase
import ShaleFoundation

extension FuzzTarget {
    /// Input: a program from which ``ArchiveProgram`` makes an archive. After a first byte of 255: the archive itself,
    /// also with its trailer made to fit.
    static let archive = FuzzTarget(
        "archive", "keyed archives: the store's own check, its reader and the classes' init(coder:)",
        seeds: ArchiveSample.inputs
    ) { input in
        if input.first == ArchiveProgram.rawMark {
            let list = Array(input.dropFirst())
            try ArchiveTarget.run(list)
            if let fitted = list.fittedPropertyList { try ArchiveTarget.run(fitted) }
        } else if let archive = ArchiveProgram.archive(input) {
            try ArchiveTarget.run(archive)
        }
    }
}

private enum ArchiveTarget {
    private static let errors: Set<StorageError.Code> = [.corruption, .typeMismatch, .codecFailure]
    private static let allowed: ArchivedClasses = [FuzzNode.self, FuzzLeaf.self]

    static func run(_ bytes: [UInt8]) throws {
        let payload = Data(bytes)
        let archive = try outcome { () throws(StorageError) in try KeyedArchive(payload.bytes) }
        _ = archive?.tree
        // An archive may hold anything, but the decoded object must have the requested class.
        let object = try outcome { () throws(StorageError) in
            try ObjectArchive.decode(NSObject.self, payload, allowed)
        }
        try require(object == nil || archive != nil, "an object is made of an archive that is not valid")
        guard let archive else { return }
        // Runs one of two: each validates the archive again, which is most of the run's cost.
        if bytes.count % 2 == 0 {
            _ = try outcome { () throws(StorageError) in try ObjectArchive.decode(FuzzNode.self, payload, []) }
        } else {
            _ = try outcome { () throws(StorageError) in
                try ObjectArchive.decode(NSArray.self, payload, [FuzzLeaf.self])
            }
        }
        guard object != nil else { return }
        try require(
            archive.classNames.isSubset(of: ["_ShaleFuzzing.FuzzNode", "_ShaleFuzzing.FuzzLeaf", "NSObject"]),
            "an object is made of classes that are not listed: \(archive.classNames)")
    }

    private static func outcome<T>(_ body: () throws(StorageError) -> T) throws(FuzzFinding) -> T? {
        do throws(StorageError) {
            return try body()
        } catch {
            try requireTyped(error, errors, namesPosition: false)
            return nil
        }
    }
}

/// Asks its coder for everything that a class can request. It is at the top level, because Foundation on Linux can't
/// name nested classes.
final class FuzzNode: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    /// The field names that ``ArchiveProgram`` uses.
    static let fields = [
        "next", "leaf", "list", "set", "table", "text", "data", "date", "url", "uuid", "number", "int", "flag", "real",
        "bytes", "plist",
    ]

    private var parts: [NSObject] = []

    override init() {}

    required init?(coder: NSCoder) {
        super.init()
        func keep(_ object: NSObject?) { if let object { parts.append(object) } }
        keep(coder.decodeObject(of: FuzzNode.self, forKey: "next"))
        keep(coder.decodeObject(of: FuzzLeaf.self, forKey: "leaf"))
        keep(coder.decodeObject(of: [NSArray.self, FuzzLeaf.self], forKey: "list") as? NSObject)
        keep(coder.decodeObject(of: [NSSet.self, NSString.self], forKey: "set") as? NSObject)
        keep(coder.decodeObject(of: [NSDictionary.self, NSString.self, FuzzNode.self], forKey: "table") as? NSObject)
        keep(coder.decodeObject(of: NSString.self, forKey: "text"))
        keep(coder.decodeObject(of: NSData.self, forKey: "data"))
        keep(coder.decodeObject(of: NSDate.self, forKey: "date"))
        keep(coder.decodeObject(of: NSURL.self, forKey: "url"))
        keep(coder.decodeObject(of: NSUUID.self, forKey: "uuid"))
        keep(coder.decodeObject(of: NSNumber.self, forKey: "number"))
        _ = coder.decodeInteger(forKey: "int")
        _ = coder.decodeInt32(forKey: "int")
        _ = coder.decodeBool(forKey: "flag")
        _ = coder.decodeDouble(forKey: "real")
        _ = coder.decodeFloat(forKey: "real")
        unsafe coder.withDecodedUnsafeBytes(forKey: "bytes") { _ = unsafe $0?.count }
        _ = coder.decodePropertyList(forKey: "plist")
    }

    func encode(with coder: NSCoder) {
        coder.encode(FuzzLeaf(), forKey: "leaf")
        coder.encode(NSArray(array: [FuzzLeaf()]), forKey: "list")
        coder.encode(NSSet(array: ["a"]), forKey: "set")
        coder.encode(NSDictionary(dictionary: ["k": "v"]), forKey: "table")
        coder.encode("text" as NSString, forKey: "text")
        coder.encode(NSNumber(value: 5), forKey: "number")
        coder.encode(7, forKey: "int")
        coder.encode(true, forKey: "flag")
        coder.encode(0.5, forKey: "real")
    }
}

/// Refuses to decode without its field.
final class FuzzLeaf: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    override init() {}

    required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "text") else { return nil }
        super.init()
    }

    func encode(with coder: NSCoder) { coder.encode("leaf" as NSString, forKey: "text") }
}
