import CSandbox
import CalotypeImaging
import CalotypeSupport
import FoundationEssentials
import Glibc

/// The loop of a worker: one job after the other, on one thread.
final class WorkerLoop {
  /// Bytes of address space reserved for each of the two shared memories, which can grow up to it.
  static let reservation = 2 << 30

  private let coders: CoderRegistry
  private let input: UnsafeRawPointer
  private let output: UnsafeMutableRawPointer
  private var sessions: [UInt64: WorkerSession] = [:]
  /// The result of the last job, which the host reads until the next one begins.
  private var held: [Image] = []
  private var heldPayload: Bitmap?
  private var payload: (([Image]) -> [UInt8])?

  /// Maps the shared memory.
  init?(coders: CoderRegistry) {
    guard let input = csandbox_map(CSANDBOX_INPUT, Self.reservation, 0),
      let output = csandbox_map(CSANDBOX_OUTPUT, Self.reservation, 1)
    else { return nil }
    // A mapping needs no descriptor, and a process without one cannot change the size.
    close(CSANDBOX_INPUT)
    close(CSANDBOX_OUTPUT)
    self.coders = coders
    (self.input, self.output) = (UnsafeRawPointer(input), output)
    // The pool reads the limits of the control group when it is made.
    PixelPool.shared.setArena(UnsafeMutableRawBufferPointer(start: output, count: 0))
  }

  func greet(_ posture: SandboxPosture) { send(SandboxGreeting(posture: posture).bytes) }

  func run() -> Never {
    var buffer = [UInt8](repeating: 0, count: SandboxRequest.byteLimit)
    while true {
      let count = csandbox_receive(CSANDBOX_SOCKET, &buffer, buffer.count)
      if count == 0 || count == -Int(ECONNRESET) { _exit(WorkerExit.done) }
      guard count > 0, let request = try? SandboxRequest(Array(buffer[..<count])) else {
        _exit(WorkerExit.confusion)
      }
      send(answer(request).bytes)
    }
  }

  private func send(_ bytes: [UInt8]) {
    guard csandbox_send(CSANDBOX_SOCKET, bytes, bytes.count, 1) == bytes.count else { _exit(WorkerExit.done) }
  }

  private func answer(_ request: SandboxRequest) -> SandboxReply {
    let pool = PixelPool.shared
    DecodingWorker.currentJob = request.id
    DecodingWorker.forTests = DecodingWorker.TestAccess(
      input: UInt(bitPattern: input), output: UInt(bitPattern: output), capacity: request.outputCapacity)
    if request.clearsBuffers { pool.zeroOnReturn() }
    do throws(ImagingError) {
      if case .fetch = request.body {
        pool.setArena(UnsafeMutableRawBufferPointer(start: output, count: request.outputCapacity))
        return reply(request.id)
      }
      (held, heldPayload, payload) = ([], nil, nil)
      // Buffers that outlive their job would be overwritten by the next one, in the host's sight.
      guard pool.arenaBytesInUse == 0 else { _exit(WorkerExit.confusion) }
      pool.setArena(UnsafeMutableRawBufferPointer(start: output, count: request.outputCapacity))
      let data = Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: input), count: request.inputCount, deallocator: .none)
      return try work(request, data)
    } catch {
      (held, heldPayload, payload) = ([], nil, nil)
      return SandboxReply(id: request.id, outcome: .failed(error))
    }
  }

  private func work(_ request: SandboxRequest, _ data: Data) throws(ImagingError) -> SandboxReply {
    var writer = WireWriter()
    switch request.body {
    case .info(let page, let hint, let limits):
      writer.write(try coders.decodableInfo(of: data, limits: limits, formatHint: hint, page: page))
    case .header(let hint, let limits):
      let header = try coders.header(of: data, limits: limits, formatHint: hint)
      writer.write(header) { $0.write($1) }
    case .images(let options, let thumbnails):
      let images = try PixelPool.shared.usingArena { () throws(ImagingError) in
        try coders.decode(data, thumbnails: thumbnails, options: options)
      }
      return hold(images, for: request.id)
    case .openStream(let session, let options):
      sessions[session] = .stream(coders.makeIncrementalDecoder(options: options))
    case .openFrames(let session, let options):
      // The data stay for as long as the session.
      let animation = try AnimatedImage(data: Data([UInt8](data)), coders: coders, options: options)
      writer.write(animation.info)
      let isAnimated = animation.frameCount > 1
      writer.write(isAnimated)
      let keys = animation.keyFrames
      writer.write(Data(isAnimated ? keys.indices.map { keys[$0] == $0 ? 1 : 0 } : []))
      if isAnimated { sessions[session] = .frames(animation) }
    case .append(let session):
      let stream = try stream(session)
      // A decoder that fails has read the header, and more, before. It may keep the bytes.
      var failure: ImagingError?
      do throws(ImagingError) {
        try stream.append(Data([UInt8](data)))
      } catch {
        // The host asks a worker that has the library.
        if case .unsupportedFormat(let format, _) = error, CoderRegistry.lacksLibrary(of: format) {
          throw error
        }
        failure = error
      }
      writer.write(stream)
      writer.write(failure) { $0.write($1) }
    case .snapshot(let session):
      let stream = try stream(session)
      let image = try stream.snapshot()
      return hold(image.map { [$0.described(by: stream.info)] } ?? [], for: request.id)
    case .finish(let session):
      let stream = try stream(session)
      let image = try stream.finish().described(by: stream.info)
      return hold([image], for: request.id) { $0.write(stream) }
    case .frame(let session, let index):
      switch sessions[session] {
      case .frames(let animation): return hold([try animation.frame(at: index)], for: request.id)
      case .stream(let stream):
        return hold([try stream.frame(at: index).described(by: stream.info)], for: request.id)
      case nil: throw .invalidParameter(name: "session", reason: "there is none of this number")
      }
    case .close(let session): sessions[session] = nil
    case .fetch: break
    }
    return SandboxReply(id: request.id, outcome: stored(writer.bytes))
  }

  private func stream(_ session: UInt64) throws(ImagingError) -> IncrementalDecoder {
    guard case .stream(let stream) = sessions[session] else {
      throw .invalidParameter(name: "session", reason: "there is none of this number")
    }
    return stream
  }
}

/// The state of a worker between jobs.
private enum WorkerSession {
  /// A decoder of bytes as they arrive.
  case stream(IncrementalDecoder)
  /// The frames of an animation.
  case frames(AnimatedImage)
}

extension Image {
  fileprivate func described(by info: ImageInfo?) -> Image {
    guard self.info == nil, let info else { return self }
    return Image(
      bitmap: bitmap, info: info, orientation: orientation, isPartial: isPartial, profile: profile,
      metadata: metadata)
  }
}

extension WireWriter {
  /// Writes the state of a decoder after more bytes.
  fileprivate mutating func write(_ stream: IncrementalDecoder) {
    write(stream.info) { $0.write($1) }
    write(stream.completedPasses)
    write(stream.completeFrameCount)
  }
}

extension WorkerLoop {
  /// Keeps pictures in the host's sight until the next job, and describes them.
  private func hold(
    _ images: [Image], for id: UInt64, _ more: @escaping (inout WireWriter) -> Void = { _ in }
  ) -> SandboxReply {
    held = images
    payload = { [self] images in
      var writer = WireWriter()
      writer.write(images.map { ImageMessage($0, at: offset(of: $0.bitmap) ?? 0) }) { $0.write($1) }
      more(&writer)
      return writer.bytes
    }
    return reply(id)
  }

  /// Describes the pictures, after moving those to shared memory that are not there.
  private func reply(_ id: UInt64) -> SandboxReply {
    for index in held.indices where offset(of: held[index].bitmap) == nil {
      let bitmap = held[index].bitmap
      let copy = try? PixelPool.shared.usingArena { () throws(ImagingError) in
        try Bitmap(size: bitmap.size, format: bitmap.format) { buffer in
          bitmap.withUnsafeBytes { buffer.copyMemory(from: $0) }
          return bitmap.isOpaque
        }
      }
      guard let copy, offset(of: copy) != nil else {
        return SandboxReply(id: id, outcome: .needs(neededBytes))
      }
      held[index] = held[index].replacing(copy)
    }
    return SandboxReply(id: id, outcome: stored(payload?(held) ?? []))
  }

  /// Bytes of shared memory for all pictures, besides those that are there.
  private var neededBytes: Int {
    held.reduce(4096) { offset(of: $1.bitmap) == nil ? $0 + $1.bitmap.byteCount + 64 : $0 }
  }

  /// The position of the pixels in shared memory; `nil` if they are elsewhere.
  private func offset(of bitmap: Bitmap) -> Int? {
    bitmap.withUnsafeBytes { pixels in
      guard let start = pixels.baseAddress, start >= UnsafeRawPointer(output) else { return nil }
      let offset = start - UnsafeRawPointer(output)
      return offset < Self.reservation ? offset : nil
    }
  }

  /// Returns the place of a result: in the message if it is short.
  private func stored(_ bytes: [UInt8]) -> SandboxReply.Outcome {
    if bytes.count <= SandboxReply.byteLimit - 64 { return .inline(bytes) }
    let copy = try? PixelPool.shared.usingArena { () throws(ImagingError) in
      try Bitmap(size: PixelSize(width: bytes.count, height: 1), format: .gray8) { buffer in
        buffer.copyBytes(from: bytes)
        return true
      }
    }
    guard let copy, let offset = offset(of: copy) else { return .needs(bytes.count + 4096) }
    heldPayload = copy
    return .stored(offset: offset, count: bytes.count)
  }
}

extension Image {
  fileprivate func replacing(_ bitmap: Bitmap) -> Image {
    Image(
      bitmap: bitmap, info: info, orientation: orientation, isPartial: isPartial, profile: profile,
      metadata: metadata)
  }
}
