import CalotypeImaging
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

private var isUnoptimised: Bool {
  #if DEBUG
  true
  #else
  false
  #endif
}

/// How much work a decode still does after it was cancelled, in CPU time of its thread: other load does not count.
@Suite("Cancelling large decodes", .serialized, .disabled(if: isUnoptimised, "it measures optimised code"))
struct LargeDecodeCancellationTests {
  /// 12 megapixels each.
  private static let files: [String: Data] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Examples/Photos")
    guard let jpeg = try? Data(contentsOf: folder.appending(path: "dandelion.jpg")),
      let image = try? CoderRegistry.standard.decode(jpeg)
    else { return [:] }
    var progressive = EncodeOptions.jpeg(quality: 90)
    progressive.isProgressive = true
    var png = EncodeOptions.png
    png.effort = .fast
    var webp = EncodeOptions.webp(quality: 80)
    webp.effort = .fast
    var lossless = EncodeOptions.webpLossless
    lossless.effort = .fast
    var files = ["jpeg": jpeg]
    for (name, options) in [
      ("progressive jpeg", progressive), ("png", png), ("webp", webp), ("lossless webp", lossless),
      ("gif", .gif),
    ] { files[name] = try? CoderRegistry.standard.encode(image, as: options) }
    return files
  }()

  private struct Clock: Sendable {
    private let id: clockid_t

    /// The clock of this thread.
    init() {
      var id = clockid_t()
      pthread_getcpuclockid(pthread_self(), &id)
      self.id = id
    }

    var milliseconds: Double {
      var time = timespec()
      clock_gettime(id, &time)
      return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
    }

    /// Returns when the thread has worked until `end`. For other threads than its own.
    func wait(until end: Double) {
      var time = timespec(
        tv_sec: Int(end / 1000), tv_nsec: Int(end.truncatingRemainder(dividingBy: 1000) * 1_000_000))
      while clock_nanosleep(id, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
  }

  // Nothing can stop libdeflate: rows of up to 48 MiB are inflated at once.
  @Test(arguments: [
    ("jpeg", 50.0), ("progressive jpeg", 50), ("png", 150), ("webp", 50), ("lossless webp", 50), ("gif", 50),
  ])
  func stopsSoon(name: String, limit: Double) async throws {
    let data = try #require(Self.files[name])
    var stopped = 0
    for delay in [2.0, 8, 25, 60] + Array(repeating: 1, count: 40) where delay > 1 || stopped == 0 {
      guard let rest = await Self.workAfterCancelling(data, after: delay) else { continue }
      stopped += 1
      // Twice as much, for slower machines than those that the limits are about.
      #expect(rest <= 2 * limit, "\(name), cancelled after \(delay) ms of work")
    }
    #expect(stopped > 0)
  }

  /// Milliseconds that a decode worked on after it was cancelled; `nil` when it was over before.
  private static func workAfterCancelling(_ data: Data, after delay: Double) async -> Double? {
    let decoding = Lock<Clock?>(nil)
    let cancelled = Lock<Double?>(nil)
    let begun = Gate()
    let decode = Task.detached { () -> (isCancelled: Bool, end: Double) in
      let clock = Clock()
      decoding.withLock { $0 = clock }
      begun.open()
      do throws(ImagingError) {
        _ = try CoderRegistry.standard.decode(data)
        return (false, clock.milliseconds)
      } catch {
        return (error == .cancelled, clock.milliseconds)
      }
    }
    // A thread of its own: tasks would wait behind other decodes.
    Threads.start(name: "canceller") {
      begun.waitBlocking()
      guard let clock = decoding.withLock({ $0 }) else { return }
      clock.wait(until: clock.milliseconds + delay)
      cancelled.withLock { $0 = clock.milliseconds }
      decode.cancel()
    }
    let (isCancelled, end) = await decode.value
    guard isCancelled, let cancelled = cancelled.withLock({ $0 }) else { return nil }
    return end - cancelled
  }
}
