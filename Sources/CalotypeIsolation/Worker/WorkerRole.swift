import CalotypeImaging

/// The parameters of a worker, as the text of its environment variable.
struct WorkerRole {
  /// Bytes of memory for decoding.
  var memory = 1 << 30
  /// Seconds of processor time in all.
  var processorTime = 600
  /// The formats whose libraries are opened; no other ones can be opened later.
  var formats: Set<ImageFormat> = []
  /// A Boolean value that indicates whether the decoders of tests are registered.
  var isTest = false
  /// A Boolean value that indicates whether the worker starts by a call in `main`.
  var startsInMain = false
  /// Barriers that tests leave out.
  var withoutSeccomp = false, withoutLandlock = false

  /// The text.
  var description: String {
    var words = [startsInMain ? "main" : "worker", "memory=\(memory)", "cpu=\(processorTime)"]
    if !formats.isEmpty { words.append("formats=" + formats.map(\.rawValue).sorted().joined(separator: ",")) }
    if isTest { words.append("test") }
    if withoutSeccomp { words.append("no-seccomp") }
    if withoutLandlock { words.append("no-landlock") }
    return words.joined(separator: " ")
  }

  init() {}

  /// Reads a text; `nil` if it is not that of a role.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard let first = words.first, first == "worker" || first == "main" else { return nil }
    startsInMain = first == "main"
    for word in words.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1)
      if parts[0] == "formats" {
        formats =
          parts.count == 2
          ? Set(parts[1].split(separator: ",").map { ImageFormat(rawValue: String($0)) }) : []
        continue
      }
      switch (parts[0], parts.count == 2 ? Int(parts[1]) : nil) {
      case ("memory", let value?): memory = max(0, value)
      case ("cpu", let value?): processorTime = max(1, value)
      case ("test", nil): isTest = true
      case ("no-seccomp", nil): withoutSeccomp = true
      case ("no-landlock", nil): withoutLandlock = true
      default: return nil
      }
    }
  }
}
