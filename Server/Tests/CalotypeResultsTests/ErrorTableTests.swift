import Foundation
import HTTPTypes
import Testing

@testable import CalotypeResults

@Suite("Responses to failures")
struct ErrorTableTests {
  struct Case: Sendable {
    let failure: Failure
    let status: Int
    var cache = "no-store"
    var retryAfter: String?
  }

  static let cases = [
    Case(failure: Failure(.invalidSignature), status: 403),
    Case(failure: Failure(.securityOption), status: 403),
    Case(failure: Failure(.expired), status: 404, cache: "max-age=60, public"),
    Case(failure: Failure(.sourceRefused), status: 404, cache: "max-age=60, public"),
    Case(failure: Failure(.sourceUnreachable), status: 404),
    Case(
      failure: Failure(.sourceStatus, originStatus: 404), status: 404, cache: "max-age=60, public"),
    Case(failure: Failure(.sourceStatus, originStatus: 410), status: 410, cache: "max-age=60, public"),
    Case(failure: Failure(.sourceStatus, originStatus: 401), status: 401),
    Case(failure: Failure(.sourceStatus, originStatus: 503, retryAfter: .seconds(9)), status: 502),
    Case(failure: Failure(.sourceStatus, originStatus: 304), status: 404, cache: "max-age=60, public"),
    Case(failure: Failure(.sourceStatus), status: 404, cache: "max-age=60, public"),
    Case(failure: Failure(.sourceStatus, originStatus: -5), status: 404, cache: "max-age=60, public"),
    Case(failure: Failure(.sourceTimeout), status: 504),
    Case(
      failure: Failure(.sourceTooLarge, retryAfter: .seconds(1)), status: 422, cache: "max-age=60, public"),
    Case(failure: Failure(.tooLarge), status: 422),
    Case(failure: Failure(.queueFull, retryAfter: .milliseconds(1)), status: 429, retryAfter: "1"),
    Case(failure: Failure(.overloaded, retryAfter: .milliseconds(2001)), status: 503, retryAfter: "3"),
    Case(failure: Failure(.overloaded, retryAfter: .seconds(2)), status: 503, retryAfter: "2"),
    Case(failure: Failure(.shuttingDown, retryAfter: .zero - .seconds(1)), status: 503, retryAfter: "1"),
    Case(failure: Failure(.timeout, retryAfter: .seconds(Int64.max)), status: 503, retryAfter: "86400"),
    Case(failure: Failure(.cancelled), status: 499),
    Case(
      failure: Failure(.storageUnavailable, retryAfter: .seconds(1)), status: 503, retryAfter: "1"),
    Case(failure: Failure(.internal), status: 500),
  ]

  @Test(arguments: cases) func replies(_ row: Case) {
    let reply = ErrorTable().reply(to: row.failure)
    #expect(reply.status.code == row.status)
    #expect(reply.fields[.cacheControl] == row.cache)
    #expect(reply.fields[.retryAfter] == row.retryAfter)
    #expect(reply.fields[.errorCode] == row.failure.reason.rawValue)
    var compatible = ErrorTable()
    compatible.omitsCacheControl = true
    #expect(compatible.reply(to: row.failure).fields[.cacheControl] == nil)
    var impatient = ErrorTable()
    impatient.timeToLive = 0
    #expect(impatient.reply(to: row.failure).fields[.cacheControl] == "no-store")
  }

  /// 5xx are never kept, sentences name nothing internal, and details are shown only if wanted.
  @Test(arguments: FailureReason.allCases) func allReasons(_ reason: FailureReason) throws {
    let failure = Failure(reason, originStatus: 500, detail: "a \"secret\"\n\u{1}")
    let reply = ErrorTable().reply(to: failure)
    #expect((400...599).contains(reply.status.code) && !reply.body.isEmpty)
    #expect(!reply.body.contains("secret"))
    if reply.status.code >= 500 || reply.status.code == 403 {
      #expect(reply.fields[.cacheControl] == "no-store")
    }
    var open = ErrorTable()
    open.showsDetails = true
    #expect(open.reply(to: failure).body.hasSuffix(failure.detail))
    let json = open.reply(to: failure, prefersJSON: true)
    #expect(json.fields[.contentType] == "application/problem+json")
    struct Problem: Decodable {
      let title, code, detail: String
      let status: Int
    }
    let problem = try JSONDecoder().decode(Problem.self, from: Data(json.body.utf8))
    #expect(problem.code == reason.rawValue && problem.status == json.status.code)
    #expect(problem.title == reply.body && problem.detail == failure.detail)
  }
}
