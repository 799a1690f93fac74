import CalotypeImaging
import FoundationEssentials

extension DecoderCheck {
  /// Feeds the decoder in pieces and compares with a decode of the whole.
  func decodeInPieces() throws {
    guard let incremental = decoder.makeIncrementalDecoder(options: options) else { return }
    let fed = try Promises.result { () throws(ImagingError) -> Image in
      try feed(incremental)
      return try incremental.finish()
    }
    let whole = try Promises.result { () throws(ImagingError) -> Image in
      let info = try decoder.probe(data, limits: options.limits)
      return try decoder.decode(
        data, minimumSize: try options.minimumDecodeSize(for: info), options: options)
    }
    switch (fed, whole) {
    case (.success(let fed), .success(let whole)):
      try Promises.check(fed.bitmap, options.limits)
      try Promises.checkSame(fed, whole, "in pieces and whole")
      // The header does not tell damage.
      var known = incremental.info
      if whole.isDamaged { known?.isDamaged = true }
      try FuzzFailure.unless(known == whole.info, "\(known as Any), \(whole.info as Any)")
      try checkFrames(of: incremental)
    case (.failure, .failure): break
    case (.success, .failure(let error)): throw FuzzFailure("decoded in pieces, but whole: \(error)")
    case (.failure(let error), .success): throw FuzzFailure("decoded whole, but in pieces: \(error)")
    }
  }

  /// Pieces of one size, or of sizes that change. Errors of the library's own are thrown as such.
  private func feed(_ incremental: any IncrementalImageDecoding) throws(ImagingError) {
    var rest = data
    var step = 0
    var size: PixelSize?
    while !rest.isEmpty {
      let count = max(
        1, input.choices.contains(.isSlice) ? Int(input.second) << (step % 4) : Int(input.second))
      let chunk = rest.prefix(count)
      rest = rest.dropFirst(count)
      step += 1
      // Data of its own, whose memory ends with it.
      try incremental.append(input.choices.contains(.looksAround) ? chunk : Data(Array(chunk)))
      guard let info = incremental.info else { continue }
      if let size, size != info.size { fatalError("the size changed from \(size) to \(info.size)") }
      size = info.size
      if input.choices.contains(.looksAround), step % 3 == 0, let preview = try incremental.snapshot() {
        guard preview.isPartial, preview.bitmap.size.pixelCount <= options.limits.maxPixels else {
          fatalError("a preview of \(preview.bitmap.size), partial: \(preview.isPartial)")
        }
      }
    }
  }

  private func checkFrames(of incremental: any IncrementalImageDecoding) throws {
    guard let frames = try? decoder.makeFrameDecoder(data, options: options) else { return }
    for index in 0..<min(incremental.completeFrameCount, frames.info.frameCount) {
      let a = try Promises.result { () throws(ImagingError) in try incremental.frame(at: index) }
      let b = try Promises.result { () throws(ImagingError) in try frames.frame(at: index) }
      switch (a, b) {
      case (.success(let a), .success(let b)):
        try FuzzFailure.unless(a == b, "frame \(index) differs in pieces and whole")
      case (.failure, .failure): return
      default: throw FuzzFailure("frame \(index): \(a) in pieces, \(b) whole")
      }
    }
  }
}
