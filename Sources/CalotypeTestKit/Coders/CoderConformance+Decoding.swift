import CalotypeImaging
import FoundationEssentials

extension CoderConformance {
  /// As stored, so that nothing stands between the coder and the comparison.
  static let stored = DecodeOptions(appliesOrientation: false, colors: .asStored)

  func decode(_ data: Data, options: DecodeOptions = stored) throws(ImagingError) -> Image {
    try decoder.decode(data, minimumSize: nil, options: options)
  }

  func checkRecognition(_ sample: Sample) {
    let format = decoder.format(of: sample.data.prefix(ImageFormat.sniffLength))
    guard let format else { return sample.complain("the decoder does not know it by its first bytes") }
    if !decoder.formats.contains(format) { sample.complain("\(format) is not one of \(decoder.formats)") }
    if decoder.format(of: Data()) != nil { sample.complain("no bytes at all are taken for an image") }
    if decoder.format(of: Data(repeating: 0, count: ImageFormat.sniffLength)) != nil {
      sample.complain("zeros are taken for an image")
    }
    let length = min(decoder.signatureLength, sample.data.count)
    if decoder.format(of: sample.data.prefix(length)) == nil {
      sample.complain("unknown by its first \(length) bytes, the length of the signature")
    }
    var known = false
    for count in 0...min(ImageFormat.sniffLength, sample.data.count) {
      let isKnown = decoder.format(of: sample.data.prefix(count)) != nil
      if known, !isKnown { return sample.complain("known by fewer bytes, unknown by \(count)") }
      known = isKnown
    }
  }

  func checkProbe(_ sample: Sample) {
    guard let info = sample.attempt("probe", { () throws(ImagingError) in try probe(sample.data) }),
      let image = sample.attempt("decode", { () throws(ImagingError) in try decode(sample.data) })
    else { return }
    if image.bitmap.size != info.size {
      sample.complain("\(image.bitmap.size) pixels, the header says \(info.size)")
    }
    if image.orientation != info.orientation {
      sample.complain("orientation \(image.orientation), the header says \(info.orientation)")
    }
    if image.info != info { sample.complain("the image carries another info than probe says") }
    if image.isPartial { sample.complain("a sound image is marked as partial") }
    if image.bitmap.format != .rgba8 { sample.complain("\(image.bitmap.format) instead of rgba8") }
    if info.frameCount < 1 { sample.complain("\(info.frameCount) frames") }
    if info.frameCount > 1, info.durations.count != info.frameCount {
      sample.complain("\(info.durations.count) durations for \(info.frameCount) frames")
    }
    if image.bitmap.isOpaque, !image.bitmap.alphaIsFull { sample.complain("called opaque, but is not") }
    if !info.hasAlpha, !image.bitmap.alphaIsFull { sample.complain("transparent, though the header says no") }
    if let again = try? decode(sample.data), again.bitmap != image.bitmap {
      sample.complain("decodes differently the second time")
    }
    // A slice does not begin at 0.
    let slice = (Data([1, 2, 3]) + sample.data).dropFirst(3)
    let sliced = sample.attempt("decoding a slice", { () throws(ImagingError) in try decode(slice) })
    if let sliced, sliced.bitmap != image.bitmap { sample.complain("a slice decodes differently") }
  }

  func checkMinimumSize(_ sample: Sample) {
    guard let info = try? probe(sample.data) else { return sample.complain("cannot be probed") }
    for divisor in [2, 3, 8, 1000] {
      let wanted = PixelSize(
        width: max(1, info.size.width / divisor), height: max(1, info.size.height / divisor))
      let image = sample.attempt("decoding at \(wanted)") { () throws(ImagingError) in
        try decoder.decode(sample.data, minimumSize: wanted, options: Self.stored)
      }
      guard let size = image?.bitmap.size else { continue }
      if size.width < wanted.width || size.height < wanted.height
        || size.width > info.size.width || size.height > info.size.height
      {
        sample.complain("\(size) when at least \(wanted) of \(info.size) was asked for")
      }
    }
  }

  func checkTruncation(_ sample: Sample) {
    guard let whole = try? decode(sample.data) else { return sample.complain("the sample does not decode") }
    var partial = Self.stored
    partial.allowsPartial = true
    for count in ends(of: sample.data) {
      let cut = sample.data.prefix(count)
      do {
        let image = try decode(cut)
        if image.isPartial { sample.complain("cut to \(count) bytes: partial, which was not allowed") }
        if image.bitmap != whole.bitmap {
          sample.complain("cut to \(count) bytes: other pixels and no error")
        }
      } catch {
        if !error.blamesBytes { sample.complain("cut to \(count) bytes: \(error.code): \(error)") }
      }
      do {
        let image = try decode(cut, options: partial)
        if image.bitmap.size != whole.bitmap.size {
          sample.complain("cut to \(count) bytes, partial: \(image.bitmap.size) pixels")
        }
        if !image.isPartial, image.bitmap != whole.bitmap {
          sample.complain("cut to \(count) bytes: other pixels, not marked as partial")
        }
      } catch {
        if !error.blamesBytes { sample.complain("cut to \(count) bytes, partial: \(error.code): \(error)") }
      }
    }
  }

  func checkDamage(_ sample: Sample) {
    var random = Xorshift(seed: seed)
    // Damage may announce any size: what it may cost is bounded here.
    let limits = DecodeLimits(maxPixels: 1 << 20, maxFrames: 256, maxDuration: .seconds(10))
    for attempt in 0..<attempts {
      var bytes = sample.data
      random.damage(&bytes)
      var options = Self.stored
      options.limits = limits
      options.allowsPartial = attempt % 2 == 1
      let outcomes = (0..<2).map { _ in
        Outcome { () throws(ImagingError) in try decode(bytes, options: options) }
      }
      if outcomes[0] != outcomes[1] {
        sample.complain("damage \(attempt): \(outcomes[0]), then \(outcomes[1])")
      }
      if case .image(let bitmap, _) = outcomes[0], bitmap.size.pixelCount > limits.maxPixels {
        sample.complain("damage \(attempt): \(bitmap.size) is above the limit")
      }
      if let info = try? decoder.probe(bytes, limits: limits), info.size.pixelCount > limits.maxPixels {
        sample.complain("damage \(attempt): probe lets \(info.size) pass")
      }
    }
  }

  func checkLimits(_ sample: Sample) {
    guard let info = try? probe(sample.data) else { return sample.complain("cannot be probed") }
    expectLimit(.pixels, DecodeLimits(maxPixels: info.size.pixelCount - 1), sample)
    if info.frameCount > 1 { expectLimit(.frames, DecodeLimits(maxFrames: info.frameCount - 1), sample) }
    var exact = Self.stored
    exact.limits = DecodeLimits(maxPixels: info.size.pixelCount, maxFrames: info.frameCount)
    exact.limits.maxBytes = sample.data.count
    // A picture that shows a part of the coded pixels counts all of them, and says how many.
    let outcome = Outcome { () throws(ImagingError) in try decode(sample.data, options: exact) }
    if case .error(.limitExceeded(.pixels, let coded, _)) = outcome, coded > info.size.pixelCount {
      exact.limits.maxPixels = coded
    }
    _ = sample.attempt("decoding at the very limits") { () throws(ImagingError) in
      try decode(sample.data, options: exact)
    }
    var hasty = Self.stored
    hasty.limits.maxDuration = .zero - .seconds(1)
    if case .image = Outcome({ () throws(ImagingError) in try decode(sample.data, options: hasty) }) {
      sample.complain("the time limit is never looked at")
    }
  }

  private func expectLimit(_ kind: DecodeLimits.Kind, _ limits: DecodeLimits, _ sample: Sample) {
    var options = Self.stored
    options.limits = limits
    do {
      _ = try decoder.probe(sample.data, limits: limits)
      sample.complain("probe does not mind the limit of \(kind.rawValue)")
    } catch {
      if !error.isLimit(kind) { sample.complain("probe above the limit of \(kind.rawValue): \(error.code)") }
    }
    do {
      _ = try decode(sample.data, options: options)
      sample.complain("decode does not mind the limit of \(kind.rawValue)")
    } catch {
      if !error.isLimit(kind) { sample.complain("decode above the limit of \(kind.rawValue): \(error.code)") }
    }
  }

  func probe(_ data: Data) throws(ImagingError) -> ImageInfo { try decoder.probe(data, limits: .default) }

  /// Where to cut: everywhere, or evenly and near both ends when that are too many places.
  func ends(of data: Data) -> [Int] {
    guard data.count > attempts else { return Array(0..<data.count) }
    let edge = attempts / 4
    let step = max(1, (data.count - 2 * edge) / max(1, attempts / 2))
    return Array(0..<edge) + stride(from: edge, to: data.count - edge, by: step)
      + (data.count - edge..<data.count)
  }
}
