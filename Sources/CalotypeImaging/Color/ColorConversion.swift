/// The conversion of pixels of one layout under one profile.
enum ColorConversion: Sendable {
  /// No conversion: the profile is sRGB, or ignored.
  case none
  /// The profile cannot be used: as ``none``, but CMYK needs another conversion.
  case unusable
  /// A table for grey bytes: sRGB of each of the 256 values, opaque.
  case table([UInt32])
  /// A transform, for all other pixels.
  case transform(ColorTransform)

  /// Computes the conversion. Takes up to some hundred milliseconds for a large profile; see ``ColorCache``.
  init(from profile: ColorProfile, source: ColorEngine.Source) {
    if case .sRGB = profile {
      self = .none
      return
    }
    if let transform = ColorEngine.transform(from: profile, source: source) {
      if source == .gray8 {
        self = Self.table(by: transform, of: (0...255).map { [UInt8($0)] })
      } else {
        self = transform.isIdentity ? .none : .transform(transform)
      }
    } else if source == .gray8, let transform = ColorEngine.transform(from: profile, source: .rgba8) {
      // Grey pixels under an RGB profile lie on its grey axis.
      self = Self.table(by: transform, of: (0...255).map { [UInt8($0), UInt8($0), UInt8($0), 255] })
    } else {
      self = .unusable
    }
  }

  private static func table(by transform: ColorTransform, of grays: [[UInt8]]) -> ColorConversion {
    var bytes = [UInt8](repeating: 255, count: 4 * grays.count)
    bytes.withUnsafeMutableBytes { output in
      grays.flatMap(\.self).withUnsafeBytes { input in
        guard let input = input.baseAddress, let output = output.baseAddress else { return }
        transform.convert(input, to: output, count: grays.count)
      }
    }
    let isIdentity = bytes.indices.allSatisfy { $0 % 4 == 3 || abs(Int(bytes[$0]) - $0 / 4) <= 1 }
    if isIdentity { return .none }
    return .table(bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) })
  }
}
