import CalotypeImaging

/// A message of a worker, which the host does not believe.
struct SandboxReply {
  /// The outcome of a job.
  enum Outcome {
    /// The job is done. The result is in the message.
    case inline([UInt8])
    /// The job is done. The result is in shared memory.
    case stored(offset: Int, count: Int)
    /// The job failed.
    case failed(ImagingError)
    /// The pictures need this many bytes of shared memory.
    case needs(Int)
  }

  /// The number of the job.
  var id: UInt64
  /// The outcome.
  var outcome: Outcome

  /// The largest message, in bytes.
  static let byteLimit = 32 << 10
  /// The largest result in shared memory besides pixels, in bytes: profiles and metadata.
  static let storedLimit = 32 << 20
}

extension SandboxReply {
  /// The message.
  var bytes: [UInt8] {
    var writer = WireWriter()
    writer.write(id)
    switch outcome {
    case .inline(let bytes):
      writer.write(UInt8(0))
      return writer.bytes + bytes
    case .stored(let offset, let count):
      writer.write(UInt8(1))
      writer.write(offset)
      writer.write(count)
    case .failed(let error):
      writer.write(UInt8(2))
      writer.write(error)
    case .needs(let count):
      writer.write(UInt8(3))
      writer.write(count)
    }
    return writer.bytes
  }

  /// Reads a message.
  ///
  /// - Parameters:
  ///   - bytes: The message.
  ///   - capacity: Bytes of the shared memory for results.
  init(_ bytes: [UInt8], capacity: Int) throws(WireError) {
    var reader = WireReader(bytes)
    id = try reader.word()
    switch try reader.byte() {
    case 0: outcome = .inline(Array(bytes.suffix(reader.remaining)))
    case 1:
      let offset = try reader.int(in: 0...capacity, "the position of a result")
      let count = try reader.int(
        in: 0...min(SandboxReply.storedLimit, capacity - offset), "the length of a result")
      outcome = .stored(offset: offset, count: count)
      try reader.end()
    case 2:
      outcome = .failed(try reader.error())
      try reader.end()
    case 3:
      outcome = .needs(try reader.int(in: 0...Int.max, "the size of a result"))
      try reader.end()
    default: throw WireError(reason: "there is no such outcome")
    }
  }
}
