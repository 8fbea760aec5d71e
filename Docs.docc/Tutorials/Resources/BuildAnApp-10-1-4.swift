import Foundation

extension Date {
  private static let style = ISO8601FormatStyle()
    .year().month().day()

  init?(day: some StringProtocol) {
    try? self.init(String(day), strategy: Self.style)
  }

  var day: String { formatted(Self.style) }
}

extension Decimal {
  init?(money: some StringProtocol) {
    guard money.allSatisfy("0123456789.".contains),
      money.count(where: { $0 == "." }) < 2
    else { return nil }
    self.init(string: String(money))
  }

  private static let style = FormatStyle(
    locale: Locale(identifier: "en_US")
  ).precision(.fractionLength(2)).grouping(.never)

  var money: String {
    let text = formatted(Self.style)
    let width = max(0, 10 - text.count)
    return String(repeating: " ", count: width) + text
  }
}
