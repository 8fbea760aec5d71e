extension Company {
  static let samples = [
    Draft(name: "Acme", employeeCount: 120, founded: 1949),
    Draft(name: "Au Lac", employeeCount: 14),
    Draft(name: "Cobalt", employeeCount: 2_300, founded: 1902),
    Draft(name: "Delta", employeeCount: 310, founded: 1986),
    Draft(name: "Atelier", employeeCount: 6, founded: 2015),
  ]
}
