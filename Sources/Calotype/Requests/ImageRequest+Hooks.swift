public import CalotypeLoading

/// Hooks and rules of a load for one request alone. Requests that differ in them share neither loads nor cache entries.
extension ImageRequest {
  /// An interceptor of this request. Its name and its `identity` are part of the keys.
  ///
  /// Its request comes before the interceptors of an `HTTPLoader`, its response after them, for each attempt. Around
  /// other loaders it is called once for each load.
  public var interceptor: ImageRequest.Identified<any LoadIntercepting>? {
    get { identity.hooks.interceptor }
    set { identity.hooks.interceptor = newValue }
  }

  /// A transform of the body of this request, after those of the loader. Its name and its `identity` are part of the
  /// keys.
  public var bodyTransform: ImageRequest.Identified<any BodyTransforming>? {
    get { identity.hooks.bodyTransform }
    set { identity.hooks.bodyTransform = newValue }
  }

  /// Refuses responses by their heads. Its name is part of the keys, so that no entry of a request without it is used.
  ///
  /// ```swift
  /// request.validation = ImageRequest.Identified("is public") { response in
  ///   if response.headers[.cacheControl]?.contains("private") == true { throw NotPublic() }
  /// }
  /// ```
  public var validation: ImageRequest.Identified<ResponseValidation>? {
    get { identity.hooks.validation }
    set { identity.hooks.validation = newValue }
  }

  /// The HTTP statuses to accept; any other is `LoadingError.httpStatus`. 200 to 299 by default; others are part of the
  /// keys.
  public var statuses: LoadRequest.AcceptedStatuses {
    get { identity.statuses }
    set { identity.statuses = newValue }
  }

  /// The smallest fraction of the body, from 0 to 1, between two reports of progress to this request; 0, the default,
  /// reports whatever has arrived. Other requests that share the load have their own.
  public var progressStep: Double {
    get { rules.progressStep }
    set { rules.progressStep = newValue }
  }

  /// Values to store with the original and the result on disk, such as the name of an author:
  /// ``ImagePipeline/Cache/userInfo(for:)`` returns them. Requests that share work store the values of all of them; for a
  /// name with several values, one of these. An entry that is already stored keeps its values. With all other metadata of
  /// a record they take at most 64 KiB; more is not stored.
  public var userInfo: [String: String] {
    get { rules.userInfo }
    set { rules.userInfo = newValue }
  }
}

extension ImageRequest.Identity {
  /// The hooks; set to none by default ones.
  var hooks: Hooks {
    get { hookBox?.hooks ?? Hooks() }
    set { hookBox = newValue.parts.isEmpty ? nil : HookBox(newValue) }
  }

  /// Holds the hooks of the few requests that have any.
  final class HookBox: Sendable {
    let hooks: Hooks

    init(_ hooks: Hooks) { self.hooks = hooks }
  }

  /// The hooks of a request.
  struct Hooks: Sendable {
    var interceptor: ImageRequest.Identified<any LoadIntercepting>?
    var bodyTransform: ImageRequest.Identified<any BodyTransforming>?
    var validation: ImageRequest.Identified<ResponseValidation>?

    /// The names of the hooks and their own identities; none for no hooks. A secret in an identity becomes a digest.
    var parts: [(name: String, value: String)] {
      var parts: [(String, String)] = []
      func add(_ name: String, _ hook: String?, _ identity: String = "") {
        guard let hook else { return }
        parts.append((name, hook))
        if !identity.isEmpty { parts.append((name + " scope", LoaderIdentity.digest(identity))) }
      }
      add("interceptor", interceptor?.name, interceptor?.part.identity ?? "")
      add("body transform", bodyTransform?.name, bodyTransform?.part.identity ?? "")
      add("validation", validation?.name)
      return parts
    }

    /// The hooks as the loader takes them.
    var forLoader: LoadHooks {
      LoadHooks(
        identity: parts.map { "\($0.name) \($0.value.utf8.count) \($0.value)\n" }.joined(),
        interceptor: interceptor?.part, bodyTransform: bodyTransform?.part, validation: validation?.part)
    }
  }
}
