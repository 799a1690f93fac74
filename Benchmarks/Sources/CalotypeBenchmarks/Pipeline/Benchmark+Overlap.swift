import BenchmarkHarness
import Calotype
import CalotypeTestKit
import Dispatch
import Foundation
import Glibc
import Synchronization

extension Benchmark {
  /// An image that takes two seconds to arrive: how long after its last byte it is there, and how much of it had come when
  /// the first preview was. Times of the clock, not of the processor: that is what somebody who waits would see.
  static var overlap: [Benchmark] {
    [
      (name: "previews", previews: ImageRequest.PreviewPolicy.everyPass),
      (name: "no previews", previews: .off),
    ].map {
      variant in
      let title = "pipeline/overlap/progressive 12 MP in 2 s, \(variant.name)"
      return Benchmark(name: title) { rounds in
        let data = try Data(contentsOf: URL(filePath: Peers.file("photo-12mp-progressive.jpg")))
        var drips: [Drip] = []
        let measured = try Measurement.ratioOfTimes(
          title + ", after the last byte", to: "40 ms", rounds: min(rounds, 5)
        ) {
          let drip = try Drip(data, previews: variant.previews)
          drips.append(drip)
          return drip.millisecondsAfterLastByte
        } limitMilliseconds: {
          40
        }
        var results = [BenchmarkResult(name: measured.name, bar: .ratio(1), outcome: .measured(measured))]
        if variant.previews != .off {
          var fractions = drips.map { $0.fractionAtFirstPreview ?? 1 }
          let first = Measurement.ratioOfTimes(
            title + ", bytes at the first preview", to: "a quarter", rounds: fractions.count - 1
          ) {
            fractions.popLast() ?? 1
          } limitMilliseconds: {
            0.25
          }
          results.append(BenchmarkResult(name: first.name, bar: .ratio(1), outcome: .measured(first)))
        }
        return results
      }
    }
  }
}

/// One image, sent in 100 pieces over two seconds.
private struct Drip {
  let millisecondsAfterLastByte: Double
  let fractionAtFirstPreview: Double?

  init(_ data: Data, previews: ImageRequest.PreviewPolicy) throws {
    let server = try ScriptedHTTPServer()
    let gates = (0..<100).map { _ in Gate() }
    server.route("/photo.jpg", .gated(data, by: gates))
    let pipeline = ImagePipeline(urls: .trusted) { ($0.memoryCache, $0.diskCache) = (nil, nil) }
    var request = ImageRequest(url: server.url("/photo.jpg"))
    request.previews = previews
    let watch = DeadlineChecker()
    let done = DispatchSemaphore(value: 0)
    Task { [request] in
      defer { done.signal() }
      var received = 0
      for try await event in pipeline.load(request).events {
        switch event {
        case .progress(let progress): received = progress.received
        case .preview: watch.preview(Double(received) / Double(data.count))
        case .response: watch.response()
        default: continue
        }
      }
    }
    for gate in gates {
      usleep(20_000)
      watch.piece()
      gate.open()
    }
    done.wait()
    millisecondsAfterLastByte = watch.millisecondsAfterLastPiece
    fractionAtFirstPreview = watch.firstPreview
    server.stop()
  }
}

/// When what happened, by the clock.
private final class DeadlineChecker: Sendable {
  private let state = Mutex(
    (piece: ContinuousClock.now, response: ContinuousClock.now, preview: Double?.none))

  func piece() { state.withLock { $0.piece = .now } }
  func response() { state.withLock { $0.response = .now } }
  func preview(_ fraction: Double) { state.withLock { if $0.preview == nil { $0.preview = fraction } } }

  var firstPreview: Double? { state.withLock { $0.preview } }
  var millisecondsAfterLastPiece: Double {
    state.withLock { ($0.response - $0.piece) / .milliseconds(1) }
  }
}
