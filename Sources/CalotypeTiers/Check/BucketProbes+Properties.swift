import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// The probes of properties that servers differ in.
extension BucketProbes {
  func range() async -> TierFinding.Outcome {
    let wanted = 1_000...1_999
    let effect = "cache copy reads whole records to learn their age"
    do throws(BucketError) {
      let answer = try await read("object", [.range: "bytes=\(wanted.lowerBound)-\(wanted.upperBound)"])
      switch answer.status {
      case 206 where answer.body == Data(content[wanted]): return .ok("the part that was asked for")
      case 206: return .failed("another part than was asked for", code: "bucketAnswer")
      case 200: return .cannot("the whole object instead of a part", effect)
      default: return .refused(answer.error, effect)
      }
    } catch {
      return .failed(error)
    }
  }

  func readAfterWrite() async -> TierFinding.Outcome {
    let rounds = 5
    var stale = 0
    do throws(BucketError) {
      for round in 0..<rounds {
        let new = Self.randomContent(512)
        // The first is a new object that was asked for before, the others replace it.
        if round == 0 { _ = try await read("changed") }
        let written = try await write("changed", new)
        guard written.isSuccess else { return .failed(written.error) }
        let answer = try await read("changed")
        guard answer.isSuccess || answer.status == 404 || answer.status == 403 else {
          return .failed(answer.error)
        }
        if answer.body != new { stale += 1 }
      }
    } catch {
      return .failed(error)
    }
    if stale == 0 { return .ok("\(rounds) reads right after writes were new") }
    return .cannot(
      "\(stale) of \(rounds) reads right after writes were old",
      "nodes may load an original again that another one has just stored, and learn of purges later")
  }

  func metadata() async -> TierFinding.Outcome {
    let effect = "none: records carry their own"
    do throws(BucketError) {
      let answer = try await send(BucketCall(method: .head, key: key("object")))
      guard answer.isSuccess else { return .refused(answer.error, "records are looked for by reading them") }
      guard answer.fields[.amzMetaCalotype] == "2", answer.fields[.contentType] == Self.contentType else {
        return .cannot("HEAD returns other metadata than were written", effect)
      }
      return .ok("HEAD returns them as written")
    } catch {
      return .failed(error)
    }
  }

  func ifNoneMatch() async -> TierFinding.Outcome {
    let effect =
      "the log of purges takes its numbers from Redis, and without Redis no purge reaches other nodes; records need no conditions"
    do throws(BucketError) {
      let first = try await write("new", Data("first".utf8), [.ifNoneMatch: "*"])
      guard first.isSuccess else { return .refused(first.error, effect) }
      let second = try await write("new", Data("second".utf8), [.ifNoneMatch: "*"])
      if second.isSuccess { return .cannot("a second write succeeds, too", effect) }
      guard second.status == 412 || second.status == 409 else { return .refused(second.error, effect) }
      return .ok("a second write gets \(second.status)")
    } catch {
      return .failed(error, effect)
    }
  }

  func ifMatch() async -> TierFinding.Outcome {
    let effect = "cache copy may replace a record that is written at the same moment"
    guard let tag else { return .cannot("writes are answered without an ETag", effect) }
    do throws(BucketError) {
      let other = try await write(
        "object", Data("other".utf8), [.ifMatch: "\"0123456789abcdef0123456789abcdef\""])
      // The probes behind this one read the object.
      let restored = try await write("object", content, [.amzMetaCalotype: "2"])
      guard restored.isSuccess else { return .failed(restored.error) }
      if other.isSuccess { return .cannot("a write with a wrong ETag succeeds", effect) }
      guard other.status == 412 || other.status == 409 else { return .refused(other.error, effect) }
      let right = try await write("object", content, [.ifMatch: restored.fields[.eTag] ?? tag])
      guard right.isSuccess else { return .refused(right.error, effect) }
      return .ok("a write with a wrong ETag gets \(other.status)")
    } catch {
      return .failed(error, effect)
    }
  }

  func list() async -> TierFinding.Outcome {
    let effect = "nodes cannot read the log of purges, and cache copy cannot read the bucket"
    do throws(BucketError) {
      for name in ["list-a", "list-b"] {
        let answer = try await write(name, Data(name.utf8))
        guard answer.isSuccess else { return .failed(answer.error) }
      }
      let prefix = key("list-")
      let page = try await client.list(prefix, limit: 1)
      let rest = try await client.list(prefix, after: key("list-a"))
      guard (page.objects + rest.objects).map(\.key) == [key("list-a"), key("list-b")], page.isTruncated,
        !rest.isTruncated
      else {
        return .cannot(
          "objects that were just written are not all listed",
          "nodes learn of purges later; cache copy misses new records")
      }
      return .ok("new objects at once, in pages")
    } catch {
      return .refused(error, effect)
    }
  }

  func payloadHash() async -> TierFinding.Outcome {
    let effect = "bytes that change on the way are noticed when a record is read, by its own checksums"
    do throws(BucketError) {
      let answer = try await write(
        "hash", Data("sent".utf8), payload: PayloadHash.of([Data("signed".utf8)]))
      if answer.isSuccess { return .cannot("other bytes than those of the signed hash are accepted", effect) }
      guard (400...499).contains(answer.status) else { return .failed(answer.error) }
      return .ok("other bytes than those of the signed hash get \(answer.status)")
    } catch {
      return .failed(error)
    }
  }

  // MARK: Latency

  func readLatency() async -> TierFinding.Outcome {
    await latency(
      limit: .milliseconds(300), "reads give up after 300 ms and count as misses: nodes share little"
    ) { _ async throws(BucketError) in try await self.read("object") }
  }

  func writeLatency() async -> TierFinding.Outcome {
    await latency(limit: nil, "") { number async throws(BucketError) in
      try await self.write("small-\(number % 4)", Data(self.content.prefix(1_024)))
    }
  }

  private func latency(
    limit: Duration?, _ consequence: String, _ request: (Int) async throws(BucketError) -> BucketAnswer
  ) async -> TierFinding.Outcome {
    var sample = LatencySample()
    do throws(BucketError) {
      for number in 0..<samples {
        let start = elapsed()
        let answer = try await request(number)
        guard answer.isSuccess else { return .failed(answer.error) }
        sample.add(elapsed() - start)
      }
    } catch {
      return .failed(error)
    }
    return sample.outcome(limit: limit, consequence: consequence)
  }
}
