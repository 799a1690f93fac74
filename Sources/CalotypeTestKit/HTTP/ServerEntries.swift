/// The record of a server.
struct ServerEntries: Sendable {
  var requests: [ScriptedRequest] = []
  var connections = 0
  var openConnections = 0
  /// Clients that left during a reply, by path.
  var disconnects: [String: Int] = [:]
  /// Replies that were carried out to their end, by path.
  var finished: [String: Int] = [:]
  /// Bytes handed to the system, by path.
  var sent: [String: Int] = [:]
  /// Writes that had to wait for the client, by path.
  var stalls: [String: Int] = [:]
}
