import CalotypeURLs

extension ImgproxyDialect {
  /// A dialect whose configuration is changed.
  static func with(_ change: (inout Configuration) throws -> Void = { _ in }) throws -> ImgproxyDialect {
    var configuration = Configuration()
    try change(&configuration)
    return try ImgproxyDialect(configuration)
  }

  /// A dialect that allows everything.
  static func permissive(_ edition: Edition = .pro) throws -> ImgproxyDialect {
    try with {
      $0.edition = edition
      $0.allowsSecurityOptions = true
      $0.allowsBypassingCache = true
    }
  }

  /// The options of segments, before some source.
  func options(_ text: String, at now: Int64? = nil) throws -> ProcessingOptions {
    try parse(path: text + "/plain/http://a/b", at: now).options
  }

  /// The options of segments, as they are written again.
  func canonical(_ text: String) throws -> String {
    let path = try path(for: "http://a/b", try options(text), encoding: .plain)
    return String(path.dropLast("/plain/http://a/b".count).dropFirst())
  }

  /// The fault of segments before some source, or `nil` if there is none.
  func fault(_ text: String, at now: Int64? = nil) -> ImageURLError.Fault? {
    fault(path: text + "/plain/http://a/b", at: now)
  }

  /// The fault of a path.
  func fault(path: String, at now: Int64? = nil) -> ImageURLError.Fault? {
    do throws(ImageURLError) {
      _ = try parse(path: path, at: now)
      return nil
    } catch { return error.fault }
  }
}

/// The fault of the error that `body` throws, or `nil`.
func fault(_ body: () throws -> Void) -> ImageURLError.Fault? {
  do {
    try body()
    return nil
  } catch { return (error as? ImageURLError)?.fault }
}

/// Numbers that depend on a seed alone (SplitMix64).
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
