import BoardServer

// PORT, BOARD_FILE and BOARD_KEY_FILE say where; `make board` runs it.
try await BoardApplication.run(settings: .ofEnvironment())
