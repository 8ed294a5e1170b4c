import ShaleBase
import ShaleManifest
import ShalePlatform

/// The names in the directory of requests. A request and its answer have one number.
enum MailboxLayout {
    static let directory = "requests"
    private static let requestSuffix = ".request"
    private static let answerSuffix = ".answer"
    private static let digits = 16

    static func request(_ number: String) -> String { number + requestSuffix }
    static func answer(_ number: String) -> String { number + answerSuffix }

    static func makeNumber() -> String { SystemRandom().next().hexadecimalDigits }

    static func requestNumber(_ name: String) -> String? { number(name, requestSuffix) }
    static func answerNumber(_ name: String) -> String? { number(name, answerSuffix) }

    private static func number(_ name: String, _ suffix: String) -> String? {
        guard name.utf8.count == digits + suffix.utf8.count, name.hasSuffix(suffix) else { return nil }
        let number = name.dropLast(suffix.count)
        return number.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 } ? String(number) : nil
    }
}

/// The directory of requests of a store. Only the user of the process may have access to it: the owner does what is
/// asked there.
struct Mailbox {
    let directory: any Directory

    /// Opens the directory of the store `root`. Returns `nil` if it is missing.
    ///
    /// - Throws: `.locked` if it belongs to another user, or if others have access to it.
    static func open(in root: any Directory, create: Bool) throws(StorageError) -> Mailbox? {
        let directory: any Directory
        do throws(IOFailure) {
            directory = try root.openDirectory(MailboxLayout.directory, create: create)
        } catch {
            if error.isMissing, !create { return nil }
            throw error.storageError
        }
        guard directory.isPrivate || PlantedBug.isActive(.enterAnyMailbox) else {
            throw StorageError(
                .locked, "the directory of requests belongs to another user, or is open to others",
                file: MailboxLayout.directory)
        }
        return Mailbox(directory: directory)
    }

    /// Removes files. Files that can't be removed are left to the owner's next look.
    func remove(_ names: String...) {
        for name in names {
            do throws(IOFailure) { try directory.remove(name) } catch { continue }
        }
    }

    /// Removes the directory if it is empty. Otherwise it is in use.
    static func removeIfEmpty(in root: any Directory) {
        do throws(IOFailure) { try root.removeDirectory(MailboxLayout.directory) } catch { return }
    }
}
