import Hummingbird
import NIOCore

/// The context of a request, with the connection that it came from.
struct ClientContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  private let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// Performs an operation, and cancels it when the client closes the connection.
  ///
  /// `consumeWithCancellationOnInboundClose` of Hummingbird does this too. It takes the next request of a client that
  /// sends several at once for the end of the first, and drops it.
  func whileConnected<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let channel = channel
    let work = try await channel.eventLoop.submit {
      try channel.pipeline.syncOperations.handler(type: ClientHandler.self).work
    }.get()
    return try await work.perform(operation)
  }
}
