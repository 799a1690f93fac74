/// Refuses responses by their heads.
///
/// Called with the head of each accepted response, after interceptors and before the first byte, once for each load; not
/// for a 304. The body belongs to the loader.
///
/// It throws to refuse. Errors other than ``LoadingError`` and `CancellationError` become ``LoadingError/vetoed(_:reason:)`` with their
/// description.
public typealias ResponseValidation = @Sendable (LoadResponse) async throws -> Void

/// The hooks of one request.
package struct LoadHooks: LoadAttaching {
  /// The names of the hooks and their own identities, by which hooks are compared.
  package let identity: String
  package let interceptor: (any LoadIntercepting)?
  package let bodyTransform: (any BodyTransforming)?
  package let validation: ResponseValidation?

  package init(
    identity: String, interceptor: (any LoadIntercepting)?, bodyTransform: (any BodyTransforming)?,
    validation: ResponseValidation?
  ) {
    self.identity = identity
    self.interceptor = interceptor
    self.bodyTransform = bodyTransform
    self.validation = validation
  }

  var interceptors: [any LoadIntercepting] { interceptor.map { [$0] } ?? [] }
  var bodyTransforms: [any BodyTransforming] { bodyTransform.map { [$0] } ?? [] }
}

extension LoadRequest {
  /// The hooks of this request alone; `nil` for none.
  package var hooks: LoadHooks? {
    get { attachment as? LoadHooks }
    set { attachment = newValue }
  }
}

extension LoadResponse {
  /// Passes the response to the validation of the request.
  func validate(for request: LoadRequest, by hooks: LoadHooks?) async throws {
    guard let validation = hooks?.validation, !isNotModified else { return }
    do {
      try await validation(self)
    } catch {
      throw LoadRequest.veto(error, of: request.source)
    }
  }
}

extension ImageLoading {
  /// Loads with the hooks of the request. ``HTTPLoader`` carries them out itself, for each attempt; around all other
  /// loaders they are carried out here, once.
  package func loadWithHooks(_ request: LoadRequest) async throws -> LoadResponse {
    guard let hooks = request.hooks, !carriesOutHooks(of: request.source) else {
      return try await load(request)
    }
    var plain = request
    plain.hooks = nil
    let sent = try await plain.intercepted(by: hooks.interceptors)
    var open = sent
    // The interceptor sees every response.
    if hooks.interceptor != nil { open.statuses = .any }
    let response = try await load(open).intercepted(by: hooks.interceptors, for: sent)
    try await response.validate(for: request, by: hooks)
    return try response.transformed(by: hooks.bodyTransforms, byteLimit: request.byteLimit)
  }

  fileprivate func carriesOutHooks(of source: ImageSource) -> Bool {
    guard let group = self as? LoaderGroup else { return self is any HookCarrying }
    return group.loaders.last { $0.accepts(source) }?.carriesOutHooks(of: source) ?? false
  }
}

/// A loader that carries out the hooks of requests itself.
protocol HookCarrying: ImageLoading {}
