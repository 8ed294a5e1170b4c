import SystemRocksDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// RocksDB's options, owned.
@safe
final class RocksDBOptions {
    static let summary =
        "write buffers 3 x 64 MiB, block cache 512 MiB, full bloom filters of 16 bits over whole keys, hash index in "
        + "data blocks, blocks 4 KiB (default; variant: 16 KiB), LZ4 above and zstd 1 in the last level (variants: "
        + "uncompressed, zstd; values from 1 KiB on in blob files with collection and in the same cache), no "
        + "dictionaries, dynamic level sizes, a background job per core, a compaction by hand "
        + "divided among the cores, bytes_per_sync 1 MiB, one column family; pinned reads, batched multiget"

    let options: OpaquePointer
    let readOptions: OpaquePointer
    private let cache: OpaquePointer
    private let table: OpaquePointer

    init(_ settings: PeerSettings) {
        unsafe options = rocksdb_options_create()
        unsafe readOptions = rocksdb_readoptions_create()
        unsafe cache = rocksdb_cache_create_lru(settings.blockCacheBytes)
        unsafe table = rocksdb_block_based_options_create()
        setTable(settings)
        unsafe rocksdb_options_set_create_if_missing(options, 1)
        unsafe rocksdb_options_set_create_missing_column_families(options, 1)
        unsafe rocksdb_options_set_write_buffer_size(options, settings.writeBufferBytes)
        unsafe rocksdb_options_set_max_write_buffer_number(options, 3)
        let cores = Int32(clamping: ProcessInfo.processInfo.activeProcessorCount)
        unsafe rocksdb_options_set_max_background_jobs(options, cores)
        unsafe rocksdb_options_set_max_subcompactions(options, UInt32(cores))
        unsafe rocksdb_options_set_level_compaction_dynamic_level_bytes(options, 1)
        unsafe rocksdb_options_set_bytes_per_sync(options, 1 << 20)
        unsafe rocksdb_options_set_stats_dump_period_sec(options, 0)
        unsafe rocksdb_options_set_stats_persist_period_sec(options, 0)
        setCompression(settings.variant)
        if let bytes = settings.largeValueBytes { setBlobFiles(from: bytes) }
    }

    deinit {
        unsafe rocksdb_options_destroy(options)
        unsafe rocksdb_readoptions_destroy(readOptions)
        unsafe rocksdb_block_based_options_destroy(table)
        unsafe rocksdb_cache_destroy(cache)
    }

    private func setTable(_ settings: PeerSettings) {
        let hashIndex = rocksdb_block_based_table_data_block_index_type_binary_search_and_hash
        unsafe rocksdb_block_based_options_set_block_cache(table, cache)
        // The table options own the filter.
        let filter = unsafe rocksdb_filterpolicy_create_bloom_full(Double(settings.filterBitsPerKey))
        unsafe rocksdb_block_based_options_set_filter_policy(table, filter)
        unsafe rocksdb_block_based_options_set_block_size(table, settings.blockBytes)
        unsafe rocksdb_block_based_options_set_whole_key_filtering(table, 1)
        unsafe rocksdb_block_based_options_set_format_version(table, 5)
        unsafe rocksdb_block_based_options_set_data_block_index_type(table, Int32(hashIndex))
        unsafe rocksdb_block_based_options_set_data_block_hash_ratio(table, 0.75)
        unsafe rocksdb_options_set_block_based_table_factory(options, table)
    }

    /// BlobDB: values of `bytes` or more are in blob files, in the same cache, and collected as compactions pass.
    private func setBlobFiles(from bytes: Int) {
        unsafe rocksdb_options_set_enable_blob_files(options, 1)
        unsafe rocksdb_options_set_min_blob_size(options, UInt64(bytes))
        unsafe rocksdb_options_set_enable_blob_gc(options, 1)
        unsafe rocksdb_options_set_blob_cache(options, cache)
    }

    /// The level of zstd that Shale has, instead of RocksDB's 3.
    private static let zstdLevel: Int32 = 1

    private func setCompression(_ variant: PeerSettings.Variant) {
        let (upper, bottom) =
            switch variant {
            case .standard, .largeBlocks, .queue, .prefixes, .splitBlocks, .unmapped, .valueFiles:
                (rocksdb_lz4_compression, rocksdb_zstd_compression)
            case .uncompressed: (rocksdb_no_compression, rocksdb_no_compression)
            case .zstd: (rocksdb_zstd_compression, rocksdb_zstd_compression)
            }
        unsafe rocksdb_options_set_compression(options, Int32(upper))
        unsafe rocksdb_options_set_bottommost_compression(options, Int32(bottom))
        // Window bits and strategy are zlib's; no dictionaries.
        let (windowBits, strategy, dictionaryBytes): (Int32, Int32, Int32) = (-14, 0, 0)
        unsafe rocksdb_options_set_compression_options(
            options, windowBits, RocksDBOptions.zstdLevel, strategy, dictionaryBytes)
        unsafe rocksdb_options_set_bottommost_compression_options(
            options, windowBits, RocksDBOptions.zstdLevel, strategy, dictionaryBytes, 1)
    }
}
