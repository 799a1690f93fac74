import Calotype
import CalotypeSupport
import FoundationEssentials

extension Rendering {
  /// Writes the bytes to their destination.
  ///
  /// - Returns: The path of the file, and whether it had the same contents and was left as it is.
  func write(
    _ product: Product, to destination: Destination
  ) async throws -> (path: String, isUnchanged: Bool) {
    let path = destination.path(fileExtension: product.fileExtension)
    let isUnchanged = try await files.run { [keepsUnchanged, originals] in
      if case .standardOutput = destination {
        try StandardOutput.write(product.data)
        return false
      }
      if let existing = OutputFile.Identity(path), originals.contains(existing) {
        throw CommandError.unwritableOutput(
          path: path, reason: "it is a source; choose another name or folder with --output")
      }
      if keepsUnchanged, OutputFile.has(product.data, at: path) { return true }
      try OutputFile.write(product.data, to: path, isNamed: destination.isNamed)
      return false
    }
    return (path, isUnchanged)
  }
}
