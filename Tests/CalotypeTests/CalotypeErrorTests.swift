import Calotype
import FoundationEssentials
import Testing

@Suite("Advice of errors to servers")
struct CalotypeErrorTests {
  @Test("each error of the pipeline has a status")
  func gatewayStatusOfPipeline() {
    let expected: [(PipelineError, Int)] = [
      (.notCached("a"), 504), (.deadlineExceeded("a", after: .seconds(1)), 504),
      (.loadDenied("a", reason: ""), 403),
      (.unexpectedKind(.still, expected: .animated), 422), (.exceedsMemory("a", bytes: 2, limit: 1), 413),
      (.notStored("a", code: "shed"), 500), (.queueFull("a", limit: 1), 503),
      (.overloaded("a", waiting: 1, retryAfter: .seconds(1)), 503), (.shutDown, 503),
    ]
    for (error, status) in expected { #expect(error.gatewayStatus == status, "\(error.code)") }
  }

  @Test("a denied load and a vetoed one have the same status")
  func refusals() {
    let denied: any CalotypeError = PipelineError.loadDenied("a", reason: "")
    let vetoed: any CalotypeError = LoadingError.vetoed(URL(filePath: "/a"), reason: "")
    #expect(denied.gatewayStatus == 403 && vetoed.gatewayStatus == 403)
  }

  @Test("errors that know when to retry say so through the common protocol")
  func retryAfter() {
    let url = URL(filePath: "/a")
    let known: [any CalotypeError] = [
      PipelineError.overloaded("a", waiting: 1, retryAfter: .seconds(3)),
      LoadingError.recentlyFailed(.url(url), code: "", retryAfter: .seconds(3)),
      LoadingError.hostSuspended(url, host: "", retryAfter: .seconds(3)),
      LoadingError.httpStatus(url, status: 503, headers: [.retryAfter: "3"]),
    ]
    for error in known { #expect(error.retryAfter == .seconds(3), "\(error.code)") }
    let unknown: [any CalotypeError] = [
      PipelineError.queueFull("a", limit: 1), PipelineError.shutDown, ImagingError.outOfMemory(byteCount: 1),
      CachingError.queueFull(bytes: 2, limit: 1), LoadingError.loaderClosed(url), Custom(),
    ]
    for error in unknown { #expect(error.retryAfter == nil, "\(error.code)") }
  }

  /// An error of a program: it declares what has no default.
  private struct Custom: CalotypeError {
    let code = "custom"
    let isRetryable = true
  }
}
