import CSandbox

/// The first message of a worker: it is ready, and locked.
struct SandboxGreeting {
  /// The protections in force.
  var posture: SandboxPosture

  private static let mark: UInt64 = 0x6279_7065_7461_6c43

  /// The message.
  var bytes: [UInt8] {
    var writer = WireWriter()
    writer.write(Self.mark)
    writer.write(posture.hasSeccomp)
    writer.write(posture.landlockABI)
    writer.write(posture.hasMemoryLimit)
    writer.write(posture.isSanitized)
    return writer.bytes
  }

  init(posture: SandboxPosture) {
    self.posture = posture
  }

  init(_ bytes: [UInt8]) throws(WireError) {
    var reader = WireReader(bytes)
    guard try reader.word() == Self.mark else { throw WireError(reason: "this is not a greeting") }
    posture = SandboxPosture(
      hasSeccomp: try reader.bool(), landlockABI: try reader.int(in: 0...1000, "a version"),
      hasMemoryLimit: try reader.bool(), isSanitized: try reader.bool())
    try reader.end()
  }
}
