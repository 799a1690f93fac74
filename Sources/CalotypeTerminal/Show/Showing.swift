package import CalotypeDisplay
package import Calotype

/// One source that is shown: what of it stands on the stage, and how far its load is.
package struct Showing {
  private let source: String
  private let start = ContinuousClock.now
  /// The image, once it is complete.
  package private(set) var response: ImageResponse?
  /// What is said of it then.
  package private(set) var report: ShowReport?
  /// Whether what has arrived so far is the beginning of an animation, which plays for ever or not.
  package private(set) var motion: Motion?
  private var drawn = 0

  package enum Motion: Hashable {
    case finite, endless

    /// What a header, or the beginning of a file, says; `nil` for what does not move as far as can be seen.
    init?(_ info: ImageInfo?) {
      guard let info, info.frameCount > 1 || info.loopCount != 1 else { return nil }
      self = info.loopCount == 0 ? .endless : .finite
    }
  }

  package init(_ source: String) { self.source = source }

  /// Draws what is to be seen now, if that is not there already, and tells how far it is.
  ///
  /// - Throws: as ``tell(_:on:)``; what drawing throws.
  package mutating func draw(_ state: ImageSlot.State, on stage: inout ShowStage) async throws {
    if let image = state.image, state.contentVersion != drawn {
      drawn = state.contentVersion
      let isPreview = if case .preview = state.content { true } else { false }
      try await stage.draw(image.bitmap, isPreview: isPreview)
      motion = isPreview ? Motion(image.info) : nil
    }
    try await tell(state, on: &stage)
  }

  /// Tells how far it is, or what it was.
  ///
  /// - Throws: What the load has failed with.
  package mutating func tell(_ state: ImageSlot.State, on stage: inout ShowStage) async throws {
    guard report == nil else { return }
    switch (state.phase, state.content) {
    case (.failed, _): throw state.error ?? CancellationError()
    case (.succeeded, .image(let response)), (.succeeded, .stale(let response)):
      let report = ShowReport(source, response, stage, duration: ContinuousClock.now - start)
      (self.response, self.report) = (response, report)
      motion = response.animation.map { $0.loopCount == 0 ? .endless : .finite }
      try await stage.caption(report.caption)
    case (.loading, _) where state.progress.received > 0:
      try await stage.progress(
        LoadProgress(received: state.progress.received, expected: state.progress.expected))
    default: break
    }
  }
}
