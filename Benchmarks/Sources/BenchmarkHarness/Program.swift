import FoundationEssentials
import Glibc

/// A program that is installed, or is not.
public enum Program {
  /// Its path.
  ///
  /// - Throws: ``Skipped`` when it is not installed.
  public static func path(of name: String) throws(Skipped) -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    // Servers live in folders that only root has in its path.
    for folder in folders + ["/usr/sbin", "/usr/local/sbin"] where access("\(folder)/\(name)", X_OK) == 0 {
      return "\(folder)/\(name)"
    }
    throw Skipped(reason: "\(name) is not installed: run .ci/install bench")
  }
}
