/// A piece of work that asks for a worker.
public struct AdmissionJob: Hashable, Sendable {
  /// The predicted cost.
  public var cost: AdmissionCost
  /// The host of the source, or another name of the party that shares capacity with the others. All jobs without one
  /// have one share together. Names are distinguished by their first 255 bytes.
  public var source: String
  /// The time at which the result is worthless, in the time of the queue; `nil` for none.
  public var deadline: Duration?
  /// The bytes that the job holds while it waits, such as the encoded source.
  public var heldByteCount: Int
  /// The formats for which the prediction is corrected; `nil` for none. See ``CostLearner``.
  public var formats: CostPair?

  /// Describes a job.
  public init(
    cost: AdmissionCost, source: String = "", deadline: Duration? = nil, heldByteCount: Int = 0,
    formats: CostPair? = nil
  ) {
    self.cost = cost
    self.source = source
    self.deadline = deadline
    self.heldByteCount = heldByteCount
    self.formats = formats
  }
}
