/// One option: its names, how it is read into values, and how values are written. Parser and builder know options from
/// these rows alone.
struct OptionRow<Target: Sendable>: Sendable {
  /// The condition of an option, besides being there.
  enum Requirement: Sendable {
    /// ``ImgproxyDialect/Configuration/allowsSecurityOptions``.
    case security
    /// ``ImgproxyDialect/Configuration/allowsBypassingCache``.
    case bypassingCache
  }

  typealias Reading = @Sendable (inout OptionArguments, inout Target) throws(ImageURLError) -> Void
  typealias Writing = @Sendable (Target, inout WrittenArguments) -> Void

  /// The full name, then the others; the second is written.
  let names: [String]
  var isPro = false
  var requirement: Requirement?
  /// The arguments, for forms.
  var kind = OptionDescription.Kind.arguments
  let read: Reading
  /// Adds the arguments; none if the option is not given.
  let write: Writing
  /// Takes a value away that is the default.
  var normalize: @Sendable (inout Target) -> Void = { _ in }

  /// The name that is written.
  var shortName: String { names.count > 1 ? names[1] : names[0] }

  init(_ names: String..., read: @escaping Reading, write: @escaping Writing) {
    self.names = names
    self.read = read
    self.write = write
  }

  init(names: [String], read: @escaping Reading, write: @escaping Writing) {
    self.names = names
    self.read = read
    self.write = write
  }

  /// The same option with another requirement.
  func requiring(_ requirement: Requirement) -> OptionRow {
    var row = self
    row.requirement = requirement
    return row
  }

  /// The same option with arguments of a kind.
  func of(_ kind: OptionDescription.Kind) -> OptionRow {
    var row = self
    row.kind = kind
    return row
  }

  /// The same option, in imgproxy Pro alone.
  func pro() -> OptionRow {
    var row = self
    row.isPro = true
    return row
  }

  /// The same option with a default.
  func normalizing(_ normalize: @escaping @Sendable (inout Target) -> Void) -> OptionRow {
    var row = self
    row.normalize = normalize
    return row
  }
}
