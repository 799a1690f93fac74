/// The capabilities of a terminal, derived from the environment and its answers. A value that does no I/O.
struct TerminalDetection {
  private let environment: [String: String]

  init(_ environment: [String: String]) { self.environment = environment }

  private func value(_ name: String) -> String { environment[name] ?? "" }
  private var type: String { value("TERM") }
  private var program: String { value("TERM_PROGRAM") }

  /// The multiplexer by the environment. One on the other side of ssh is only visible in its answers.
  var multiplexer: Multiplexer {
    if !value("TMUX").isEmpty || type.hasPrefix("tmux") { return .tmux }
    return !value("STY").isEmpty || type.hasPrefix("screen") ? .screen : .none
  }

  func multiplexer(_ answers: TerminalResponses) -> Multiplexer {
    guard let version = answers.version?.lowercased() else { return multiplexer }
    if version.hasPrefix("tmux") { return .tmux }
    return version.hasPrefix("screen") ? .screen : multiplexer
  }

  /// Whether questions are safe: some terminals show them as text.
  var answersQuestions: Bool {
    !["linux", "dumb", ""].contains(type) && program != "Apple_Terminal"
  }

  /// Returns the best protocol that works.
  func graphics(_ answers: TerminalResponses) -> GraphicsProtocol {
    let multiplexer = multiplexer(answers)
    switch multiplexer {
    case .none:
      if answers.kittyGraphics == true { return .kitty }
      if showsInlineImages(answers) { return .iterm2 }
    case .tmux:
      // Only by placeholders, which not all terminals have that have the protocol.
      let name = answers.terminfoName ?? ""
      if answers.kittyGraphics == true, name.contains("kitty") || name.contains("ghostty") { return .kitty }
    case .screen:
      break
    }
    // A multiplexer that says so draws them itself.
    if answers.attributes?.dropFirst().contains(4) == true { return .sixel }
    return hasAllColors(answers) ? .blocks : .blocks256
  }

  private func showsInlineImages(_ answers: TerminalResponses) -> Bool {
    if let version = answers.version {
      return version.hasPrefix("iTerm2") || version.hasPrefix("WezTerm") || version.hasPrefix("mintty")
    }
    return ["iTerm.app", "WezTerm", "mintty"].contains(program) || value("LC_TERMINAL") == "iTerm2"
  }

  private func hasAllColors(_ answers: TerminalResponses) -> Bool {
    if ["truecolor", "24bit"].contains(value("COLORTERM").lowercased()) { return true }
    if type.hasSuffix("-direct") { return true }
    let known = ["kitty", "ghostty", "alacritty", "foot", "wezterm", "contour", "iterm"]
    let names = (type + " " + program + " " + (answers.version ?? "")).lowercased()
    return known.contains { names.contains($0) }
  }
}
