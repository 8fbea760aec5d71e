import Foundation

extension Journal {
  static func sample(_ count: Int) {
    let shops = [
      "Food,Market", "Treats,Bakery", "Travel,Train",
      "Home,Hardware store", "Health,Pharmacy", "Leisure,Cinema",
    ]
    let towns = ["Lyon", "Reims", "Vevey", "Porto", "Oslo"]
    let start = Date(timeIntervalSince1970: 1_735_689_600)
    for number in 0..<max(0, count) {
      let days = Double(number * 365 / count)
      let amount = Decimal(number * 37 % 9_000 + 100) / 100
      let town = towns[number / 7 % 5]
      print(
        start.addingTimeInterval(days * 86_400).day, amount,
        shops[number % 6] + " " + town, separator: ",")
    }
  }
}
