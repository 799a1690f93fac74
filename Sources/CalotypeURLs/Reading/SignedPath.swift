/// A path that was to be signed, for reports: its URL, or the reason why there is none.
public struct SignedPath: Hashable, Sendable, Encodable {
  /// A failure.
  public struct Problem: Hashable, Sendable, Encodable {
    /// The stable code.
    public let code: String
    /// The fault, its place and a remedy.
    public let message: String
  }

  /// The path.
  public let path: String
  /// The path with its signature; `nil` if it got none.
  public let url: String?
  /// The reason for which it got none.
  public let error: Problem?

  /// Signs a path.
  public init(_ path: String, _ dialect: ImgproxyDialect, at now: Int64? = nil) {
    self.path = path
    do throws(ImageURLError) {
      url = try dialect.signed(path: path, at: now)
      error = nil
    } catch let fault {
      url = nil
      error = Problem(code: fault.code, message: fault.description)
    }
  }

  /// Describes a path that cannot be signed.
  public init(path: String, code: String, message: String) {
    self.path = path
    url = nil
    error = Problem(code: code, message: message)
  }
}
