@testable import CalotypeIsolation
import CalotypeImaging

/// Reads the bytes as messages between a program and the process that decodes for it.
enum SandboxTargets {
  /// As a job: what is read is written as the same bytes.
  static func request(_ input: FuzzInput) throws {
    let bytes = Array(input.bytes)
    guard let request = try? SandboxRequest(bytes) else { return }
    let again = try SandboxRequest(request.bytes)
    try FuzzFailure.unless(again.bytes == request.bytes, "a job is read differently than it is written")
    try FuzzFailure.unless(request.inputCount >= 0 && request.outputCapacity >= 0, "a length is negative")
  }

  /// As a reply, whose results lie in a megabyte of shared memory.
  static func reply(_ input: FuzzInput) throws {
    let capacity = 1 << 20
    var limits = DecodeLimits()
    limits.maxPixels = 1 << 16
    limits.maxFrames = 64
    let options = DecodeOptions(limits: limits, pixels: input.first & 1 == 0 ? .rgba8 : .native)
    let bytes = Array(input.bytes)
    if let reply = try? SandboxReply(bytes, capacity: capacity) {
      if case .stored(let offset, let count) = reply.outcome {
        try FuzzFailure.unless(
          offset >= 0 && count >= 0 && offset + count <= capacity, "a result outside of shared memory")
      }
    }
    _ = try? SandboxGreeting(bytes)
    var reader = WireReader(bytes)
    if let image = try? reader.image(for: options, capacity: capacity) {
      let count = image.size.pixelCount * image.format.bytesPerPixel
      try FuzzFailure.unless(
        image.offset >= 0 && count > 0 && image.offset + count <= capacity,
        "a picture outside of shared memory")
      try FuzzFailure.unless(image.size.pixelCount <= limits.maxPixels, "a picture beyond the limits")
    }
    var infos = WireReader(bytes)
    if let info = try? infos.info(within: limits) {
      try FuzzFailure.unless(info.size.pixelCount <= limits.maxPixels, "a description beyond the limits")
      try FuzzFailure.unless(info.frameCount <= 64 && info.durations.count <= 64, "frames beyond the limits")
    }
  }
}
