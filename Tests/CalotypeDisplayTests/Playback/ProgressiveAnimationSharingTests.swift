@testable import CalotypeDisplay
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// Several who play an animation while it is being loaded.
@Suite("Progressive animations of several players", .timeLimit(.minutes(2)))
struct ProgressiveAnimationSharingTests {
  private let url = URL(string: "https://example.com/a.gif") ?? URL(filePath: "/")
  private let pool = FramePool(byteLimit: 1 << 20)
  private let loader = FakeLoader()

  private func pipeline(sharesWork: Bool = true) -> ImagePipeline {
    var configuration = ImagePipeline.Configuration(loader: loader, diskCache: nil)
    configuration.sharesWork = sharesWork
    return ImagePipeline(configuration)
  }

  @Test("They share its frames, and the load goes on while one of them is there")
  func sharing() async throws {
    let data = try PlaybackSamples.gif(frames: 8)
    let (rest, isFirstIn, isSecondIn) = (Gate(), Gate(), Gate())
    let half = data.count / 2
    loader.route(url, .gated([(nil, data.prefix(half)), (rest, data.dropFirst(half))]))
    let (pipeline, request, pool) = (pipeline(), ImageRequest(url: url), pool)
    let first = Task {
      try await pipeline.withPlayer(for: request, pool: pool) { player in
        var iterator = player.frames().makeAsyncIterator()
        #expect(try await iterator.next()?.index == 0)
        isFirstIn.open()
        try await isSecondIn.wait()
        return player.source.identity
      }
    }
    try await isFirstIn.wait()
    let indices = try await pipeline.withPlayer(for: request, pool: pool) { player in
      player.rate = .infinity
      var iterator = player.frames().makeAsyncIterator()
      var indices: [Int] = []
      if let frame = try await iterator.next() { indices.append(frame.index) }
      isSecondIn.open()
      // The one who began the load goes first.
      #expect(try await first.value == player.source.identity)
      rest.open()
      while let frame = try await iterator.next() { indices.append(frame.index) }
      return indices
    }
    #expect(indices == Array(0..<8))
    #expect(loader.requests.count == 1)
    // What has ended is not joined.
    let again = try await pipeline.withPlayer(for: request, pool: pool) { player in
      player.rate = .infinity
      return try await player.frames().reduce(into: [Int]()) { $0.append($1.index) }
    }
    #expect(again == Array(0..<8))
    #expect(loader.requests.count == 2)
  }

  @Test("With the last of them the load is given up; who comes then begins anew")
  func leaving() async throws {
    let data = try PlaybackSamples.gif(frames: 8)
    loader.route(url, FakeReply([.bytes(data.prefix(data.count / 2)), .hang]))
    let (pipeline, request, pool) = (pipeline(), ImageRequest(url: url), pool)
    let isIn = [Gate(), Gate()]
    try await withThrowingTaskGroup { group in
      for place in 0..<2 {
        group.addTask {
          try await pipeline.withPlayer(for: request, pool: pool) { player in
            isIn[place].open()
            try await isIn[1 - place].wait()
            for try await _ in player.frames() { return }
          }
        }
      }
      try await group.waitForAll()
    }
    try await loader.waitForCancellations()
    #expect(loader.requests.count == 1)
    loader.route(url, .body(data))
    let indices = try await pipeline.withPlayer(for: request, pool: pool) { player in
      player.rate = .infinity
      return try await player.frames().reduce(into: [Int]()) { $0.append($1.index) }
    }
    #expect(indices == Array(0..<8))
  }

  @Test("Who is in a hurry, or asks for something else, has an animation of its own")
  func apart() async throws {
    let data = try PlaybackSamples.gif(frames: 3)
    loader.route(url, FakeReply([.bytes(data), .hang]))
    let pool = pool
    var hurried = ImageRequest(url: url)
    hurried.deadline = .seconds(600)
    let requests = [
      (hurried, true), (ImageRequest(url: url), false),
      (ImageRequest(url: url, thumbnail: .fit(width: 4, height: 4)), true),
    ]
    for (request, sharesWork) in requests {
      let pipeline = pipeline(sharesWork: sharesWork)
      try await pipeline.withPlayer(for: request, pool: pool) { first in
        try await pipeline.withPlayer(for: request, pool: pool) { second in
          let isSame = first.source.identity == second.source.identity
          #expect(isSame == (sharesWork && request.deadline == nil))
        }
      }
      try await pipeline.withPlayer(for: request, pool: pool) { first in
        var other = request
        other.thumbnail = .fit(width: 5, height: 5)
        try await pipeline.withPlayer(for: other, pool: pool) { second in
          #expect(first.source.identity != second.source.identity)
        }
      }
    }
  }
}
