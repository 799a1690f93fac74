public import Calotype
public import CalotypeTiers

extension BucketError: CalotypeError {
  /// The answers to the server's questions.
  public var retryAfter: Duration? {
    if case .refused(_, _, _, let time) = self { time } else { nil }
  }
}
