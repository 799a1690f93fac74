import CalotypeImaging
import CalotypeSupport

/// What one image job has in its hands while it runs.
// `@unchecked`: used by the task of one job alone, in one call after the other.
final class ImageRun: @unchecked Sendable {
  let job: Job<MadeImage>
  let plan: Plan
  let log = StageLog()
  private let start: Duration
  private var ownPlace: Subscription<MadeImage>?
  private var leave: [@Sendable () -> Void] = []
  /// Of the pixels of the result.
  var allowances: [StageQueue.Allowance] = []
  /// Of those of ``decoder``.
  var decoderAllowance: StageQueue.Allowance?
  var decoder: ArrivalDecoder?
  var hasGivenUpDecoding = false
  var hasPublishedStale = false

  init(job: Job<MadeImage>, plan: Plan, start: Duration) {
    self.job = job
    self.plan = plan
    self.start = start
  }

  /// The job stays joinable until the end of the run.
  func holdPlace() {
    if ownPlace == nil { ownPlace = job.hold() }
  }

  /// Keeps a place in another job until the end of the run.
  func keep<Value>(_ place: Subscription<Value>) {
    leave.append { place.leave() }
    job.onWake { [weak place] in place?.repeatArrival() }
  }

  func takeDecoderAllowance() -> StageQueue.Allowance? {
    defer { decoderAllowance = nil }
    return decoderAllowance
  }

  /// The image as the job delivers it. Its pixels count as long as the job has them, and those that wait for it.
  func timed(_ made: MadeImage, _ now: Duration) -> MadeImage {
    var made = made
    made.allowances += allowances
    made.duration = now - start
    made.log = log
    return made
  }

  /// Gives back everything.
  func end() {
    for leave in leave { leave() }
    leave = []
    allowances = []
    decoderAllowance = nil
    decoder = nil
    ownPlace?.leave()
    ownPlace = nil
  }
}
