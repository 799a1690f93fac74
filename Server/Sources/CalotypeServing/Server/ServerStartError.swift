/// A server that cannot start.
public enum ServerStartError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An image of the settings whose file cannot be read.
  case unreadableImage(String)
  /// An image of the settings whose text is none.
  case malformedImage(String)
  /// A machine without the means for the sandbox of decoders.
  case noSandbox(reason: String)

  /// The fault and a remedy in one sentence.
  public var description: String {
    switch self {
    case .unreadableImage(let path): "\(path) cannot be read; check the path of the image and its mode"
    case .noSandbox(let reason):
      "images cannot be decoded in a sandbox: \(reason); allow seccomp and /proc, or set SANDBOX to none"
    case .malformedImage(let text): "an image of the settings is no \(text); check its text"
    }
  }
}
