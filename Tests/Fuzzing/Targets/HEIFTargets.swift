@testable import CalotypeImaging

/// The targets of HEIF: whole files, whose slices libde265 decodes, and the parameters of HEVC alone.
enum HEIFTargets {
  #if HEIF
  static let all = [
    FuzzTarget(name: "heif") { try DecoderCheck(HEIFDecoder(), $0).decodeWhole() },
    FuzzTarget(name: "hevc-parameters", run: parameters),
  ]

  /// Reads a sequence, or a configuration and the slices that follow it. The second number is the length of the latter
  /// in units of four bytes.
  private static func parameters(_ input: FuzzInput) throws {
    let bytes = input.bytes.span.bytes
    if input.choices.contains(.shrinks) {
      let sequence = try Promises.result { () throws(ImagingError) in
        try HEVCSequence(0..<bytes.byteCount, of: bytes)
      }
      if case .success(let sequence) = sequence { try check(sequence) }
      return
    }
    let length = min(bytes.byteCount, 4 * Int(input.second))
    let configuration = try Promises.result { () throws(ImagingError) in
      try HEVCConfiguration(0..<length, of: bytes)
    }
    guard case .success(let configuration) = configuration else { return }
    for size in configuration.sizes { try check(size) }
    let unit = try Promises.result { () throws(ImagingError) in
      try HEVCAccessUnit(bytes.extracting(length..<bytes.byteCount), configuration)
    }
    guard case .success(let unit) = unit else { return }
    try check(unit.parameters.sequence)
    var end = 0
    for slice in unit.slices {
      try FuzzFailure.unless(
        slice.lowerBound >= end && slice.upperBound <= bytes.byteCount - length && slice.count > 2,
        "a slice at \(slice)")
      end = slice.upperBound
    }
    try FuzzFailure.unless(end > 0, "a picture without slices")
  }

  private static func check(_ sequence: HEVCSequence) throws {
    try check(sequence.size)
    try FuzzFailure.unless(
      sequence.size.width <= sequence.codedSize.width && sequence.size.height <= sequence.codedSize.height,
      "\(sequence.size) of \(sequence.codedSize)")
    try FuzzFailure.unless(
      8...12 ~= sequence.depth && 0...3 ~= sequence.chroma,
      "\(sequence.depth) bits, chroma \(sequence.chroma)")
  }

  private static func check(_ size: PixelSize) throws {
    try FuzzFailure.unless(
      1...65_535 ~= size.width && 1...65_535 ~= size.height, "a picture of \(size)")
  }
  #else
  static let all: [FuzzTarget] = []
  #endif
}
