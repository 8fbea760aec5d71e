import Foundation
import Testing

@testable import MiniORM

private enum Shade: String, Codable, CaseIterable, Hashable { case red, green, blue, black, white }
private struct Spot: Codable, Hashable { var x: Int }

@Table("palette") private struct Palette: Equatable {
  let id: Int64
  @Column(as: .json) var shades: Set<Shade> = []
  @Column(as: .json) var spots: Set<Spot>? = nil
  @Column(as: .json) var sizes: [Shade: Int] = [:]
  @Column(as: .json) var groups: [String: Set<Int>] = [:]
  @Column(as: .json) var lists: [Set<String>] = []
}

@Suite("Sets and dictionaries as JSON")
struct CanonicalJSONTests {
  @Test("have one text, whatever the order in memory is")
  func canonical() async throws {
    try await withFile(DatabaseSchema(Palette.self)) { database throws in
      let palettes = Table<Palette>()
      var generator = SystemRandomNumberGenerator()
      for id in 1...30 {
        // A different capacity gives a different order.
        var shades = Set<Shade>(minimumCapacity: id * 3)
        var spots = Set<Spot>(minimumCapacity: id * 2)
        var sizes = [Shade: Int](minimumCapacity: id * 5)
        var numbers = Set<Int>(minimumCapacity: id)
        var words = Set<String>(minimumCapacity: id)
        for shade in Shade.allCases.shuffled(using: &generator) {
          shades.insert(shade)
          sizes[shade] = shade.rawValue.count
          words.insert("\"\(shade)/é")
        }
        for number in (-5...5).shuffled(using: &generator) {
          numbers.insert(number)
          spots.insert(Spot(x: number))
        }
        let row = Palette(
          id: Int64(id), shades: shades, spots: spots, sizes: sizes,
          groups: ["a": numbers, "b/": [], "\"": [1]], lists: [words, ["b", "a"], []])
        #expect(try await palettes.insert(row, in: database) == row)
        #expect(
          try await palettes.where { $0.shades == shades && $0.sizes == sizes }.count(in: database)
            == id)
        #expect(try await palettes.where { $0.spots == spots }.count(in: database) == id)
      }
      #expect(
        try await database.values(
          "SELECT count(*) FROM (SELECT DISTINCT shades, spots, sizes, groups, lists FROM palette)")
          == [.integer(1)])
      #expect(
        try await database.values("SELECT groups FROM palette LIMIT 1")
          == [.text(#"{"\"":[1],"a":[-1,-2,-3,-4,-5,0,1,2,3,4,5],"b/":[]}"#)])
    }
  }
}
