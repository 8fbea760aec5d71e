#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The times of commits whose frames wait for the store: the last commit of each interval.
struct CommitTimes {
  private var marks: [(frame: Int, first: Date, last: Date)] = []

  /// - Parameter frame: The number of frames in the log after the commit.
  mutating func add(_ frame: Int, _ time: Date, _ interval: Duration) {
    // Another log begins.
    if frame <= marks.last?.frame ?? 0 { marks = [] }
    guard frame > 0 else { return }
    if let mark = marks.last,
      (0..<(interval / .seconds(1))).contains(time.timeIntervalSince(mark.first))
    {
      marks[marks.count - 1] = (frame, mark.first, time)
    } else {
      marks.append((frame, time, time))
    }
  }

  /// Returns a commit after a frame if it is older than the interval, and forgets earlier commits. With
  /// many commits, a state has several of them, so that the backup catches up.
  mutating func take(
    after frame: Int, before now: Date, _ interval: Duration
  ) -> (frame: Int, time: UInt64)? {
    marks.removeFirst(marks.prefix { $0.frame <= frame }.count)
    guard !marks.isEmpty else { return nil }
    let mark = marks[marks.count / 64]
    // After a clock was set back, the age is negative.
    let age = abs(now.timeIntervalSince(mark.last))
    return age > 2 * max(1, interval / .seconds(1)) ? (mark.frame, mark.last.milliseconds) : nil
  }
}
