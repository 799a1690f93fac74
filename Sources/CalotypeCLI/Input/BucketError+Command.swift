public import Calotype
public import CalotypeTiers

extension BucketError: CalotypeError {
  /// What the server asks for.
  public var retryAfter: Duration? {
    if case .refused(_, _, _, let time) = self { time } else { nil }
  }
}
