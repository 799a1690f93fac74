import CalotypeCaching
import FoundationEssentials
import HTTPTypes

/// Header fields as one writes them: a line each.
func fields(_ text: String) -> HTTPFields {
  var fields = HTTPFields()
  for line in text.split(separator: "\n") {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else {
      fatalError("no header field: \(line)")
    }
    fields.append(HTTPField(name: name, value: String(parts[1])))
  }
  return fields
}

/// 15 May 2025, 00:00:00: when responses come in these tests.
let responseTime = Date(timeIntervalSince1970: 1_747_267_200)

/// Seconds after ``responseTime``.
func moment(_ seconds: Int) -> Date { responseTime + TimeInterval(seconds) }

extension FreshnessPolicy {
  static let ours = FreshnessPolicy()
  static let mine = FreshnessPolicy(mode: .private)
  /// For what came over connections that anybody could have written to.
  static var unauthenticated: FreshnessPolicy {
    var policy = FreshnessPolicy()
    policy.honorsImmutable = false
    return policy
  }
  /// Nothing is taken for granted.
  static let strict = FreshnessPolicy(defaultLifetime: .zero, staleIfError: .zero)
}

/// What is kept of a response that came at ``responseTime``, so many seconds after its request.
func storedResponse(
  _ text: String, status: Int = 200, request: String = "", delay: Int = 0
) -> StoredResponse? {
  StoredResponse(
    status: status, fields: fields(text), request: fields(request), requestTime: moment(-delay),
    responseTime: responseTime)
}
