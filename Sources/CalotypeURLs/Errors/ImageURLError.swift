/// A URL, or a part of the configuration, that cannot be used: the fault, its place, and a remedy.
public struct ImageURLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fault.
  public enum Fault: String, Hashable, Sendable, CaseIterable {
    /// A URL is longer than ``ImgproxyDialect/Limits/bytes``.
    case tooLong
    /// More options than ``ImgproxyDialect/Limits/options``.
    case tooManyOptions
    /// Presets name each other more deeply than ``ImgproxyDialect/Limits/presetDepth``.
    case presetsTooDeep
    /// More chained pipelines than ``ImgproxyDialect/Limits/stages``.
    case tooManyStages
    /// Bytes that no URL has: control characters, or bytes that are not UTF-8.
    case malformedTarget
    /// No signature, or nothing behind it.
    case incompletePath
    /// The form of imgproxy 2: `/fill/300/200/…`.
    case obsoleteForm
    /// An option of no known name.
    case unknownOption
    /// An option that is not in ``ImgproxyDialect/Configuration/allowedOptions``.
    case forbiddenOption
    /// An option of imgproxy that this package does not have: it needs a model or a video decoder.
    case unsupportedOption
    /// Too few or too many arguments.
    case argumentCount
    /// An argument outside the values of its option.
    case invalidArgument
    /// An option that loosens limits while ``ImgproxyDialect/Configuration/allowsSecurityOptions`` is off.
    case securityOption
    /// `bypass_cache` while ``ImgproxyDialect/Configuration/allowsBypassingCache`` is off.
    case cacheBypass
    /// A preset of no known name.
    case unknownPreset
    /// The moment of `expires` has passed.
    case expired
    /// No source.
    case emptySource
    /// A source that is not encoded as its form says, or not UTF-8, or has control characters.
    case invalidSource
    /// Two extensions behind a source.
    case severalFormats
    /// A format of no known name.
    case unknownFormat
    /// An encrypted source without a key to decrypt it, or with another key.
    case undecryptableSource
    /// A signature that does not belong to the URL.
    case invalidSignature
    /// A segment in the place of the signature that looks like an option.
    case missingSignature
    /// A configuration that contradicts itself.
    case invalidConfiguration
    /// A definition in a table of presets that cannot be read.
    case invalidPreset
    /// Values that no URL can say.
    case unwritable
  }

  /// A part of a URL, or of a table of presets.
  public struct Place: Hashable, Sendable {
    /// The segment of the URL, counted from 0 behind the signature; in a preset, of its options.
    public var segment: Int
    /// The text there, shortened to 64 bytes.
    public var text: String
    /// The preset whose definition has the text.
    public var preset: String?
    /// The line of that definition, counted from 1.
    public var line: Int?

    /// Names a place.
    public init(segment: Int, text: String, preset: String? = nil, line: Int? = nil) {
      self.segment = segment
      let bytes = text.utf8
      self.text = bytes.count <= 64 ? text : String(decoding: bytes.prefix(64), as: UTF8.self) + "…"
      self.preset = preset
      self.line = line
    }
  }

  /// The fault.
  public let fault: Fault
  /// Where it is, if it is somewhere.
  public let place: Place?
  /// The deviation.
  public let reason: String
  /// The remedy.
  public let remedy: String

  /// Describes a fault.
  public init(_ fault: Fault, at place: Place? = nil, _ reason: String, remedy: String) {
    self.fault = fault
    self.place = place
    self.reason = reason
    self.remedy = remedy
  }

  /// The name of the fault, which stays the same.
  public var code: String { fault.rawValue }

  /// The status of an HTTP response: 403 for signatures and options that are not allowed, 404 for all others, as imgproxy
  /// answers.
  public var status: Int {
    switch fault {
    case .invalidSignature, .missingSignature, .securityOption, .cacheBypass: 403
    default: 404
    }
  }

  /// The fault, its place and a remedy in one sentence.
  public var description: String {
    var text = reason
    if let place {
      text += " in segment \(place.segment), \"\(place.text)\""
      if let preset = place.preset { text += ", of the preset \(preset)" }
      if let line = place.line { text += " in line \(line)" }
    }
    return text + "; " + remedy
  }
}
