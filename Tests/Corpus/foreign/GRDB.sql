-- The shape of a file of GRDB.
-- https://swiftpackageindex.com/groue/grdb.swift/documentation/grdb/databaseschema
-- https://swiftpackageindex.com/groue/grdb.swift/documentation/grdb/migrations
-- https://github.com/groue/GRDB.swift/blob/master/Documentation/FullTextSearch.md
-- A Date is text with three digits, a UUID is 16 bytes.
-- moment player.createdAt = strftime('%s', createdAt) + ('0' || substr(createdAt, 20))
-- moment player.born = strftime('%s', born)
-- moment document.changed = strftime('%s', changed) + ('0' || substr(changed, 20))

CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
CREATE TABLE "team" ("id" BLOB PRIMARY KEY NOT NULL, "name" TEXT NOT NULL COLLATE NOCASE, "color" TEXT, UNIQUE ("name", "color") ON CONFLICT IGNORE);
CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "email" TEXT NOT NULL UNIQUE ON CONFLICT REPLACE COLLATE NOCASE, "score" INTEGER NOT NULL DEFAULT 0, "bonus" NUMERIC NOT NULL DEFAULT 1.5, "total" INTEGER GENERATED ALWAYS AS ("score" + 1) VIRTUAL, "isActive" BOOLEAN NOT NULL DEFAULT 1, "born" DATE, "createdAt" DATETIME NOT NULL, "latitude" DOUBLE, "photo" BLOB, "extra" JSONTEXT, "teamId" BLOB REFERENCES "team"("id") ON DELETE CASCADE, CHECK ("score" >= 0));
CREATE INDEX "index_player_on_teamId" ON "player"("teamId");
CREATE INDEX "player_scores" ON "player"("score" DESC, "email" COLLATE RTRIM) WHERE "isActive" = 1;
CREATE TABLE "citizenship" ("citizenId" INTEGER NOT NULL REFERENCES "player"("id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, "countryCode" TEXT NOT NULL, PRIMARY KEY ("citizenId", "countryCode")) WITHOUT ROWID;
CREATE TABLE "document" ("id" INTEGER PRIMARY KEY, "title" TEXT NOT NULL, "body" TEXT, "changed" DATETIME);
CREATE VIRTUAL TABLE "document_ft" USING fts5(title, body, tokenize='porter unicode61 remove_diacritics 2', content='document', content_rowid='id');
CREATE TRIGGER "__document_ft_ai" AFTER INSERT ON "document" BEGIN
    INSERT INTO "document_ft"("rowid", "title", "body") VALUES (new."id", new."title", new."body");
END;
CREATE TRIGGER "__document_ft_ad" AFTER DELETE ON "document" BEGIN
    INSERT INTO "document_ft"("document_ft", "rowid", "title", "body") VALUES('delete', old."id", old."title", old."body");
END;
CREATE TRIGGER "__document_ft_au" AFTER UPDATE ON "document" BEGIN
    INSERT INTO "document_ft"("document_ft", "rowid", "title", "body") VALUES('delete', old."id", old."title", old."body");
    INSERT INTO "document_ft"("rowid", "title", "body") VALUES (new."id", new."title", new."body");
END;
CREATE VIEW "best_player" AS SELECT "id", "email", "score" FROM "player" WHERE "score" > 100;

INSERT INTO grdb_migrations VALUES ('v1'), ('createDocument');
INSERT INTO team VALUES (x'00112233445566778899aabbccddeeff', 'Reds', 'red'), (x'ffeeddccbbaa99887766554433221100', 'Blues', NULL);
INSERT INTO player (id, email, score, bonus, isActive, born, createdAt, latitude, photo, extra, teamId) VALUES
  (1, 'Arthur@example.org', 1000, 2, 1, '1990-05-04', '2024-05-06 07:08:09.123', 48.5, NULL, '{"level":3}', x'00112233445566778899aabbccddeeff'),
  (2, 'barbara@example.org', 0, 0.25, 0, NULL, '2024-05-06 07:08:09.001', -12.0, x'ffd8', NULL, NULL),
  (8, '', 7, 1.5, 1, '2000-01-01', '1969-12-31 23:59:59.999', NULL, x'', '[]', x'ffeeddccbbaa99887766554433221100');
INSERT INTO citizenship VALUES (2, 'FR'), (1, 'US'), (1, 'FR');
INSERT INTO document VALUES (1, 'Searching', 'the words', '2024-05-06 07:08:09.500'), (2, 'Élan', NULL, NULL);
