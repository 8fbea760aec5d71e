import Foundation

extension Journal {
  static func sample(_ count: Int) {
    let shops = [
      "Food,Market", "Treats,Bakery", "Travel,Train",
      "Home,Hardware store", "Health,Pharmacy", "Leisure,Cinema",
    ]
    let towns = ["Lyon", "Reims", "Vevey", "Porto", "Oslo"]
    print(shops.count, towns.count, count)
  }
}
