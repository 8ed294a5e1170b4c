// Names of swift-configuration that a program uses unqualified. Only the names matter: see the example `shared-names`.

public enum AccessEvent {}
public enum AccessLogger {}
public enum AccessReporter {}
public enum ConfigContent {}
public enum ConfigKey {}
public enum ConfigProvider {}
public enum ConfigReader {}
public enum ConfigSnapshot {}
public enum ConfigType {}
public enum ConfigValue {}
public enum Configuration {}
public enum MultiProvider {}
