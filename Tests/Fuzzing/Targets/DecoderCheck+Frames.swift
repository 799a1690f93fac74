import CalotypeImaging
import FoundationEssentials

extension DecoderCheck {
  /// Decodes all frames of an animation, in order and out of order.
  func decodeFrames() throws {
    guard case .success(let frames?) = try make() else { return }
    let count = frames.info.frameCount
    try FuzzFailure.unless(count > 0 && count <= options.limits.maxFrames, "\(count) frames")
    try FuzzFailure.unless(frames.info.durations.count == count, "\(frames.info.durations.count) durations")
    var bitmaps: [Bitmap] = []
    var partial: [Bool] = []
    for index in 0..<count {
      let result = try Promises.result { () throws(ImagingError) in try frames.frame(at: index) }
      guard case .success(let bitmap) = result else { break }
      try Promises.check(bitmap, options.limits)
      try FuzzFailure.unless(bitmap.size == frames.info.size, "frame \(index) is \(bitmap.size)")
      bitmaps.append(bitmap)
      partial.append(frames.isFramePartial)
    }
    guard !bitmaps.isEmpty else { return }
    try compareFirst(bitmaps[0])
    // Another decoder, asked in another order, over used memory.
    guard case .success(let other?) = try make() else { throw FuzzFailure("frames once, and then no more") }
    for step in 0..<min(4, bitmaps.count) {
      let index = (Int(input.first) + step * (Int(input.second) | 1)) % bitmaps.count
      Promises.soilPool(like: bitmaps[index], with: 0xA5)
      let result = try Promises.result { () throws(ImagingError) in try other.frame(at: index) }
      guard case .success(let bitmap) = result else {
        throw FuzzFailure("frame \(index) is there only in order")
      }
      try FuzzFailure.unless(bitmap == bitmaps[index], "frame \(index) differs when asked out of order")
      try FuzzFailure.unless(
        other.isFramePartial == partial[index], "frame \(index) is partial only in one order")
    }
  }

  private func make() throws(FuzzFailure) -> Result<(any FrameDecoding)?, ImagingError> {
    try Promises.result { () throws(ImagingError) in try decoder.makeFrameDecoder(data, options: options) }
  }

  private func compareFirst(_ bitmap: Bitmap) throws {
    let still = try Promises.result { () throws(ImagingError) in
      try decoder.decode(data, minimumSize: nil, options: options)
    }
    guard case .success(let image) = still, !image.isPartial else { return }
    try FuzzFailure.unless(image.bitmap == bitmap, "frame 0 is not the still image")
  }
}
