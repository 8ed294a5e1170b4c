// Names of StoreKit that a program uses unqualified. Only the names matter: see the example `shared-names`.

public enum AppStore {}
public enum Message {}
public enum Product {}
public enum StoreKitError {}
public enum Storefront {}
public enum Transaction {}
public enum VerificationResult {}
