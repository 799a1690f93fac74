import CalotypeImaging
import CalotypeLibraryCoders
import FoundationEssentials

/// Decodes an input with a decoder of this package and with the library that does the same.
struct LibraryComparison {
  let ours: any ImageDecoding
  let library: any ImageDecoding

  /// By the name of the format.
  static let all: [String: LibraryComparison] = [
    "jpeg": LibraryComparison(ours: JPEGDecoder(), library: TurboJPEGDecoder()),
    "png": LibraryComparison(ours: PNGDecoder(), library: SPNGDecoder()),
    "gif": LibraryComparison(ours: GIFDecoder(), library: GIFLibDecoder()),
  ]

  /// How the two disagree.
  enum Difference {
    /// Only the library decodes.
    case refusedByUs(ImagingError)
    /// Only the decoder of this package decodes.
    case refusedByLibrary(ImagingError)
    /// Both decode, but something else than pixels differs: first ours.
    case facts(String, String)
    /// Both decode, to other pixels.
    case pixels(String)
  }

  /// A difference, the known kind of which is looked for.
  struct Finding: CustomStringConvertible {
    let difference: Difference
    /// What was compared: the picture, or all frames.
    let subject: String

    var description: String { "\(subject): \(difference)" }
  }

  /// The first difference that is of no known kind; `nil` when there is none.
  func finding(in data: Data, _ options: DecodeOptions) -> Finding? {
    finding(in: data, options) { KnownDifference.kind(of: $0, in: data) == nil }
  }

  /// The first difference that `isFinding` says yes to.
  func finding(
    in data: Data, _ options: DecodeOptions, where isFinding: (Difference) -> Bool
  ) -> Finding? {
    var isDecoded = false
    if let difference = still(data, options, &isDecoded), isFinding(difference) {
      return Finding(difference: difference, subject: "picture")
    }
    // Frames of what is no picture to one of them say no more.
    guard isDecoded else { return nil }
    if let difference = frames(data, options), isFinding(difference) {
      return Finding(difference: difference, subject: "frames")
    }
    return nil
  }

  /// `isDecoded`: whether both made a picture of it.
  private func still(_ data: Data, _ options: DecodeOptions, _ isDecoded: inout Bool) -> Difference? {
    func decode(_ decoder: any ImageDecoding) -> Result<Image, ImagingError> {
      Result { () throws(ImagingError) in
        let info = try decoder.probe(data, limits: options.limits)
        let image = try decoder.decode(data, minimumSize: nil, options: options)
        // What probing says is what decoding says.
        if image.info != info { throw .invalidParameter(name: "info", reason: "probed \(info)") }
        return image
      }
    }
    switch (decode(ours), decode(library)) {
    case (.failure, .failure): return nil
    case (.failure(let error), .success): return .refusedByUs(error)
    case (.success, .failure(let error)): return .refusedByLibrary(error)
    case (.success(let a), .success(let b)):
      isDecoded = true
      if a.info != b.info { return .facts("\(a.info as Any)", "\(b.info as Any)") }
      if a.orientation != b.orientation { return .facts("\(a.orientation)", "\(b.orientation)") }
      if a.profile != b.profile { return .facts("\(a.profile as Any)", "\(b.profile as Any)") }
      if a.metadata != b.metadata { return .facts("\(a.metadata)", "\(b.metadata)") }
      return Self.difference(a.bitmap, b.bitmap)
    }
  }

  private func frames(_ data: Data, _ options: DecodeOptions) -> Difference? {
    func make(_ decoder: any ImageDecoding) -> Result<(any FrameDecoding)?, ImagingError> {
      Result { () throws(ImagingError) in try decoder.makeFrameDecoder(data, options: options) }
    }
    let (a, b): (any FrameDecoding, any FrameDecoding)
    switch (make(ours), make(library)) {
    case (.failure, .failure), (.success(nil), .success(nil)): return nil
    case (.failure(let error), .success): return .refusedByUs(error)
    case (.success, .failure(let error)): return .refusedByLibrary(error)
    case (.success(let x?), .success(let y?)): (a, b) = (x, y)
    case (.success(let x), .success(let y)):
      return .facts("\(x?.info.frameCount ?? 1) frames", "\(y?.info.frameCount ?? 1) frames")
    }
    if a.info != b.info { return .facts("\(a.info)", "\(b.info)") }
    for index in 0..<a.info.frameCount {
      let x = Result { () throws(ImagingError) in try a.frame(at: index) }
      let y = Result { () throws(ImagingError) in try b.frame(at: index) }
      switch (x, y) {
      // What comes after a broken frame is not compared: each canvas starts anew in its own way.
      case (.failure, .failure): return nil
      case (.failure(let error), .success): return .refusedByUs(error)
      case (.success, .failure(let error)): return .refusedByLibrary(error)
      case (.success(let x), .success(let y)):
        if let difference = Self.difference(x, y) { return difference }
      }
    }
    return nil
  }

  private static func difference(_ a: Bitmap, _ b: Bitmap) -> Difference? {
    if a == b { return nil }
    guard a.size == b.size, a.format == b.format else {
      return .pixels("\(a.size) \(a.format), \(b.size) \(b.format)")
    }
    return a.withUnsafeBytes { x in
      b.withUnsafeBytes { y in
        guard let index = x.indices.first(where: { x[$0] != y[$0] }) else { return nil }
        let pixel = index / a.format.bytesPerPixel
        return .pixels("\(x[index]), \(y[index]) at \(pixel % a.width),\(pixel / a.width) of \(a.size)")
      }
    }
  }
}
