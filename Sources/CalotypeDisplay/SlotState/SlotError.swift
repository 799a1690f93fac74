public import Calotype

/// An error of a slot itself. Errors of the pipeline pass unchanged.
@nonexhaustive public enum SlotError: CalotypeError, Hashable {
  /// The URL or request of a load is `nil`.
  case noSource

  /// A stable, machine-readable name.
  public var code: String {
    switch self {
    case .noSource: "noSource"
    }
  }

  /// False: the same call fails again.
  public var isRetryable: Bool { false }

  /// 400.
  public var gatewayStatus: Int { 400 }
}

extension SlotError: CustomStringConvertible {
  /// A description of the problem and its remedy.
  public var description: String {
    switch self {
    case .noSource: "there is no image to load, because the URL is nil; check the text that it was made of"
    }
  }
}
