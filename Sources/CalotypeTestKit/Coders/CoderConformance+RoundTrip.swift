import CalotypeImaging
import FoundationEssentials

extension CoderConformance {
  func checkRoundTrip() -> [Complaint] {
    guard let encoder else { return [] }
    let options = encodeOptions ?? EncodeOptions(format: encoder.format)
    var complaints: [Complaint] = []
    for (width, height) in [(1, 1), (2, 1), (1, 3), (7, 5), (16, 16), (65, 33), (300, 2)] {
      for isOpaque in [true, false] where isOpaque || keepsAlpha {
        let sample = Sample(
          data: Data(), check: .roundTrip, subject: "\(width)×\(height)\(isOpaque ? "" : " with alpha")")
        checkRoundTrip(PixelSize(width: width, height: height), isOpaque, encoder, options, sample)
        complaints += sample.complaints
      }
    }
    return complaints + checkAnimationRoundTrip(encoder, options)
  }

  private func checkRoundTrip(
    _ size: PixelSize, _ isOpaque: Bool, _ encoder: any ImageEncoding, _ options: EncodeOptions,
    _ sample: Sample
  ) {
    guard
      let picture = sample.attempt(
        "the picture",
        { () throws(ImagingError) in
          try Self.picture(size, isOpaque: isOpaque, phase: 0)
        }),
      let bytes = sample.attempt(
        "encoding",
        { () throws(ImagingError) in
          try encoder.encode(Image(bitmap: picture), options: options)
        }),
      let info = sample.attempt("probing what was encoded", { () throws(ImagingError) in try probe(bytes) }),
      let image = sample.attempt(
        "decoding what was encoded", { () throws(ImagingError) in try decode(bytes) })
    else { return }
    if decoder.format(of: bytes) == nil { sample.complain("the decoder does not know what was encoded") }
    if info.size != size { sample.complain("came back as \(info.size)") }
    compare(image.bitmap, with: picture, sample)
    let again = try? encoder.encode(Image(bitmap: picture), options: options)
    if again != bytes { sample.complain("encodes differently the second time") }
  }

  private func checkAnimationRoundTrip(_ encoder: any ImageEncoding, _ options: EncodeOptions) -> [Complaint]
  {
    let sample = Sample(data: Data(), check: .roundTrip, subject: "animation")
    let size = PixelSize(width: 20, height: 12)
    var pictures: [Bitmap] = []
    for phase in 0..<4 {
      guard let picture = try? Self.picture(size, isOpaque: true, phase: phase * 40) else { return [] }
      pictures.append(picture)
    }
    let source = AnimationSource(frameCount: 4, loopCount: 3) { [pictures] index throws(ImagingError) in
      AnimationSource.Frame(bitmap: pictures[index], duration: .milliseconds(100 + 50 * index))
    }
    let bytes: Data
    do {
      bytes = try encoder.encode(source, options: options)
    } catch .unsupportedFormat {
      return []
    } catch {
      sample.complain("encoding fails: \(error.code): \(error)")
      return sample.complaints
    }
    guard let info = sample.attempt("probe", { () throws(ImagingError) in try probe(bytes) }) else {
      return sample.complaints
    }
    if info.frameCount != 4 || info.loopCount != 3
      || info.durations != [100, 150, 200, 250].map({ .milliseconds($0) })
    {
      sample.complain("4 frames, 3 plays became \(info.frameCount), \(info.loopCount), \(info.durations)")
    }
    let frames = sample.attempt("frames") { () throws(ImagingError) in
      try decoder.makeFrameDecoder(bytes, options: Self.stored)
    }
    guard let frames = frames ?? nil, info.frameCount == 4 else { return sample.complaints }
    for index in 0..<4 {
      let frame = sample.attempt("frame \(index)") { () throws(ImagingError) in try frames.frame(at: index) }
      if let frame { compare(frame, with: pictures[index], sample) }
    }
    return sample.complaints
  }

  private func compare(_ bitmap: Bitmap, with original: Bitmap, _ sample: Sample) {
    guard bitmap.size == original.size, bitmap.format == original.format else {
      return sample.complain("decoded as \(bitmap.size) \(bitmap.format)")
    }
    let difference = bitmap.meanDifference(from: original)
    if difference > tolerance {
      sample.complain("differs by \(difference) per channel, \(tolerance) is allowed")
    }
  }

  /// Soft colours with an edge, and a ramp of alpha without the end that hides the colour.
  private static func picture(_ size: PixelSize, isOpaque: Bool, phase: Int) throws(ImagingError) -> Bitmap {
    try Bitmap(size: size) { pixels in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let start = (y * size.width + x) * 4
          let isEdge = (x + phase / 8) % 32 < 16
          pixels[start] = UInt8((x * 3 + phase) & 127) + (isEdge ? 100 : 0)
          pixels[start + 1] = UInt8((y * 5 + phase) & 127)
          pixels[start + 2] = UInt8((x + y + phase) & 255)
          pixels[start + 3] = isOpaque ? 255 : UInt8(1 + (x * 7 + y) % 255)
        }
      }
      return isOpaque
    }
  }
}
