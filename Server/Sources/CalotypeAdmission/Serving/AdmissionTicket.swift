/// The right of a job to run, given by ``Admission/admit(_:)``. It ends with ``finish(actual:)``, or when nobody holds it any more.
public final class AdmissionTicket: Sendable {
  /// The time that the job has waited.
  public let wait: Duration
  /// The predicted processor time, before it was corrected.
  public let predicted: Duration
  private let id: Int
  private let admission: Admission
  private let formats: CostPair?
  private let isFinished = Lock(false)

  init(id: Int, of admission: Admission, wait: Duration, predicted: Duration, formats: CostPair?) {
    self.id = id
    self.admission = admission
    self.wait = wait
    self.predicted = predicted
    self.formats = formats
  }

  deinit { finish() }

  /// Ends the job. Only the first call counts.
  ///
  /// - Parameter actual: The processor time that it has taken; `nil` if it is not known, or if the job did not reach its end:
  ///   then nothing is learned from it.
  public func finish(actual: Duration? = nil) {
    let wasFinished = isFinished.withLock { isFinished in
      defer { isFinished = true }
      return isFinished
    }
    if !wasFinished { admission.finish(id, predicted: predicted, actual: actual, formats: formats) }
  }
}
