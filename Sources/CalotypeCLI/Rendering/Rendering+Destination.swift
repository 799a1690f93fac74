extension Rendering {
  /// The destination of a result.
  enum Destination: Sendable {
    case file(String)
    /// A file that the user named without an extension; the extension follows from the format.
    case fileWithoutExtension(String)
    /// A folder; the extension follows from the format.
    case folder(String, stem: String)
    case standardOutput

    /// Whether the user named the file.
    var isNamed: Bool { if case .folder = self { false } else { true } }

    /// The format that the name of the file requires.
    var format: OutputFormat? {
      if case .file(let path) = self { OutputFormat(fileName: path) } else { nil }
    }

    /// Returns the path of the file; `-` for standard output.
    func path(fileExtension: String) -> String {
      switch self {
      case .file(let path): path
      case .fileWithoutExtension(let path): "\(path).\(fileExtension)"
      case .folder(let folder, let stem): (folder == "." ? "" : folder + "/") + stem + "." + fileExtension
      case .standardOutput: StandardOutput.name
      }
    }
  }
}
