// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that the web server is no dependency of MiniORM's users.
let package = Package(
  name: "Board",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "MiniORM", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "BoardServer",
      dependencies: [
        .product(name: "MiniORM", package: "MiniORM"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.embedInCode("Page/index.html")]
    ),
    .executableTarget(name: "Board", dependencies: ["BoardServer"]),
    .testTarget(
      name: "BoardTests",
      dependencies: [
        "BoardServer",
        .product(name: "HummingbirdTesting", package: "hummingbird"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
