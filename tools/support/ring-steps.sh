# The steps of the nightly and the release ring. Sourced by ring.sh.
#
# step NAME MINUTES NIGHTLY RELEASE COMMAND...
#   NAME      the argument of --only
#   MINUTES   the duration of one share on two cores, in either ring: the release ring has more shares, not longer ones.
#             A share is stopped after SHALE_PATIENCE times this duration (default: 2)
#   NIGHTLY   the number of shares in the nightly ring, 0 for none; RELEASE: the same for the release ring
#   COMMAND   exits with 0 if the share passed; prints "COVERED count what" lines, whose counts are added. It finds the
#             ring, the seed and its share in SHALE_RING, SHALE_SEED and SHALE_SHARE
#             (see Tests/Testing/Support/Ring.swift)
#
# All shares together, on two cores: nightly about 130 minutes, 80 for the schedules and 190 on a cluster, release about
# 20 hours.

step "crash points" 5 1 18 tests 'CrashPointTests|RecoveryCrashTests|ManifestRotationCrashTests|CheckpointCrashTests|KeyRotationCrashTests'
step "failures" 1 1 2 tests 'FailureLoopTests'
step "deaths beside others" 1 1 1 tests 'HandOverDeathTests|RequestDeathTests|ReaderDeathTests'
step "refreshes" 5 1 4 tests 'RefreshStressTests'
step "model" 22 1 6 tests 'EngineTests.ModelTests'
step "options" 3 1 6 tests 'MetamorphicTests|SmallEngineTests'
step "collections" 20 1 6 tests 'CollectionModelTests'
step "synchronisation" 25 1 4 tests 'SyncModelTests'
step "durability ladder" 3 1 8 tests 'DurabilityLadderTests'
step "visibility" 2 1 5 tests 'ExhaustiveVisibilityTests|RandomRunTests'
step "cluster model" 8 1 4 tests 'ClusterModelTests/everyHistory'
step "cluster kills" 110 1 1 on_a_cluster tests RadosClusterTests
step "cluster clients" 30 1 1 on_a_cluster "$ring_scratch/release/cluster-trial"
step "cluster histories" 5 10 10 on_a_cluster tests ClusterModelTests/historiesOnACluster
step "soak" 62 0 1 tests 'SoakTests'
step "kills" 7 1 8 "$ring_scratch/release/kill-loop"
step "killed synchronisation" 9 1 4 tools/sync-trial kill --seconds 240
step "damage" 1 1 1 tests 'StoreDamageTests|DuplicatedFileTests|InspectedDamageTests'
step "damaged logs" 3 1 4 tests 'LogMatrixTests|BacklogTests'
step "full disks" 3 1 2 tests 'SmallDiskTests|FullDisk|QuotaReserveTests|SimulatedQuotaTests|ResumingTests|ShortSpaceCompactionTests'
step "full-disk states" 12 1 1 "$ring_scratch/release/kill-loop" full-disks
step "planted bugs" 30 0 1 tools/planted-bugs
step "schedules" 4 20 40 tools/schedules --ring
step "planted schedules" 20 0 1 tools/schedules --planted
step "coverage" 15 0 1 tools/coverage
step "mutated values" 2 1 12 tests 'ArchiveMutationTests|PropertyListCheckTests'
step "report in a browser" 2 1 1 tools/support/report-in-browser
step "fuzzers" 6 1 10 tools/fuzz --minutes 0.5 --jobs 2
