// Names of ShaleEngine that the other products don't export. Only the names matter: see the example `shared-names`.

public enum CompactionEstimate {}
public enum CompactionEvent {}
public enum CompactionProgress {}
public enum CompactionReport {}
public enum CompactionScope {}
public enum EntryInfo {}
public enum EntrySequence {}
public enum LevelStatistics {}
public enum ManualCompactionOptions {}
public enum NamespaceDescription {}
public enum PutOptions {}
public enum ScanOrder {}
public enum StallStatistics {}
public enum VerificationReport {}
public enum WriteBatch {}
