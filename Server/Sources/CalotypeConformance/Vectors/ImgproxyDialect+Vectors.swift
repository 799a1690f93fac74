import CalotypeURLs

extension ImgproxyDialect {
  /// Returns a dialect whose configuration is changed.
  static func with(_ change: (inout Configuration) throws -> Void = { _ in }) throws -> ImgproxyDialect {
    var configuration = Configuration()
    try change(&configuration)
    return try ImgproxyDialect(configuration)
  }

  /// Returns a dialect that allows everything.
  static func permissive(_ edition: Edition = .pro) throws -> ImgproxyDialect {
    try with {
      $0.edition = edition
      $0.allowsSecurityOptions = true
      $0.allowsBypassingCache = true
    }
  }

  /// Returns the options of segments, before some source.
  func options(_ text: String) throws(ImageURLError) -> ProcessingOptions {
    try parse(path: text + (text.isEmpty ? "" : "/") + "plain/http://a/b").options
  }

  /// Returns the status of the error that a closure throws: 200 for none, 0 for another error.
  static func status(_ body: () throws -> Void) -> Int {
    do {
      try body()
      return 200
    } catch { return (error as? ImageURLError)?.status ?? 0 }
  }
}
