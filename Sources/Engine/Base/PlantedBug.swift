#if SHALE_PLANTED_BUGS
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif
#endif

/// Deliberate mistakes for mutation testing of the engine and the kit.
///
/// Each build activates at most one, and the tests must fail: `tools/planted-bugs` and ShaleEngine.docc, "Tests".
///
/// Those in the order of threads are found by `tools/schedules --planted`.
///
/// They exist only in builds with the compilation condition `SHALE_PLANTED_BUGS`, where the environment variable
/// `SHALE_PLANTED_BUG` names the active one. In other builds ``isActive(_:)`` is the constant `false`, and the compiler
/// removes the branches.
@usableFromInline
package enum PlantedBug: String, CaseIterable, Sendable {
    // Durability.
    case skipNewLogName, skipSegmentName, skipCompactedName, skipReplayedName, skipCurrentName
    case skipSegmentSync, skipManifestSync, skipOldLogSync, skipLogBeforeControl, wrongLogFloor
    case skipValueSync, skipValueFlush, deleteValuesEarly, trustReplayedValues
    case forgetValueSyncFailure, syncCoversLaterValues, skipStreamSync
    case copyTheCatalogueLate, dropBesideCopy, overlapSyncs, horizonBeforeVersion, ignoreOthersNames
    // Failures.
    case ignoreSyncFailure, retryFailedSync, neverPoison, poisonOnFullDisk, keepReserve, keepIdleFiles, writeInChild
    case trustLostLock
    // Readers in other processes.
    case ignoreReaders, keepForReadersForever, releaseBeforeHolding, passControls, trustOldManifest
    case trustCutLog, readUnfilled, keepLockSuspended, resumeAnything
    case keepDeadRequests, ignoreOwnersDeath, leaveAnswers, enterAnyMailbox
    // Full disks.
    case skipServedLogSync, trustPageCache, removeOnUnsyncedEdit, ignoreSpaceBound, keepFailedOpening
    // Recovery.
    case witnessTheNextSync, neverWitness, ignoreShortLog, ignoreMissingLog, beginLogEarly, forgetNewestLog
    case applyBatchInPart, repeatSequence, forgetControlSequence
    // Damage.
    case skipBlockChecksum, unboundChecksum
    // Visibility and retention.
    case purgeBelowWatermark, dropTombstoneEarly, expireWithoutTombstone, normaliseToZero, swapSnapshotOrder
    case forgetOldWatermarks, readAfterDrop, clockGoesBack, removeByShownTime
    // Reading.
    case loseRotatedMemtable, swapL0Order, filterMisses, wrongSharedPrefix, ignoreHeadTies
    // Changes, copies and dictionaries.
    case overfillChangeRing, compareSizesAlone, trustValueNames, copyWithoutDictionary
    // Continuous backups.
    case shipPastMoment, skipShippedSync, passLogGap, forgetMomentCatalogue, pruneKeptTime
    case releaseShippedValues
    // Encryption.
    case repeatNonce, sealWithoutKey, retireKeysEarly, sealKeysWithoutName, sealWithoutPlace, sealWithoutEnd
    // The order of threads: tools/schedules finds these.
    case loseSyncEnd, losePromotion, loseWorkEnd, signalOneThread, loseEarlyPermit, announceSleepLate
    case keepMembersWaiting, swapLockOrder, closeBesideClose, enterBesideGroup, passTheGroup, checkBeforeLock
    case showBeforeLogging, showBeforeApplying, applyBehindTarget, markBehindTarget, relyOnRunningSync
    case forgetUndurableLogs, controlIgnoresOldLogs, giveUpLogEarly, cutMappedWindow
    case registerSnapshotLate, eraseBesideSnapshots, snapshotsBeforeWatermarks, settleEarly
    case deliverGapEarly, forgetClosingLog, awaitLaterMemtables
    case releasePinEarly, ignorePins, retireBeforeUnlinking
    // Vaults, boxes and nodes.
    case sealWithCommonKey, sealWithoutAddress, keepOldGenerations, wipeOneSide, bufferSecrets, bufferLaunches
    case skipReplacedName, openFilesToAll, trustNameHash
    // The HTTP cache.
    case ignoreVary, shareAuthorized, storeSecrets, storeParts, readExpiresAlone, forgetReceivedAge, trustOldClock
    case standInForever, confirmAnything, trustStatedLength, keepChanged, sendEachTwice, joinOldFlight, storeOutdated
    case storePurged, ignoreStamp
    // Synchronisation.
    case sendUndurableBatch, settleChangedRecord, keepOldBase, earlierWriterWins, forgetLoser, overwriteUnseen
    case skipSweep, journalApplied, moveCursorEarly, trustWrongClock, overlookJournal
    case acceptAnyBase, forgetLastBatch, ignoreNonce, loseTombstone, keepOldLogEntry, forgetHorizon, answerUndurable
    case repeatRevision, cutPage, mixUsers

    #if SHALE_PLANTED_BUGS
        private static let active: PlantedBug? = {
            guard let name = unsafe getenv("SHALE_PLANTED_BUG") else { return nil }
            guard let bug = unsafe PlantedBug(rawValue: String(cString: name)) else {
                preconditionFailure("SHALE_PLANTED_BUG names no planted bug")
            }
            return bug
        }()

        @usableFromInline
        package static func isActive(_ bug: PlantedBug) -> Bool { bug == active }
    #else
        @inlinable @inline(__always)
        package static func isActive(_ bug: PlantedBug) -> Bool { false }
    #endif
}
