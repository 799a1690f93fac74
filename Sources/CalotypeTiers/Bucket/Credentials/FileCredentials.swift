import CalotypeSupport
import FoundationEssentials

/// Keys from the shared files of the AWS command line (AWS SDKs and Tools Reference Guide, "Shared config and credentials
/// files").
struct FileCredentials: BucketCredentialProviding {
  var profile: String?
  var environment = ProcessInfo.processInfo.environment

  func keys() async throws(BucketError) -> BucketKeys? {
    let name = profile ?? environment.value("AWS_PROFILE") ?? "default"
    let home = environment.value("HOME") ?? "/root"
    let credentials = environment.value("AWS_SHARED_CREDENTIALS_FILE") ?? "\(home)/.aws/credentials"
    let config = environment.value("AWS_CONFIG_FILE") ?? "\(home)/.aws/config"
    // In `config`, other sections than the default one are called "profile name".
    for (path, section) in [(credentials, name), (config, name == "default" ? name : "profile \(name)")] {
      guard let text = await Self.text(path) else { continue }
      let values = ProfileFile.section(section, of: text)
      guard let accessKey = values.value("aws_access_key_id"),
        let secretKey = values.value("aws_secret_access_key")
      else { continue }
      return try BucketKeys(
        accessKey: accessKey, secretKey: secretKey, sessionToken: values.value("aws_session_token"))
    }
    return nil
  }

  /// Reads up to 64 KiB of a file on a thread of its own, because a file system may block.
  static func text(_ path: String) async -> String? {
    let waiter = Waiter<String?>()
    Threads.start(name: "calotype-keys") { waiter.resolve(SmallFile.text(path)) }
    return await waiter.value()
  }
}

/// The format of the shared files: sections in brackets, and lines of names and values. Pure.
enum ProfileFile {
  /// Returns the values of a section, names in lower case. Of several values of a name, the last counts.
  static func section(_ wanted: String, of text: String) -> [String: String] {
    var values: [String: String] = [:]
    var isWanted = false
    for line in text.split(whereSeparator: \.isNewline) {
      // An indented line belongs to a nested value.
      guard let first = line.first, first != " ", first != "\t", first != "#", first != ";" else { continue }
      if first == "[" {
        let end = line.firstIndex(of: "]") ?? line.endIndex
        let words = line[line.index(after: line.startIndex)..<end].split { $0 == " " || $0 == "\t" }
        isWanted = words.joined(separator: " ") == wanted
      } else if isWanted, let equals = line.firstIndex(of: "=") {
        let name = trimmed(line[..<equals]).lowercased()
        values[name] = String(trimmed(line[line.index(after: equals)...]))
      }
    }
    return values
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    var text = text.drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return text
  }
}
