// Names of Combine that a program uses unqualified. Only the names matter: see the example `shared-names`.

public enum AnyCancellable {}
public enum Cancellable {}
public enum Deferred {}
public enum Empty {}
public enum Fail {}
public enum Future {}
public enum Just {}
public enum Published {}
public enum Publishers {}
public enum Record {}
public enum Scheduler {}
public enum Subject {}
public enum Subscribers {}
public enum Subscription {}
