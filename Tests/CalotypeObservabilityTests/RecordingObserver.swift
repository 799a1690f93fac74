import CalotypeSupport

@testable import Calotype

/// Notes what it is told, in order.
final class RecordingObserver: PipelineObserving {
  enum Note: Sendable {
    case started(ImagePipeline.ObservedRequest)
    case finished(ImagePipeline.ObservedRequest, ImagePipeline.RequestOutcome)
    case stageStarted(ImagePipeline.ObservedStage)
    case stageFinished(ImagePipeline.ObservedStage, ImagePipeline.StageResult)
    case sampled(ImagePipeline.Sample)
  }

  private let state = Lock([Note]())

  var notes: [Note] { state.withLock { $0 } }

  private func note(_ note: Note) { state.withLock { $0.append(note) } }

  func requestStarted(_ request: ImagePipeline.ObservedRequest) { note(.started(request)) }
  func requestFinished(
    _ request: ImagePipeline.ObservedRequest, outcome: ImagePipeline.RequestOutcome, duration: Duration
  ) {
    note(.finished(request, outcome))
  }
  func stageStarted(_ stage: ImagePipeline.ObservedStage) { note(.stageStarted(stage)) }
  func stageFinished(_ stage: ImagePipeline.ObservedStage, result: ImagePipeline.StageResult) {
    note(.stageFinished(stage, result))
  }
  func sampled(_ sample: ImagePipeline.Sample) { note(.sampled(sample)) }

  /// What became of requests, in short, in the order of their ends.
  var outcomes: [String] {
    notes.compactMap { note in
      guard case .finished(let request, let outcome) = note else { return nil }
      switch outcome {
      case .succeeded(let success): return "\(request.kind): \(success.source)"
      case .failed(let error): return "\(request.kind): \(error.knownCode)"
      case .cancelled: return "\(request.kind): cancelled"
      }
    }
  }

  var samples: [ImagePipeline.Sample] {
    notes.compactMap { if case .sampled(let sample) = $0 { sample } else { nil } }
  }

  /// Whether everything that has begun has ended once, afterwards, and nothing else has.
  var isBalanced: Bool {
    var running: Set<String> = []
    var seen: Set<String> = []
    for note in notes {
      switch note {
      case .started(let request):
        guard seen.insert("request \(request.id)").inserted else { return false }
        running.insert("request \(request.id)")
      case .finished(let request, _):
        guard running.remove("request \(request.id)") != nil else { return false }
      case .stageStarted(let stage):
        guard seen.insert("stage \(stage.id)").inserted else { return false }
        running.insert("stage \(stage.id)")
      case .stageFinished(let stage, _):
        guard running.remove("stage \(stage.id)") != nil else { return false }
      case .sampled: continue
      }
    }
    return running.isEmpty
  }
}
