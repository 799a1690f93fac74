#if AVIF
/// The frames of an image sequence (AV1-ISOBMFF, 2.4): those of the color track, with the alpha of the auxiliary track.
final class AVIFFrames {
  let info: ImageInfo
  /// The profile of the frame that was decoded last.
  private(set) var profile: ColorProfile?

  private let file: ISOMediaFile
  private let track: SequenceTrack
  private let options: DecodeOptions
  private let color: AV1Decoder
  private let alpha: AV1Decoder?
  private let clock: DecodeLimits.PassStopwatch
  /// The sample that the decoders expect next.
  private var next = 0
  /// The last delivered frame.
  private var last: (index: Int, bitmap: Bitmap)?

  init(_ file: ISOMediaFile, info: ImageInfo, options: DecodeOptions) throws(ImagingError) {
    guard let track = file.track else {
      throw .corrupt(.avif, reason: "there is no track of pictures", offset: nil)
    }
    if let alpha = file.alphaTrack {
      guard alpha.table.samples.count == track.table.samples.count, alpha.size == track.size else {
        throw .corrupt(.avif, reason: "the tracks of colour and alpha differ in frames or size", offset: nil)
      }
      self.alpha = try AV1Decoder(size: alpha.size, limits: options.limits)
    } else {
      alpha = nil
    }
    color = try AV1Decoder(size: track.size, limits: options.limits)
    clock = DecodeLimits.PassStopwatch(options.limits)
    (self.file, self.track, self.info, self.options) = (file, track, info, options)
  }

  /// Returns whether a decode may begin with a frame.
  func isKeyFrame(_ index: Int) -> Bool {
    guard index > 0 else { return index == 0 }
    return track.table.isKey(index) && (file.alphaTrack?.table.isKey(index) ?? true)
  }

  /// Returns the last frame up to another at which a decode may begin.
  private func lastKey(upTo index: Int) -> Int {
    var key = track.table.lastKey(before: index + 1)
    guard let table = file.alphaTrack?.table else { return key }
    while key > 0, !table.isKey(key) {
      key = min(table.lastKey(before: key), track.table.lastKey(before: key))
    }
    return key
  }

  /// Decodes a frame, from the last decoded one on if that is cheaper.
  ///
  /// - Parameters:
  ///   - index: The index of the frame.
  ///   - bytes: The file, as far as this frame or further.
  func frame(at index: Int, in bytes: UnsafeRawBufferPointer) throws(ImagingError) -> Bitmap {
    guard info.frameCount > index, index >= 0 else {
      throw .invalidParameter(
        name: "frame", reason: "\(index) is not below \(info.frameCount), the number of frames")
    }
    if let last, last.index == index { return last.bitmap }
    return try clock.run(to: index) { (watch) throws(ImagingError) in
      let reader = AVIFPictureReader(file: file, bytes: bytes, limits: options.limits, watch: watch)
      do throws(ImagingError) {
        return try decode(index, reader)
      } catch {
        // The decoders may be in the middle of a frame.
        next = .max
        throw error
      }
    }
  }

  private func decode(_ index: Int, _ reader: AVIFPictureReader) throws(ImagingError) -> Bitmap {
    guard next != index else { return try decode(upTo: index, reader) }
    let key = lastKey(upTo: index)
    if next > index || key > next { restart(at: key) }
    let isFirst = next == 0
    do throws(ImagingError) {
      return try decode(upTo: index, reader)
    } catch {
      // The list of key frames may be wrong.
      guard !isFirst, error.blamesInput else { throw error }
    }
    restart(at: 0)
    return try decode(upTo: index, reader)
  }

  private func restart(at key: Int) {
    color.restart()
    alpha?.restart()
    next = key
  }

  /// Decodes from the next frame on.
  private func decode(upTo index: Int, _ reader: AVIFPictureReader) throws(ImagingError) -> Bitmap {
    while true {
      try reader.watch.check()
      let picture = try reader.sample(next, of: track, by: color)
      var alphaPlanes: PicturePlanes?
      if let alpha, let track = file.alphaTrack {
        alphaPlanes = try AVIFPictureReader.alpha(reader.sample(next, of: track, by: alpha))
      }
      next += 1
      guard next > index else { continue }
      let pixels = try AVIFPixels(picture, alpha: alphaPlanes, of: reader, options: options)
      let bitmap = try pixels.bitmap(reader.watch)
      profile = pixels.profile
      last = (index, bitmap)
      return bitmap
    }
  }
}
#endif
