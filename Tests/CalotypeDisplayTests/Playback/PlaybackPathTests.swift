@testable import CalotypeDisplay
import Testing

@testable import Calotype

/// The order of frames, without time and pixels.
@Suite("Playback path", .timeLimit(.minutes(5)))
struct PlaybackPathTests {
  private func rules(
    _ mode: PlaybackMode, _ count: Int, isComplete: Bool = true, loops: Int? = nil
  ) -> PlaybackPath.Rules {
    PlaybackPath.Rules(mode: mode, count: count, isComplete: isComplete, loops: loops)
  }

  /// One loop, as the documentation says.
  private func loop(_ mode: PlaybackMode, _ count: Int) -> [Int] {
    let forward = Array(0..<count)
    let inner = Array(forward.dropFirst().dropLast())
    return switch mode {
    case .normal: forward
    case .reverse: forward.reversed()
    case .bounce: forward + inner.reversed()
    case .reversedBounce: forward.reversed() + inner
    }
  }

  private func walk(_ start: PlaybackPath, _ rules: PlaybackPath.Rules, limit: Int = 1000) -> [PlaybackPath] {
    var (path, result) = (start, [start])
    while result.count < limit, case .frame(let next) = path.next(rules) {
      path = next
      result.append(path)
    }
    return result
  }

  @Test(
    "Every mode shows its loop, as often as asked for", arguments: PlaybackMode.allCases, [1, 2, 3, 4, 7])
  func loops(mode: PlaybackMode, count: Int) throws {
    for loops in 1...3 {
      let rules = rules(mode, count, loops: loops)
      let path = walk(try #require(PlaybackPath(rules: rules)), rules)
      let expected = loop(mode, count)
      #expect(path.map(\.index) == (0..<loops).flatMap { _ in expected })
      #expect(path.map(\.loop) == (0..<loops).flatMap { Array(repeating: $0, count: expected.count) })
    }
  }

  @Test("For ever does not end", arguments: PlaybackMode.allCases)
  func forever(mode: PlaybackMode) throws {
    let rules = rules(mode, 4)
    let path = walk(try #require(PlaybackPath(rules: rules)), rules, limit: 500)
    #expect(path.count == 500)
    #expect(path.map(\.index) == (0..<500).map { loop(mode, 4)[$0 % loop(mode, 4).count] })
  }

  @Test("From any frame the neighbours follow, whichever way", arguments: PlaybackMode.allCases)
  func seeks(mode: PlaybackMode) {
    let rules = rules(mode, 5)
    for index in 0..<5 {
      for isBackward in [false, true] {
        let path = walk(PlaybackPath(index: index, isBackward: isBackward, loop: 0), rules, limit: 30)
        for (a, b) in zip(path, path.dropFirst()) {
          let isWrap =
            mode == .normal && a.index == 4 && b.index == 0
            || mode == .reverse && a.index == 0 && b.index == 4
          #expect(abs(a.index - b.index) == 1 || isWrap)
        }
        #expect(Set(path.map(\.index)) == Set(0..<5))
      }
    }
  }

  @Test("Loops are counted as far as numbers go")
  func manyLoops() {
    for mode in PlaybackMode.allCases {
      let path = walk(PlaybackPath(index: 1, isBackward: false, loop: .max - 1), rules(mode, 3), limit: 20)
      #expect(path.count == 20)
      #expect(path.last?.loop == .max)
      #expect(
        walk(PlaybackPath(index: 1, isBackward: false, loop: .max), rules(mode, 3, loops: 7)).count <= 4)
    }
  }

  @Test("While frames arrive it waits at the last one, and goes on from there")
  func stalls() throws {
    let start = try #require(PlaybackPath(rules: rules(.normal, 2, isComplete: false)))
    let second = walk(start, rules(.normal, 2, isComplete: false))
    #expect(second.map(\.index) == [0, 1])
    #expect(second[1].next(rules(.normal, 2, isComplete: false)) == .stall)
    #expect(walk(second[1], rules(.normal, 4, loops: 1)).map(\.index) == [1, 2, 3])
    #expect(PlaybackPath(rules: rules(.reverse, 2, isComplete: false)) == nil)
    #expect(PlaybackPath(rules: rules(.reversedBounce, 2, isComplete: false)) == nil)
    let bounce = walk(start, rules(.bounce, 3, isComplete: false))
    #expect(bounce.map(\.index) == [0, 1, 2])
  }

  @Test("What comes is what is shown, each once; a few forwards, all that there is room for backwards")
  func upcoming() throws {
    let forward = try #require(PlaybackPath(rules: rules(.normal, 100)))
    #expect(forward.upcoming(rules(.normal, 100), limit: 50).map(\.index) == Array(0..<8))
    #expect(forward.upcoming(rules(.normal, 100), limit: 3).map(\.index) == [0, 1, 2])
    #expect(forward.upcoming(rules(.normal, 100), limit: 0).isEmpty)
    let backward = try #require(PlaybackPath(rules: rules(.reverse, 100)))
    #expect(backward.upcoming(rules(.reverse, 100), limit: 50).map(\.index) == Array((50..<100).reversed()))
    let wrap = PlaybackPath(index: 98, isBackward: false, loop: 0)
    #expect(wrap.upcoming(rules(.normal, 100), limit: 4).map(\.index) == [98, 99, 0, 1])
    let bounce = PlaybackPath(index: 3, isBackward: false, loop: 0)
    #expect(bounce.upcoming(rules(.bounce, 5), limit: 9).map(\.index) == [3, 4, 2, 1, 0])
  }

  @Test("Missing frames are decoded so that none is decoded twice")
  func orders() {
    func frames(_ indices: [Int], _ isBackward: Bool) -> [PlaybackPath.Upcoming] {
      indices.map { PlaybackPath.Upcoming(index: $0, isBackward: isBackward) }
    }
    #expect(FrameRequestQueue.order(of: frames([8, 9, 0, 1], false), keyFrames: []) == [8, 9, 0, 1])
    #expect(FrameRequestQueue.order(of: frames([5, 4, 2], true), keyFrames: []) == [2, 4, 5])
    #expect(FrameRequestQueue.order(of: frames([1, 0, 9, 8], true), keyFrames: []) == [0, 1, 8, 9])
    // Frames that need none before are decoded as they are shown; so are groups of those that do.
    #expect(FrameRequestQueue.order(of: frames([3, 2, 1], true), keyFrames: [0, 1, 2, 3]) == [3, 2, 1])
    #expect(
      FrameRequestQueue.order(of: frames([5, 4, 3, 2], true), keyFrames: [0, 0, 0, 0, 4, 4]) == [4, 5, 2, 3])
  }

  @Test("What was used the longest ago goes first, unless it has to stay")
  func useOrder() {
    var order = LRUOrder<Int>()
    for element in [1, 2, 3, 1] { order.use(element) }
    #expect(order.takeOldest { $0 != 2 } == 3)
    #expect(order.takeOldest { _ in false } == nil)
    for round in 0..<1000 { order.use(round % 3) }
    order.remove(0)
    #expect(order.takeOldest { _ in true } == 1)
    #expect(order.takeOldest { _ in true } == 2)
    #expect(order.takeOldest { _ in true } == nil)
  }
}
