import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Builds the keys of all requests.
///
/// Keys are plain text, each part preceded by its length, so that different requests never produce the same
/// text. Header fields, and URLs with a user name or password, enter as a digest: keys are stored on disk,
/// where they must not disclose credentials.
enum RequestIdentity {
  /// Returns the key of the original.
  static func sourceKey(of request: ImageRequest.Identity) -> CacheKey {
    let (text, name) = source(of: request)
    return text.key(source: name)
  }

  /// Returns the text of the key of the original, and the name of the source.
  private static func source(of request: ImageRequest.Identity) -> (text: KeyText, name: String) {
    let (label, whole) =
      switch request.source {
      case .url(let url): (request.keyPolicy.label, request.keyPolicy.text(for: url))
      case .data(_, let id): ("data", id)
      case .stream(_, let id): ("stream", id)
      case .provider(let provider): ("provider", provider.id)
      }
    let name = RedactedURL.withoutUsers(whole, isOne: true)
    // Enough for most keys of results.
    var text = KeyText(capacity: name.utf8.count + 192)
    text.append(label, name)
    let namesUser = name.utf8.count != whole.utf8.count
    if let digest = digest(of: request, user: namesUser ? whole : nil) { text.append("headers", digest) }
    if let loader = request.loader {
      text.append("loader", loader.name)
      if let scope = LoaderScope(loader.part) { text.append("scope", scope.digest) }
    } else if let scope = request.scope?.loader {
      text.append("scope", scope.digest)
    }
    if let mark = request.acceptMark { text.append("accept", mark) }
    if let hooks = request.hookBox?.hooks {
      for hook in hooks.parts { text.append(hook.name, hook.value) }
    }
    if request.statuses != .success { text.append("statuses", request.statuses.identity) }
    // The version of a provider is part of its identity, whether or not a loader confirms it.
    if let version = request.version ?? request.source.version { text.append("version", version) }
    if let digest = request.expectedDigest { text.append("integrity", digest.description) }
    return (text, name)
  }

  /// Returns the key of the result.
  static func key(of request: ImageRequest.Identity) -> CacheKey {
    var (text, name) = source(of: request)
    appendForm(of: request, to: &text)
    text.append("result", "1")
    return text.key(source: name)
  }

  /// Returns the parts of the key that describe the pixels, regardless of their source.
  static func form(of request: ImageRequest) -> String {
    var text = KeyText()
    appendForm(of: request.identity, to: &text)
    return text.string
  }

  private static func appendForm(of request: ImageRequest.Identity, to text: inout KeyText) {
    if let coders = request.coders { text.append("coders", coders.name) }
    let decoding = request.decoding
    if let hint = decoding.formatHint { text.append("format", hint.rawValue) }
    if let thumbnail = decoding.thumbnail { text.append("thumbnail", thumbnail.identity) }
    if let maxPixels = decoding.maxPixels { text.append("pixels", String(maxPixels)) }
    if let transforms = decoding.givenTransforms, !transforms.isEmpty {
      text.append("transforms", transforms.identity)
      if decoding.animationTransforms != .everyFrame {
        text.append("animations", decoding.animationTransforms.rawValue)
      }
    }
    if request.frames == .all { text.append("frames", request.frames.rawValue) }
    if !decoding.appliesOrientation { text.append("orientation", "stored") }
    // A strict decode accepts no partial image.
    if decoding.allowsPartial, decoding.damage != .strict { text.append("partial", "allowed") }
    appendAppearance(decoding, to: &text)
  }

  /// Returns the common identity of all sizes of an image that are fitted into a box, and the box; `nil`
  /// when a larger image would differ in more than size. The full size has an unlimited box.
  static func sizeVariant(of request: ImageRequest) -> MemoryTier.SizeVariant? {
    let decoding = request.decoding
    guard decoding.transforms.isEmpty, request.frames == .first, decoding.maxPixels == nil else { return nil }
    var text = KeyText(request.sourceKey.text)
    if let coders = request.coders { text.append("coders", coders.name) }
    if let hint = decoding.formatHint { text.append("format", hint.rawValue) }
    if !decoding.appliesOrientation { text.append("orientation", "stored") }
    appendAppearance(decoding, to: &text)
    text.append("family", "1")
    let family = text.key(source: request.sourceKey.source)
    guard let thumbnail = decoding.thumbnail else {
      return MemoryTier.SizeVariant(of: family, width: .max, height: .max)
    }
    guard thumbnail.mode == .fit else { return nil }
    // A side of 0 is free.
    func side(_ length: Int) -> Int { length == 0 ? .max : length }
    return MemoryTier.SizeVariant(
      of: family, width: side(thumbnail.box.width), height: side(thumbnail.box.height))
  }

  /// Appends the options that change pixels or facts of every size.
  private static func appendAppearance(_ decoding: DecodeOptions, to text: inout KeyText) {
    // Most have none; the comparisons below are of texts.
    if case (.tolerate, .rgba8, .sRGB, .sRGB, 0, false) = (
      decoding.damage, decoding.pixels, decoding.colors, decoding.toneMapping, decoding.page,
      decoding.readsMetadata
    ), decoding.extras.isEmpty, decoding.vectorSize == nil {
      return
    }
    if decoding.page != 0 { text.append("page", String(decoding.page)) }
    if let vectorSize = decoding.vectorSize { text.append("drawing", vectorSize.identity) }
    if decoding.damage != .tolerate { text.append("damage", decoding.damage.rawValue) }
    if decoding.pixels != .rgba8 { text.append("samples", decoding.pixels.rawValue) }
    if decoding.colors != .sRGB { text.append("colors", decoding.colors.rawValue) }
    if decoding.toneMapping != .sRGB { text.append("tones", decoding.toneMapping.rawValue) }
    if decoding.readsMetadata { text.append("metadata", "read") }
    for (name, value) in decoding.extras.sorted(by: { $0.key < $1.key }) {
      text.append("extra", name)
      text.append("value", value)
    }
  }

  private static func part(_ name: String, _ value: String) -> String {
    var part = KeyText()
    part.append(name, value)
    return part.string
  }

  /// Returns a digest of all confidential parts that a response may vary on, because keys are stored on
  /// disk; `nil` when there are none.
  ///
  /// - Parameter user: A URL that contains a user name.
  private static func digest(of request: ImageRequest.Identity, user: String?) -> String? {
    var headers = request.headers
    if !headers.isEmpty {
      headers[values: .cacheControl] = []
      headers[values: .pragma] = []
    }
    if headers.isEmpty, request.credential == nil, request.partition == nil, request.fallbacks.isEmpty,
      user == nil
    {
      return nil
    }
    var hash = MessageDigest(.sha256)
    // The order of different fields is insignificant; the order of equal names is not.
    let fields = headers.enumerated().sorted {
      ($0.element.name.canonicalName, $0.offset) < ($1.element.name.canonicalName, $1.offset)
    }
    for (_, field) in fields { hash.update(part(field.name.canonicalName, field.value)) }
    // No name of a field has a space.
    switch request.credential {
    case .basic(let user, let password):
      hash.update(part("basic user", user) + part("basic password", password))
    case .digest(let user, let password):
      hash.update(part("digest user", user) + part("digest password", password))
    case .bearer(let token): hash.update(part("bearer token", token))
    case nil: break
    }
    if let user { hash.update(part("user of", user)) }
    if let partition = request.partition { hash.update(part("whose partition", partition)) }
    for url in request.fallbacks { hash.update(part("or else", url.absoluteString)) }
    return Hex.encode(hash.finalize())
  }
}
