/// A consequence of an event, which the owner of an ``AdmissionQueue`` carries out.
public enum AdmissionAction: Hashable, Sendable {
  /// The job runs from now on, until ``AdmissionQueue/finish(_:actual:at:)``.
  case start(Int)
  /// The job is no longer in the queue.
  case refuse(Int, AdmissionRefusal)
}
