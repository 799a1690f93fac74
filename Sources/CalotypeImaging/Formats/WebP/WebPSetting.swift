import CWebP

/// A setting of libwebp beyond those of ``EncodeOptions``, all whole numbers. Its raw value is its name in
/// ``EncodeOptions/extras``.
///
/// ```swift
/// var options = EncodeOptions.webp(quality: 70)
/// options[.spatialNoiseShaping] = 80
/// ```
public enum WebPSetting: String, Hashable, Sendable, CaseIterable {
  /// The effort, from 0 (fast) to 6 (small), instead of that of ``EncodeOptions/effort``.
  case method
  /// The number of segments of different quality, 1 to 4 (lossy).
  case segments
  /// The strength of spatial noise shaping, which spends bits where they are seen, 0 to 100 (lossy).
  case spatialNoiseShaping
  /// The strength of the deblocking filter, 0 (off) to 100 (lossy).
  case filterStrength
  /// The sharpness of the deblocking filter, 0 (most) to 7 (lossy).
  case filterSharpness
  /// The kind of the deblocking filter, 0 (simple) or 1 (strong) (lossy).
  case filterType
  /// 1 to search for the best strength of the filter, which takes several times as long (lossy).
  case autoFilter
  /// 0, or a sum of 1 to smooth segments and 2 to dither chroma (lossy).
  case preprocessing
  /// The binary logarithm of the number of token partitions, 0 to 3 (lossy, with a method below 3).
  case partitions
  /// The loss of quality that is accepted to keep the first partition small, 0 to 100 (lossy).
  case partitionLimit
  /// 0 to store the alpha plane without compression (lossy).
  case alphaCompression
  /// The prediction of the alpha plane: 0 (none), 1 (fast) or 2 (best) (lossy).
  case alphaFiltering
  /// 0 for plain conversion to 4:2:0, 1 for the sharp one of ``EncodeOptions/usesSharpYUV``; by default, drawings are
  /// converted sharply (lossy).
  case sharpYUV
  /// 1 for files of about the size of a JPEG of the same quality (lossy).
  case jpegSize
  /// 1 for less memory and more time (lossy).
  case lowMemory
  /// The lowest quality of a segment, 0 to 100 (lossy).
  case minimumQuality
  /// The highest quality of a segment, 0 to 100 (lossy).
  case maximumQuality
  /// The level of lossless compression, 0 (fast) to 9 (small), instead of that of the effort.
  case losslessLevel
  /// 1 to choose between lossy and lossless compression for each frame (animations).
  case mixed
  /// The shortest distance between key frames, in frames; 0 for none (animations).
  case keyFrameMinimum
  /// The longest distance between key frames, in frames; 0 for none (animations).
  case keyFrameMaximum

  /// The values that libwebp accepts.
  public var range: ClosedRange<Int> {
    switch self {
    case .method: 0...6
    case .segments: 1...4
    case .spatialNoiseShaping, .filterStrength, .partitionLimit, .minimumQuality, .maximumQuality: 0...100
    case .filterSharpness: 0...7
    case .filterType, .autoFilter, .alphaCompression, .sharpYUV, .jpegSize, .lowMemory, .mixed: 0...1
    case .preprocessing, .partitions: 0...3
    case .alphaFiltering: 0...2
    case .losslessLevel: 0...9
    case .keyFrameMinimum, .keyFrameMaximum: 0...65535
    }
  }
}

extension EncodeOptions {
  /// A setting of the WebP encoder; `nil` for the encoder's choice.
  ///
  /// - Parameter setting: The setting.
  public subscript(setting: WebPSetting) -> Int? {
    get { extras[setting.rawValue].flatMap { Int($0) } }
    set { extras[setting.rawValue] = newValue.map { String($0) } }
  }

  /// Returns the value of a setting; `nil` if it is not set.
  ///
  /// - Throws: `invalidParameter` for anything but a number in its range.
  func checked(_ setting: WebPSetting) throws(ImagingError) -> Int32? {
    guard let text = extras[setting.rawValue] else { return nil }
    let range = setting.range
    guard let value = Int(text), range.contains(value) else {
      throw .invalidParameter(
        name: setting.rawValue, reason: "\(text) is not \(range.lowerBound) to \(range.upperBound)")
    }
    return Int32(value)
  }
}

extension WebPConfig {
  /// Applies the settings of a lossy file.
  mutating func applyLossySettings(of options: EncodeOptions) throws(ImagingError) {
    let fields: [(WebPSetting, WritableKeyPath<WebPConfig, Int32>)] = [
      (.method, \.method), (.segments, \.segments), (.spatialNoiseShaping, \.sns_strength),
      (.filterStrength, \.filter_strength), (.filterSharpness, \.filter_sharpness),
      (.filterType, \.filter_type), (.autoFilter, \.autofilter),
      (.preprocessing, \.preprocessing), (.partitions, \.partitions), (.partitionLimit, \.partition_limit),
      (.alphaCompression, \.alpha_compression), (.alphaFiltering, \.alpha_filtering),
      (.sharpYUV, \.use_sharp_yuv), (.jpegSize, \.emulate_jpeg_size), (.lowMemory, \.low_memory),
      (.minimumQuality, \.qmin), (.maximumQuality, \.qmax),
    ]
    for (setting, field) in fields {
      if let value = try options.checked(setting) { self[keyPath: field] = value }
    }
    guard qmin <= qmax else {
      throw .invalidParameter(
        name: WebPSetting.minimumQuality.rawValue, reason: "\(qmin) is above the highest quality, \(qmax)")
    }
  }
}
