// Names of GRDB that a program uses unqualified. Only the names matter: see the example `shared-names`.

public enum Association {}
public enum Column {}
public enum Configuration {}
public enum Cursor {}
public enum Database {}
public enum DatabaseError {}
public enum DatabaseMigrator {}
public enum DatabasePool {}
public enum DatabaseQueue {}
public enum DatabaseSnapshot {}
public enum DatabaseValue {}
public enum Index {}
public enum Inflections {}
public enum Record {}
public enum Row {}
public enum SQL {}
public enum Statement {}
public enum TableAlias {}
public enum ValueObservation {}
