/// A value as a source of settings has it, before it is read.
enum SettingInput: Hashable, Sendable {
  /// A text: all that the environment, env files and flags can say.
  case text(String)
  /// An array of a TOML file.
  case items([String])
  /// A table of a TOML file.
  case pairs([SettingPair])

  /// The text for messages.
  var text: String {
    switch self {
    case .text(let text): text
    case .items(let items): items.joined(separator: ", ")
    case .pairs(let pairs): pairs.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
    }
  }
}
