import CalotypeCaching
public import CalotypeImaging
import CalotypeSupport
public import FoundationEssentials
import HTTPTypes

/// An image in encoded form with the metadata that an HTTP response needs.
///
/// ```swift
/// let image = try await pipeline.encoded(request, as: .webp(quality: 80))
/// ```
///
/// Copies share the bytes.
public struct EncodedImage: Sendable {
  /// The encoded bytes.
  public var data: Data { contents.data }
  /// The format of the bytes.
  public var format: ImageFormat { contents.format }
  /// The media type of the bytes.
  public var contentType: String { contents.format.mimeType ?? ImageFormat.unknownMimeType }
  /// The width in pixels.
  public var width: Int { contents.size.width }
  /// The height in pixels.
  public var height: Int { contents.size.height }
  /// The validator of the bytes: a strong tag, the same for the same bytes on every server (RFC 9110 §8.8.3).
  public var entityTag: EntityTag { contents.entityTag }
  /// The time of the last change of the original, as its server declares; `nil` if unknown.
  public var lastModified: Date? { terms.provenance.response?.modificationDate }
  /// The end of the freshness lifetime of the original; `nil` for no limit.
  public var freshUntil: Date? { isStale ? .distantPast : terms.provenance.freshUntil }
  /// Whether the original is known to be stale, as the request, the response or the configuration permits.
  public private(set) var isStale: Bool
  /// Whether the original is damaged, so that the image has only the recoverable pixels.
  public var isDamaged: Bool { contents.isDamaged }
  /// The fields that no time and no request changes: `Content-Type`, `ETag`, `Accept-Ranges`, `Last-Modified`.
  var lastingFields: HTTPFields { terms.fields }
  /// The fields of the last whole reply.
  var recentFields: RecentReplyFields { terms.recentFields }
  /// The content that negotiation takes into account.
  public var content: OutputNegotiation.Content { contents.content }
  /// The source of the bytes: `.memory` or `.disk` if the encoded image was cached; otherwise, the source of the image
  /// that was encoded.
  public private(set) var source: ImageResponse.Source
  /// Whether another `Accept` field could have led to another format: the response then needs `Vary: Accept`.
  public internal(set) var variesOnAccept = false

  /// The original of the image, as its server described it.
  public var original: ImageResponse.Original { ImageResponse.Original(provenance) }

  /// Whether the image is for one user alone: the request has credentials or a partition, or its server says so.
  public var isPrivate: Bool {
    isForOneUser || terms.isPrivate
  }
  /// Whether the server of the original forbids intermediaries to transform it (`no-transform`, RFC 9111 §5.2.2.6). An
  /// intermediary, which acts for clients that did not ask for another form, must then pass on the original.
  public var forbidsTransformation: Bool {
    terms.forbidsTransformation
  }
  /// The `Cache-Control` directives that are passed on with a lifetime.
  var lastingTerms: (mustRevalidate: Bool, ownMaxAge: Int?) { (terms.mustRevalidate, terms.ownMaxAge) }
  /// Whether the request identifies a user.
  var isForOneUser = false

  /// Facts about the original.
  var provenance: OriginalMetadata {
    var provenance = terms.provenance
    provenance.isStale = isStale
    return provenance
  }
  // A copy costs two references: each hit of a cache makes some.
  private let contents: Contents
  private var terms: Terms

  /// The properties that all copies share.
  private final class Contents: Sendable {
    let data: Data
    let format: ImageFormat
    let size: PixelSize
    let entityTag: EntityTag
    let content: OutputNegotiation.Content
    let isDamaged: Bool
    /// Whether the image may be kept.
    let isStorable: Bool
    let fields: HTTPFields

    init(
      _ data: Data, _ format: ImageFormat, _ size: PixelSize, _ entityTag: EntityTag,
      _ content: OutputNegotiation.Content, isDamaged: Bool, isStorable: Bool
    ) {
      (self.data, self.format, self.size, self.entityTag) = (data, format, size, entityTag)
      (self.content, self.isDamaged, self.isStorable) = (content, isDamaged, isStorable)
      fields = [
        .contentType: format.mimeType ?? ImageFormat.unknownMimeType, .eTag: entityTag.text,
        .acceptRanges: "bytes",
      ]
    }
  }

  /// The original and the terms of its server, read once for all replies.
  private final class Terms: Sendable {
    let provenance: OriginalMetadata
    let isPrivate: Bool
    let forbidsTransformation: Bool
    let mustRevalidate: Bool
    /// The `max-age` of the original, in seconds, if it has an `s-maxage` as well.
    let ownMaxAge: Int?
    let fields: HTTPFields
    let recentFields = RecentReplyFields()

    init(_ provenance: OriginalMetadata, _ contents: Contents) {
      self.provenance = provenance
      let directives = provenance.response?.cacheControl
      isPrivate = directives.map { $0.isPrivate != .none } ?? false
      forbidsTransformation = provenance.forbidsTransformation || directives?.noTransform == true
      mustRevalidate = directives?.mustRevalidate == true
      ownMaxAge = directives?.sharedMaxAge == nil ? nil : directives?.maxAge
      var fields = contents.fields
      if let lastModified = provenance.response?.lastModified {
        fields.append(HTTPField(name: .lastModified, value: lastModified))
      }
      self.fields = fields
    }
  }

  private init(_ contents: Contents, _ source: ImageResponse.Source, _ provenance: OriginalMetadata) {
    (self.contents, self.source) = (contents, source)
    isStale = provenance.isStale
    terms = Terms(provenance, contents)
  }

  /// Describes encoded bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - format: Their format.
  ///   - size: Their width and height.
  ///   - content: The traits of the image.
  ///   - isDamaged: Whether the original is damaged.
  ///   - isStorable: Whether the image may be kept.
  ///   - source: The source of the image that was encoded.
  ///   - provenance: Facts about the original.
  init(
    _ data: Data, format: ImageFormat, size: PixelSize, content: OutputNegotiation.Content,
    isDamaged: Bool, isStorable: Bool, source: ImageResponse.Source, provenance: OriginalMetadata
  ) {
    self.init(
      Contents(
        data, format, size, Self.entityTag(of: data), content, isDamaged: isDamaged, isStorable: isStorable),
      source, provenance)
  }

  /// Returns the age of the original: the time since its server generated or confirmed it (RFC 9111 §4.2.3); `nil`
  /// for an original without an HTTP response.
  public func age(at now: Date) -> Duration? { terms.provenance.response?.currentAge(at: now) }

  /// Returns the remaining time that the image may be used without revalidation; `nil` for no limit.
  func freshness(at now: Date) -> Duration? { isStale ? .zero : terms.provenance.freshness(at: now) }

  /// Whether the image may be stored in a memory cache.
  var isStorable: Bool { contents.isStorable && terms.provenance.isStorable }
  /// Whether the image may be stored on disk. The next load of a damaged image may deliver a sound one.
  var isStorableOnDisk: Bool { isStorable && !isDamaged }

  /// The number of bytes in memory, including the overhead of a cache entry.
  var cost: Int { data.count + (2 << 10) }

  /// Returns the image as it was found in a cache.
  func found(in source: ImageResponse.Source, isStale: Bool) -> EncodedImage {
    var found = self
    found.source = source
    found.isStale = isStale
    return found
  }

  /// Returns the image after its original was confirmed.
  func confirmed(_ provenance: OriginalMetadata) -> EncodedImage {
    var provenance = provenance
    provenance.tags = terms.provenance.tags.merging(provenance.tags)
    provenance.cost = terms.provenance.cost
    var confirmed = self
    confirmed.isStale = provenance.isStale
    confirmed.terms = Terms(provenance, contents)
    return confirmed
  }

  /// Returns a strong tag: 128 bits of the SHA-256 of the bytes.
  private static func entityTag(of data: Data) -> EntityTag {
    var hash = MessageDigest(.sha256)
    data.withUnsafeBytes { hash.update($0) }
    return EntityTag(strong: Hex.encode(hash.finalize().prefix(16)))
  }
}

// MARK: Records

extension EncodedImage {
  private static let key = "encoded"

  /// Writes the facts that the bytes do not contain into the metadata of their record.
  func store(in metadata: inout RecordMetadata) {
    metadata.contentType = contentType
    metadata.response = provenance.response
    metadata.version = provenance.version
    metadata.cost = provenance.cost
    metadata.user[Self.key] = [
      entityTag.opaque, format.rawValue, String(width), String(height), content.hasAlpha ? "alpha" : "opaque",
      content.isAnimated ? "animated" : "still", content.isDrawing ? "drawing" : "photo",
    ].joined(separator: " ")
  }

  /// Reads a record; `nil` if it is not that of an encoded image.
  init?(_ record: CacheRecord, provenance: OriginalMetadata) {
    let metadata = record.metadata
    guard let fields = metadata.user[Self.key]?.split(separator: " "), fields.count == 7,
      let width = Int(fields[2]), let height = Int(fields[3]), width > 0, height > 0
    else { return nil }
    let content = OutputNegotiation.Content(
      hasAlpha: fields[4] == "alpha", isAnimated: fields[5] == "animated", isDrawing: fields[6] == "drawing")
    self.init(
      Contents(
        record.data, ImageFormat(rawValue: String(fields[1])), PixelSize(width: width, height: height),
        EntityTag(strong: String(fields[0])), content, isDamaged: false, isStorable: true),
      .disk, provenance)
  }
}

extension EncodedImage {
  /// Writes the bytes to a file, which is replaced atomically. Blocks: call it off the cooperative pool.
  ///
  /// - Throws: The error of the file system.
  public func write(to file: URL) throws { try data.write(to: file, options: .atomic) }

  /// Returns the bytes in chunks, for the body of a response.
  ///
  /// - Parameter size: The number of bytes of a chunk.
  public func chunks(of size: Int = 64 << 10) -> Chunks { Chunks(data: data, size: max(1, size)) }

  /// The bytes of an encoded image, in chunks that share its memory.
  public struct Chunks: AsyncSequence, Sendable {
    fileprivate let data: Data
    fileprivate let size: Int

    /// Iterates over the chunks.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var rest: Data
      fileprivate let size: Int

      /// Returns the next chunk; `nil` at the end. Never suspends.
      public mutating func next() async -> Data? {
        if rest.isEmpty { return nil }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size)
      }
    }

    /// Returns an iterator from the first byte.
    public func makeAsyncIterator() -> Iterator { Iterator(rest: data, size: size) }
  }
}

extension ImageFormat {
  /// The media type of formats without one of their own.
  fileprivate static let unknownMimeType = "application/octet-stream"
}
