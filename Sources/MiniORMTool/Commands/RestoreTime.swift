import Foundation
import MiniORMBackup

/// The state that `--at` names.
enum RestoreTime {
  /// - Parameter zone: The zone of a time without a zone.
  /// - Throws: ``Failure`` if the text is neither a time nor a position, or if the clocks of the zone
  ///   show the time twice or never.
  static func moment(_ text: String, zone: TimeZone = .current) throws -> BackupMoment {
    if let position = BackupPosition(text) { return .position(position) }
    if let match = text.wholeMatch(of: /(\d{1,11})(?:\.(\d{1,9}))?/) {
      return date(Int64(match.1) ?? 0, match.2)
    }
    let format =
      #/
      (\d{4})-(\d\d)-(\d\d)[T\ ](\d\d):(\d\d)(?: :(\d\d)(?: [.,](\d{1,9}))?)?
      (?: \ ?(Z|[+\-]\d\d:?\d\d))?
      /#
    guard let match = text.wholeMatch(of: format) else { throw invalid }
    let parts = [match.1, match.2, match.3, match.4, match.5, match.6 ?? "0"].map { Int($0) ?? 0 }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let components = DateComponents(
      year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4],
      second: parts[5])
    // Without the check, the 30th of February would be in March.
    guard components.isValidDate(in: calendar), let utc = calendar.date(from: components) else {
      throw invalid
    }
    let seconds = Int64(utc.timeIntervalSince1970)
    if let offset = match.8 {
      return date(seconds - Int64(self.offset(offset)), match.7)
    }
    let day = 86_400.0
    let offsets = Set([-day, day].map { zone.secondsFromGMT(for: utc + $0) })
    let dates = offsets.map { seconds - Int64($0) }.sorted().filter { seconds in
      let date = Date(timeIntervalSince1970: Double(seconds))
      return Int64(zone.secondsFromGMT(for: date)) + seconds == Int64(utc.timeIntervalSince1970)
    }
    guard let first = dates.first, dates.count == 1 else {
      let both = dates.map { Date(timeIntervalSince1970: Double($0)).ISO8601Format() }
      throw Failure(
        .usage,
        "the clocks of \(zone.identifier) show \(text) \(dates.isEmpty ? "never" : "twice"), because they are changed: give a time with its zone, "
          + (both.isEmpty ? "such as 2026-11-20T14:03:59Z" : both.joined(separator: " or ")))
    }
    return date(first, match.7)
  }

  private static let invalid = Failure(
    .usage,
    "--at takes a local time such as \"2026-11-20 14:03:59\", a time such as 2026-11-20T14:03:59.250Z, seconds since 1970, a time that backups prints, or a position"
  )

  /// For example, `+0130`.
  private static func offset(_ text: Substring) -> Int {
    let digits = text.filter(\.isNumber)
    guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)) else { return 0 }
    return (text.hasPrefix("-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
  }

  /// States have milliseconds. Half of one more keeps a rounded date from being before its state.
  private static func date(_ seconds: Int64, _ fraction: Substring?) -> BackupMoment {
    let milliseconds = Double(String((fraction ?? "") + "000").prefix(3)) ?? 0
    return .date(Date(timeIntervalSince1970: Double(seconds) + (milliseconds + 0.5) / 1_000))
  }
}

extension BackupPosition {
  /// The time with milliseconds. A restore with this time finds the state.
  var isoDate: String {
    date.exact.replacing(" +0000", with: "Z").replacing(" ", with: "T")
  }
}
