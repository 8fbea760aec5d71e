// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Journal",
  platforms: [.macOS(.v15)],
  targets: [
    .executableTarget(name: "Journal")
  ],
  swiftLanguageModes: [.v6]
)
