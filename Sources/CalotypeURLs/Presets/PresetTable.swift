/// Named sets of options (imgproxy, "Presets"). One of the name `default` comes before the options of every URL.
///
/// ```swift
/// let presets = try PresetTable(lines: """
///   # thumbnails of the shop
///   thumbnail=rs:fill:300:200/q:80
///   sharp=sh:0.7
///   """)
/// ```
public struct PresetTable: Sendable {
  /// A named set of options.
  struct Preset: Sendable {
    let name: String
    let line: Int
    /// The segments, each of which has a separator or is `-`.
    let segments: [[UInt8]]
  }

  private(set) var presets: [String: Preset] = [:]

  /// No presets.
  public init() {}

  /// Definitions of the form `name=option/option`; empty ones and those that begin with `#` are skipped. Of two with one
  /// name, the later counts.
  public init(_ definitions: [String]) throws(ImageURLError) {
    for (index, definition) in definitions.enumerated() { try add(definition, line: index + 1) }
  }

  /// A file with a definition a line (`IMGPROXY_PRESETS_PATH`).
  public init(lines text: String) throws(ImageURLError) {
    try self.init(
      text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
      })
  }

  /// The names, sorted.
  public var names: [String] { presets.keys.sorted() }

  /// The presets of both tables; of two with one name, that of the other.
  public func merging(_ other: PresetTable) -> PresetTable {
    var merged = self
    merged.presets.merge(other.presets) { $1 }
    return merged
  }

  private mutating func add(_ definition: String, line: Int) throws(ImageURLError) {
    let bytes = Self.trimmed(Array(definition.utf8)[...])
    guard let first = bytes.first, first != UInt8(ascii: "#") else { return }
    let parts = bytes.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw Self.error(definition, line, "\(parts.count - 1) equals signs", "write name=option/option")
    }
    guard let name = SafeText.validated(Self.trimmed(parts[0])), !name.isEmpty else {
      throw Self.error(definition, line, "a preset without a name", "write name=option/option")
    }
    let value = Self.trimmed(parts[1])
    guard !value.isEmpty else {
      throw Self.error(definition, line, "a preset without options", "write name=option/option")
    }
    guard SafeText.validated(value) != nil else {
      throw Self.error(definition, line, "a preset with control characters", "remove them")
    }
    let segments = value.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    presets[name] = Preset(name: name, line: line, segments: segments)
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let spaces: [UInt8] = [0x20, 0x09, 0x0D]
    var bytes = bytes.drop { spaces.contains($0) }
    while let last = bytes.last, spaces.contains(last) { bytes.removeLast() }
    return bytes
  }

  private static func error(_ text: String, _ line: Int, _ reason: String, _ remedy: String) -> ImageURLError
  {
    ImageURLError(
      .invalidPreset, at: .init(segment: 0, text: text, line: line), reason, remedy: remedy)
  }
}
