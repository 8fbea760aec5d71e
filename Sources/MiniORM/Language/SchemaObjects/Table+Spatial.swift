/// See [Using An R*Tree Index](https://www.sqlite.org/rtree.html#using_an_r_tree_index).
extension Table {
  /// Returns the rows whose box overlaps a given box, which has a range for each axis. A common
  /// edge is enough.
  ///
  /// ```swift
  /// places.overlapping([3.9...4.2, 49.1...49.4], by: map)
  /// ```
  public func overlapping(_ box: [ClosedRange<Double>], by index: SpatialIndex<T>) -> Table {
    selecting(box, index) { axis, range in
      [(axis.low, "<=", range.upperBound), (axis.high, ">=", range.lowerBound)]
    }
  }

  /// Returns the rows whose box lies within a given box, edges included.
  public func within(_ box: [ClosedRange<Double>], by index: SpatialIndex<T>) -> Table {
    selecting(box, index) { axis, range in
      [(axis.low, ">=", range.lowerBound), (axis.high, "<=", range.upperBound)]
    }
  }

  /// Returns the rows whose box contains a given box, edges included. A point is a box that ends
  /// where it begins.
  public func containing(_ box: [ClosedRange<Double>], by index: SpatialIndex<T>) -> Table {
    selecting(box, index) { axis, range in
      [(axis.low, "<=", range.lowerBound), (axis.high, ">=", range.upperBound)]
    }
  }

  private func selecting(
    _ box: [ClosedRange<Double>], _ index: SpatialIndex<T>,
    _ comparisons: (SpatialAxis, ClosedRange<Double>) -> [(SQL, String, Double)]
  ) -> Table {
    guard box.count == index.axes.count else {
      var mistake = SQL(raw: "FALSE")
      mistake.record(
        .query(
          "The box of the query must have \(index.axes.count) axes for \(index.name), not \(box.count)"
        ))
      return adding(mistake)
    }
    func all(_ comparisons: [(SQL, String, Double)]) -> SQL {
      SQL.joined(
        comparisons.map { side, name, value in
          side.appending(SQL(raw: " \(name) "), SQL(binding: value))
        }, separator: " AND ")
    }
    let exact = all(zip(index.axes, box).flatMap { comparisons($0, $1) })
      .renaming(Renames(T.schema.name, to: name))
    guard index.isExternal else { return adding(exact) }
    // In each case, the two boxes overlap, and the box in the index is at least as large as the
    // row's.
    let tree = index.name.quotedIdentifier
    let candidates = all(
      box.indices.flatMap { axis in
        [
          (SQL(raw: "\(tree).min\(axis + 1)"), "<=", box[axis].upperBound),
          (SQL(raw: "\(tree).max\(axis + 1)"), ">=", box[axis].lowerBound),
        ]
      })
    let place = schema.qualifier
    var condition = SQL(column: index.keyName, of: name)
    condition.append(.note(.reads(.others)))
    condition.append(" IN (SELECT id FROM \(place)\(tree) WHERE ")
    condition.append(candidates)
    condition.append(") AND ")
    condition.append(exact)
    return adding(condition)
  }
}
