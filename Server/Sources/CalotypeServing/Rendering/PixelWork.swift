import CalotypeImaging
import CalotypePlanning
import CalotypeResults
import FoundationEssentials

/// The work on the pixels of one result: decoding, transforms and encoding on the calling thread, which has to be one of a
/// pipeline.
struct PixelWork: Sendable {
  /// The bytes of the source.
  let data: Data
  /// The facts that the plan was made of.
  let request: PlanRequest
  /// The plan.
  let plan: RenderPlan
  /// Plans again after trims.
  let planner: Planner
  /// Decode and encode.
  let coders: CoderRegistry
  /// The watermarks.
  let watermarks: LoadedWatermarks
  /// The spans of the stages.
  let spans: StageSpans

  /// An image in its final form.
  struct Outcome: Sendable {
    /// The bytes.
    let data: Data
    /// The size in pixels.
    let size: PixelSize
    /// The plan that was carried out in the end: trims change it.
    let plan: RenderPlan
    /// The primitives in whose place something similar was done.
    let approximations: Set<MissingPrimitive>
    /// The durations of the stages.
    var timings: ServerTiming
  }

  /// Makes the result.
  ///
  /// - Throws: `RenderingError`; `PlanningError` if the rest of the plan is impossible after a trim; `ImagingError`; ``Failure`` for a
  ///   watermark that cannot be decoded, and a drawing that takes no style.
  func outcome() throws -> Outcome {
    let data = try plan.decode.style.map { try StyledDrawing(self.data, style: $0).data } ?? self.data
    // Watermarks are prepared here: a plan with one takes memory and time before its first pixel is decoded.
    let marks = try watermarks.pixels(for: plan, coders: coders)
    var rendering = try plan.rendering(of: request.info, watermarks: marks)
    // Compared with the limits of the server already.
    rendering.decode.limits.maxBytes = max(rendering.decode.limits.maxBytes, data.count)
    return try rendering.frames.map { try animation(data, rendering, frames: $0) }
      ?? still(data, rendering, marks)
  }

  private func animation(_ data: Data, _ rendering: Rendering, frames: Int) throws -> Outcome {
    let start = ContinuousClock.now
    let animation = try AnimatedImage(data: data, coders: coders, options: rendering.decode)
    let data = try spans.within(.encode) {
      try coders.encode(animation.source.prefix(frames), as: rendering.encode)
    }
    // Frames are decoded while their predecessors are encoded.
    return Outcome(
      data: data, size: plan.resultSize, plan: plan, approximations: rendering.approximations,
      timings: ServerTiming([.encode: ContinuousClock.now - start]))
  }

  private func still(_ source: Data, _ rendering: Rendering, _ marks: [String: Bitmap]) throws -> Outcome {
    let start = ContinuousClock.now
    var image: Image = try spans.within(.decode) {
      if let pages = rendering.pages {
        try coders.decode(source, pages: pages, options: rendering.decode)
      } else {
        try coders.decode(source, options: rendering.decode)
      }
    }
    let decoded = ContinuousClock.now
    var (plan, encode, approximations) = (plan, rendering.encode, rendering.approximations)
    var trims: [PixelSize] = []
    // Each trim decides on the size of the picture that the rest of the plan begins with, and on what follows from it.
    while let position = plan.pendingTrim {
      trims.append(image.bitmap.size)
      guard case .render(let next) = try planner.plan(request, trimmedTo: trims) else { break }
      image = try spans.within(.transform) { [image] in
        try image.transformed(by: next.transforms(from: position + 1, watermarks: marks))
      }
      plan = next
      encode = try next.encode.options()
      approximations = next.approximations(for: request.info)
    }
    let transformed = ContinuousClock.now
    let data = try spans.within(.encode) { try coders.encode(image, as: encode) }
    var timings = ServerTiming([.decode: decoded - start, .encode: ContinuousClock.now - transformed])
    if !trims.isEmpty { timings.durations[.transform] = transformed - decoded }
    return Outcome(
      data: data, size: image.bitmap.size, plan: plan, approximations: approximations, timings: timings)
  }
}
