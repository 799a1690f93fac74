extension Settings {
  /// Named sets of options.
  public struct Presets: Equatable, Sendable {
    /// The text between the items of ``definitions`` and ``infoDefinitions``.
    public var separator = ","
    /// Definitions of the form `name=option/option`.
    public var definitions: [String] = []
    /// A file with a definition a line.
    public var file = LineFile.none
    /// Whether URLs name presets and nothing else.
    public var only = false
    /// Definitions for `/info`.
    public var infoDefinitions: [String] = []
    /// A file with definitions for `/info`.
    public var infoFile = LineFile.none
    /// Whether URLs of `/info` name presets and nothing else.
    public var infoOnly = false

    /// The defaults.
    public init() {}
  }

  /// How URLs are read.
  public struct URLs: Equatable, Sendable {
    /// The text between the arguments of an option.
    public var argumentsSeparator = ":"
    /// The text in front of all sources that do not begin with it; empty for none.
    public var baseURL = ""
    /// Rules that replace beginnings of sources, in order.
    public var replacements: [SettingPair] = []
    /// Whether the last segment of an encoded source is a file name without meaning.
    public var base64IncludesFilename = false
    /// The text between the name and the query of a source that is not HTTP; empty: there are no queries.
    public var querySeparator = "?"

    /// The defaults.
    public init() {}
  }
}
