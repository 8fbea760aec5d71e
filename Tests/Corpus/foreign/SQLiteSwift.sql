-- The shape of a file of SQLite.swift.
-- https://github.com/stephencelis/SQLite.swift/blob/master/Documentation/Index.md
-- A Date is text with a T and three digits. A full-text table is FTS4, which the library cannot open.
-- module fts4 emails
-- moment users.joined = strftime('%s', joined) + ('0' || substr(joined, 20, 4))

CREATE TABLE "users" ("id" INTEGER PRIMARY KEY NOT NULL, "email" TEXT NOT NULL UNIQUE COLLATE "NOCASE" CHECK ("email" LIKE '%@%'), "name" TEXT, "joined" TEXT NOT NULL, "balance" REAL NOT NULL DEFAULT (0.0), "active" INTEGER NOT NULL DEFAULT (1), "token" BLOB);
CREATE TABLE "posts" ("id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "user_id" INTEGER, "title" TEXT NOT NULL DEFAULT ('untitled'), "words" INTEGER, UNIQUE ("user_id", "title"), FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE SET NULL);
CREATE INDEX "index_posts_on_words" ON "posts" ("words" DESC) WHERE ("words" > 0);
CREATE TABLE "likes" ("user_id" INTEGER NOT NULL, "post_id" INTEGER NOT NULL, PRIMARY KEY ("user_id", "post_id"));
CREATE VIEW "active_users" AS SELECT "id", "email" FROM "users" WHERE "active";
CREATE TABLE 'emails_content'(docid INTEGER PRIMARY KEY, 'c0subject', 'c1body');
CREATE TABLE 'emails_segments'(blockid INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'emails_segdir'(level INTEGER,idx INTEGER,start_block INTEGER,leaves_end_block INTEGER,end_block INTEGER,root BLOB,PRIMARY KEY(level, idx));
CREATE TABLE 'emails_docsize'(docid INTEGER PRIMARY KEY, size BLOB);
CREATE TABLE 'emails_stat'(id INTEGER PRIMARY KEY, value BLOB);

INSERT INTO users VALUES
  (1, 'Alice@example.org', 'Alice', '2024-05-06T07:08:09.123', 12.0, 1, x'00112233'),
  (2, 'bob@example.org', NULL, '1969-12-31T23:59:59.000', 0.1, 0, NULL);
INSERT INTO posts VALUES (1, 1, 'Hello', 120), (2, 1, 'untitled', 0), (4, 2, 'untitled', NULL);
INSERT INTO likes VALUES (2, 1), (1, 4), (1, 1);
INSERT INTO emails_content VALUES (1, 'Just Checking In', 'Hi');
INSERT INTO emails_docsize VALUES (1, x'0301');
INSERT INTO emails_stat VALUES (0, x'0104');
PRAGMA user_version = 3;
PRAGMA writable_schema = ON;
INSERT INTO sqlite_schema VALUES
  ('table', 'emails', 'emails', 0, 'CREATE VIRTUAL TABLE "emails" USING fts4("subject", "body", tokenize=porter)');
