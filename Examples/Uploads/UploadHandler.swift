import Calotype
import Crypto
import FoundationEssentials

/// Takes images from strangers: checks them while they arrive, decodes them where they can do no harm, and keeps nothing of
/// their bytes but the pixels.
///
/// It knows no server. With Hummingbird, for example:
///
/// <!-- snippet: not compiled, Hummingbird is a dependency of Server alone -->
/// ```swift
/// router.post("photos") { request, _ in
///   let chunks = request.body.map { Data($0.readableBytesView) }
///   let length = request.headers[.contentLength].flatMap { Int($0) }
///   do throws(UploadError) {
///     let stored = try await handler.receive(chunks, declaredLength: length)
///     return Response(status: .created, headers: [.location: "/photos/\(stored.original.name)"])
///   } catch { return Response(status: .init(code: error.status)) }
/// }
/// ```
struct UploadHandler: Sendable {
  let policy: UploadPolicy
  /// The folder of all files.
  let folder: URL
  private let pipeline: ImagePipeline

  init(policy: UploadPolicy = UploadPolicy(), folder: URL) {
    (self.policy, self.folder) = (policy, folder)
    pipeline = ImagePipeline(urls: .untrusted) {
      $0.caches = ImagePipeline.Caches()  // every upload is decoded once
      $0.decoding = .sandboxed(workers: 2)  // all formats, also JPEG and PNG
      $0.decodeLimits = policy.limits
    }
  }

  /// Reads a body, and stores the image and its thumbnails.
  ///
  /// - Parameters:
  ///   - body: The parts of the body as they arrive. The next one is not asked for before this one is dealt with.
  ///   - declaredLength: The `Content-Length` of the request, if it has one.
  func receive<Body: AsyncSequence>(
    _ body: Body, declaredLength: Int? = nil
  ) async throws(UploadError) -> StoredUpload where Body.Element == Data {
    var received = try UploadBody(limit: policy.maxBytes, declaredLength: declaredLength)
    var hasHeader = false
    do {
      for try await part in body {
        try received.append(part)
        // A wrong upload is refused after its first bytes, not after its last.
        if !hasHeader, received.isWorthALook() { hasHeader = try await acceptsHeader(received.data) }
      }
    } catch let error as UploadError {
      throw error
    } catch {
      throw .bodyFailed
    }
    return try await store(received.data)
  }

  /// Checks format and size by the first bytes, in the sandbox.
  ///
  /// - Returns: Whether they have the header; `false` if more bytes are needed.
  private func acceptsHeader(_ prefix: Data) async throws(UploadError) -> Bool {
    if let format = ImageFormat.sniff(prefix) { try check(format) }
    let (coders, limits) = (pipeline.configuration.coders, policy.limits)
    let header = try await working {
      try await pipeline.compute { try coders.header(of: prefix, limits: limits) }
    }
    guard let header else { return false }
    try check(header.info.format)
    return true
  }

  private func check(_ format: ImageFormat) throws(UploadError) {
    guard policy.formats.contains(format) else { throw .formatNotAllowed(format) }
  }

  /// Decodes the image once, upright and in sRGB, and encodes it in all sizes. Encoders write no metadata unless they are asked to:
  /// no place, no camera, nothing that hides behind the image.
  private func store(_ data: Data) async throws(UploadError) -> StoredUpload {
    if data.isEmpty { throw .image(ImagingError.emptyInput) }
    if let format = ImageFormat.sniff(data) { try check(format) }
    let image = try await working { try await pipeline.decode(data) }
    let format = image.info?.format ?? .jpeg
    try check(format)
    if let count = image.info?.frameCount, count > 1 { throw .animated(frameCount: count) }
    if image.isDamaged { throw .damaged }

    let original = try await working {
      try await pipeline.encode(image, as: EncodeOptions(format: format, quality: 90))
    }
    // The same picture has the same name, so that a repeated upload is no second file, and URLs may be cached for ever.
    let digest = SHA256.hash(data: original).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      .joined()
    var files = [
      StoredUpload.File(
        name: "\(digest).\(format.fileExtension)", size: image.size, data: original)
    ]
    for thumbnail in policy.thumbnails {
      let small = try await working {
        try await pipeline.transform(image, by: [.resize(width: thumbnail.side, height: thumbnail.side)])
      }
      let webp = try await working { try await pipeline.encode(small, as: .webp(quality: 80)) }
      files.append(.init(name: "\(digest)-\(thumbnail.name).webp", size: small.size, data: webp))
    }
    try await write(files)
    return StoredUpload(original: files[0], thumbnails: Array(files.dropFirst()))
  }

  /// Writes files, the original last: when it is there, all are.
  private func write(_ files: [StoredUpload.File]) async throws(UploadError) {
    do {
      try await pipeline.compute { [folder] in
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in files.reversed() {
          try file.data.write(to: folder.appending(path: file.name), options: .atomic)
        }
      }
    } catch { throw .notStored }
  }

  /// Runs work of the pipeline, whose errors become ours.
  private func working<Result>(
    _ work: () async throws -> Result
  ) async throws(UploadError) -> Result {
    do {
      return try await work()
    } catch let error as any CalotypeError {
      throw .image(error)
    } catch {
      throw .bodyFailed  // cancelled, because the client has left
    }
  }
}
