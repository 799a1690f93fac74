/// The terminal multiplexer between the command and the terminal that draws.
enum Multiplexer: Hashable, Sendable {
  case none
  case tmux
  /// GNU screen, which has no way through for strings as long as pictures.
  case screen

  /// A control sequence as it has to be written so that the terminal outside gets it.
  func passthrough(_ bytes: [UInt8]) -> [UInt8] {
    guard self == .tmux else { return bytes }
    var wrapped = Array("\u{1B}Ptmux;".utf8)
    wrapped.reserveCapacity(bytes.count + 16)
    for byte in bytes {
      // tmux takes ESC ESC for ESC.
      if byte == 0x1B { wrapped.append(byte) }
      wrapped.append(byte)
    }
    wrapped.append(ControlSequence.stringTerminator)
    return wrapped
  }

  func passthrough(_ text: String) -> [UInt8] { passthrough(Array(text.utf8)) }
}
