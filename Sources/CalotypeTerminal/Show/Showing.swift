package import CalotypeDisplay
package import Calotype

/// One source that is shown: its state on the stage, and the progress of its load.
package struct Showing {
  private let source: String
  private let start = ContinuousClock.now
  /// The image, once it is complete.
  package private(set) var response: ImageResponse?
  /// The report on the complete image.
  package private(set) var report: ShowReport?
  /// The kind of animation that the bytes so far are the beginning of; `nil` for a still image.
  package private(set) var motion: Motion?
  private var drawn = 0

  package enum Motion: Hashable {
    case finite, endless

    /// The motion by the header, or the beginning of a file; `nil` for an image that does not move as far as is known.
    init?(_ info: ImageInfo?) {
      guard let info, info.frameCount > 1 || info.loopCount != 1 else { return nil }
      self = info.loopCount == 0 ? .endless : .finite
    }
  }

  package init(_ source: String) { self.source = source }

  /// Draws the content of a state if it is new, and shows the progress.
  ///
  /// - Throws: As ``tell(_:on:)``; the errors of drawing.
  package mutating func draw(_ state: ImageSlot.State, on stage: inout ShowStage) async throws {
    if let image = state.image, state.contentVersion != drawn {
      drawn = state.contentVersion
      let isPreview = if case .preview = state.content { true } else { false }
      try await stage.draw(image.bitmap, isPreview: isPreview)
      motion = isPreview ? Motion(image.info) : nil
    }
    try await tell(state, on: &stage)
  }

  /// Shows the progress, or the report once the image is complete.
  ///
  /// - Throws: The error of the load.
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
