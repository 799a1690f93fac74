import ArgumentParser
import CalotypeURLs
import FoundationEssentials
import Glibc

/// The dialect of an image server: its prefix, and its keys from the environment.
struct ImageURLOptions: ParsableArguments {
  @Option(help: "The path in front of signatures.")
  var prefix = ""

  private static let maxKeyBytes = 64 << 10

  func dialect(needsKeys: Bool) throws -> ImgproxyDialect {
    let environment = ProcessInfo.processInfo.environment
    do {
      var configuration = ImgproxyDialect.Configuration()
      configuration.pathPrefix = prefix
      // Those of the server decide; here they are read.
      configuration.allowsSecurityOptions = true
      configuration.allowsBypassingCache = true
      let key = try Self.secret("KEY", environment)
      let salt = try Self.secret("SALT", environment)
      if needsKeys || key != nil || salt != nil {
        guard let key, let salt else {
          throw ValidationError(
            "No keys: set CALOTYPE_KEY and CALOTYPE_SALT, or CALOTYPE_KEY_FILE and CALOTYPE_SALT_FILE.")
        }
        let size = Self.value("SIGNATURE_SIZE", environment) ?? "32"
        configuration.signature = try URLSignature(hexKeys: key, hexSalts: salt, size: Int(size) ?? 0)
      }
      return try ImgproxyDialect(configuration)
    } catch let error as ImageURLError {
      throw ValidationError(error.description)
    }
  }

  private static func value(_ name: String, _ environment: [String: String]) -> String? {
    for prefix in ["CALOTYPE_", "IMGPROXY_"] {
      if let text = environment[prefix + name], !text.isEmpty { return text }
    }
    return nil
  }

  /// A secret of the environment, or of the file that it names: several by commas, or one a line.
  private static func secret(_ name: String, _ environment: [String: String]) throws -> String? {
    if let text = value(name, environment) { return text }
    guard let path = value(name + "_FILE", environment) else { return nil }
    guard let text = text(of: path) else {
      throw ValidationError(
        "\(path) cannot be read as a file of keys; check its path, its mode (chmod go-w) and its size.")
    }
    return text.split(whereSeparator: \.isNewline).joined(separator: ",")
  }

  /// The text of a file that nobody else may change.
  private static func text(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o022 == 0,
      facts.st_size <= maxKeyBytes
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: maxKeyBytes)
    let count = read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : String(validating: bytes[..<count], as: UTF8.self)
  }
}
