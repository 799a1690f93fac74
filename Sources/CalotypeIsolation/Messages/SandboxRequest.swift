import CalotypeImaging

/// A message of the host: a job for the worker. Its input is in shared memory.
struct SandboxRequest {
  /// The work.
  enum Body {
    /// Reads the header.
    case info(page: Int, formatHint: ImageFormat?, limits: DecodeLimits)
    /// Reads the header of the beginning of an image.
    case header(formatHint: ImageFormat?, limits: DecodeLimits)
    /// Decodes the first frame, at several sizes.
    case images(DecodeOptions, thumbnails: [Thumbnail?])
    /// Begins a session that takes bytes as they arrive.
    case openStream(session: UInt64, DecodeOptions)
    /// Appends the input to a stream.
    case append(session: UInt64)
    /// Returns the decoded part of a stream.
    case snapshot(session: UInt64)
    /// Ends the input of a stream.
    case finish(session: UInt64)
    /// Begins a session for the frames of an animation.
    case openFrames(session: UInt64, DecodeOptions)
    /// Decodes a frame of a session of either kind.
    case frame(session: UInt64, index: Int)
    /// Ends a session.
    case close(session: UInt64)
    /// Copies the pictures of the last job to shared memory, which has been enlarged.
    case fetch
  }

  /// The number of the job; the reply has the same.
  var id: UInt64
  /// The work.
  var body: Body
  /// Bytes of the input.
  var inputCount: Int
  /// Bytes of the shared memory for results.
  var outputCapacity: Int
  /// A Boolean value that indicates whether released pixel buffers are to be cleared.
  var clearsBuffers: Bool

  /// The largest message, in bytes.
  static let byteLimit = 96 << 10
}

extension SandboxRequest {
  /// The message.
  var bytes: [UInt8] {
    var writer = WireWriter()
    writer.write(id)
    writer.write(inputCount)
    writer.write(outputCapacity)
    writer.write(clearsBuffers)
    func hint(_ writer: inout WireWriter, _ format: ImageFormat?) {
      writer.write(format) { $0.write($1.rawValue) }
    }
    switch body {
    case .info(let page, let format, let limits):
      writer.write(UInt8(0))
      writer.write(page)
      hint(&writer, format)
      writer.write(limits)
    case .header(let format, let limits):
      writer.write(UInt8(1))
      hint(&writer, format)
      writer.write(limits)
    case .images(let options, let thumbnails):
      writer.write(UInt8(2))
      writer.write(options)
      writer.write(thumbnails) { writer, thumbnail in writer.write(thumbnail) { $0.write($1) } }
    case .openStream(let session, let options):
      writer.write(UInt8(3))
      writer.write(session)
      writer.write(options)
    case .append(let session):
      writer.write(UInt8(4))
      writer.write(session)
    case .snapshot(let session):
      writer.write(UInt8(5))
      writer.write(session)
    case .finish(let session):
      writer.write(UInt8(6))
      writer.write(session)
    case .openFrames(let session, let options):
      writer.write(UInt8(7))
      writer.write(session)
      writer.write(options)
    case .frame(let session, let index):
      writer.write(UInt8(8))
      writer.write(session)
      writer.write(index)
    case .close(let session):
      writer.write(UInt8(9))
      writer.write(session)
    case .fetch: writer.write(UInt8(10))
    }
    return writer.bytes
  }

  /// Reads a message.
  init(_ bytes: [UInt8]) throws(WireError) {
    var reader = WireReader(bytes)
    id = try reader.word()
    inputCount = try reader.int(in: 0...Int.max, "the length of the input")
    outputCapacity = try reader.int(in: 0...Int.max, "the capacity of the output")
    clearsBuffers = try reader.bool()
    func hint(_ reader: inout WireReader) throws(WireError) -> ImageFormat? {
      try reader.optional { reader throws(WireError) in try reader.format() }
    }
    switch try reader.byte() {
    case 0:
      body = .info(page: try reader.int(), formatHint: try hint(&reader), limits: try reader.limits())
    case 1: body = .header(formatHint: try hint(&reader), limits: try reader.limits())
    case 2:
      body = .images(
        try reader.options(),
        thumbnails: try reader.array(atMost: 1024) { reader throws(WireError) in
          try reader.optional { reader throws(WireError) in try reader.thumbnail() }
        })
    case 3: body = .openStream(session: try reader.word(), try reader.options())
    case 4: body = .append(session: try reader.word())
    case 5: body = .snapshot(session: try reader.word())
    case 6: body = .finish(session: try reader.word())
    case 7: body = .openFrames(session: try reader.word(), try reader.options())
    case 8: body = .frame(session: try reader.word(), index: try reader.int())
    case 9: body = .close(session: try reader.word())
    case 10: body = .fetch
    default: throw WireError(reason: "there is no such job")
    }
    try reader.end()
  }
}
