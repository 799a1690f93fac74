import CalotypeImaging
import FoundationEssentials

/// The frames of an animation, in a worker.
final class SandboxFrames: FrameDecoding {
  private let session: SandboxSession
  private let options: DecodeOptions
  private let data: Data
  private let keyFrames: [Bool]
  let info: ImageInfo
  private(set) var profile: ColorProfile?
  private(set) var isFramePartial = false
  private(set) var isFrameDamaged = false

  /// Returns `nil` for a still image.
  init?(_ service: DecodingSandbox, _ data: Data, _ options: DecodeOptions) throws(ImagingError) {
    session = SandboxSession(service, options, hasWholeInput: true)
    self.data = data
    let options = session.options
    self.options = options
    let (info, keyFrames) = try session.perform(
      SandboxSession.Step(body: { .openFrames(session: $0, options) }, input: data), of: data, after: { [] }
    ) { (reader, _) throws(WireError) in
      let info = try reader.info(within: options.limits)
      let isAnimated = try reader.bool()
      let keys = try reader.data()
      guard isAnimated == !keys.isEmpty, !isAnimated || keys.count == info.frameCount else {
        throw WireError(reason: "there are \(keys.count) marks of \(info.frameCount) frames")
      }
      return (info, keys.map { $0 != 0 })
    }
    self.info = info
    self.keyFrames = keyFrames
    if keyFrames.isEmpty { return nil }
  }

  func isKeyFrame(_ index: Int) -> Bool { index == 0 || keyFrames[index] }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    let options = options
    let opening = SandboxSession.Step(body: { .openFrames(session: $0, options) }, input: data)
    let image = try session.perform(
      SandboxSession.Step(body: { .frame(session: $0, index: index) }), of: data, after: { [opening] }
    ) { (reader, memory) throws(WireError) in
      try reader.images(for: [options], in: memory)
    }[0]
    (isFramePartial, isFrameDamaged, profile) = (image.isPartial, image.isDamaged, image.profile)
    return image.bitmap
  }
}
