/// Schemas typical of other programs.
enum FileSchemas {
  static let all: [(name: String, script: String)] = [
    ("Music", music), ("Rental", rental), ("Browser", browser), ("Mail", mail),
    ("Compact", compact),
    ("Computed", computed), ("Keys", keys), ("Loose", loose), ("Names", names), ("Views", views),
    ("Conflicts", conflicts), ("Strict", strict), ("Search", search),
    ("Acronyms", acronyms),
  ]

  /// Names whose words a model may join or split otherwise, and names that SQLite distinguishes.
  private static let acronyms = """
    CREATE TABLE tour (user_i_ds TEXT, note_text TEXT);
    CREATE TABLE person (self TEXT, first_name TEXT, x_y TEXT);
    CREATE TABLE trip (user_ids TEXT, page_urls TEXT, all_dbs_and_pdfs TEXT);
    CREATE TABLE page (page_ur_ls TEXT, page_urls TEXT, city_ids TEXT, city_i_ds TEXT);
    CREATE TABLE cafe (caf\u{e9} TEXT, caf\u{c9} TEXT, \u{c9}t\u{e9} TEXT, \u{e9}t\u{e9} TEXT, \u{c9}T\u{c9} TEXT);
    CREATE TABLE strasse (stra\u{df}e_ids TEXT, STRASSE_IDS TEXT, \u{212a} TEXT, k TEXT);
    CREATE TABLE goods (desc TEXT, code TEXT, deleted INTEGER NOT NULL);
    CREATE INDEX goods_desc ON goods (desc);
    CREATE UNIQUE INDEX goods_code ON goods (code) WHERE goods.deleted = 0 AND code<>'' AND goods.code > code;
    INSERT INTO tour VALUES ('1,2', 'x');
    INSERT INTO page VALUES ('a', 'b', 'c', 'd');
    INSERT INTO cafe VALUES ('a', 'b', 'c', 'd', 'e');
    """

  private static let music = """
    CREATE TABLE Artist (ArtistId INTEGER NOT NULL PRIMARY KEY, Name NVARCHAR(120));
    CREATE TABLE Album (
      AlbumId INTEGER NOT NULL,
      Title NVARCHAR(160) NOT NULL,
      ArtistId INTEGER NOT NULL,
      Released DATETIME,
      CONSTRAINT PK_Album PRIMARY KEY (AlbumId),
      FOREIGN KEY (ArtistId) REFERENCES Artist (ArtistId) ON DELETE NO ACTION ON UPDATE NO ACTION
    );
    CREATE UNIQUE INDEX IPK_Album ON Album (AlbumId);
    CREATE INDEX IFK_AlbumArtistId ON Album (ArtistId);
    CREATE TABLE Track (
      TrackId INTEGER PRIMARY KEY AUTOINCREMENT,
      Name NVARCHAR(200) NOT NULL COLLATE NOCASE,
      AlbumId INTEGER REFERENCES Album ON DELETE CASCADE ON UPDATE SET NULL,
      Composer NVARCHAR(220) DEFAULT 'unknown ''person''',
      Milliseconds INTEGER NOT NULL DEFAULT 0 CHECK (Milliseconds >= 0),
      UnitPrice NUMERIC(10, 2) NOT NULL DEFAULT 0.99,
      Rating DOUBLE DEFAULT (2.5),
      IsExplicit BOOLEAN NOT NULL DEFAULT 0
    );
    CREATE INDEX track_name ON Track (Name COLLATE RTRIM DESC, Milliseconds ASC) WHERE AlbumId IS NOT NULL;
    CREATE INDEX track_lower ON Track (lower(Name));
    CREATE TABLE Playlist (PlaylistId INTEGER NOT NULL PRIMARY KEY, Name NVARCHAR(120) UNIQUE);
    CREATE TABLE PlaylistTrack (
      PlaylistId INTEGER NOT NULL REFERENCES Playlist (PlaylistId),
      TrackId INTEGER NOT NULL REFERENCES Track DEFERRABLE INITIALLY DEFERRED,
      PRIMARY KEY (PlaylistId, TrackId)
    );
    CREATE TABLE Invoice (
      InvoiceId INTEGER PRIMARY KEY, Total NUMERIC(10, 2) NOT NULL, Paid TIMESTAMP,
      State VARCHAR CHECK (State IN ('open', 'paid')), CHECK (Total >= 0 AND (State <> 'paid' OR Paid))
    );
    CREATE VIEW AlbumTracks AS
      SELECT a.Title, t.Name AS "Track Name", t.UnitPrice, count(*) OVER (PARTITION BY a.AlbumId) AS n
      FROM Album AS a JOIN Track AS t USING (AlbumId);
    INSERT INTO Artist VALUES (1, 'One'), (2, NULL);
    INSERT INTO Album VALUES (1, 'First', 1, '2001-02-03 00:00:00'), (2, 'Second', 2, '2004-05-06 07:08:09.123');
    INSERT INTO Track (Name, AlbumId, UnitPrice, IsExplicit) VALUES ('a', 1, 1, 1), ('B', 1, 0.5, 0), ('c', NULL, 2, 0);
    INSERT INTO Playlist VALUES (1, 'all'), (2, NULL);
    INSERT INTO PlaylistTrack VALUES (1, 1), (1, 2), (2, 3);
    INSERT INTO Invoice VALUES (1, 3.5, '2001-02-03 04:05:06.000', 'paid'), (2, 4, NULL, 'open');
    PRAGMA user_version = 3;
    """

  private static let rental = """
    CREATE TABLE language (language_id SMALLINT NOT NULL, name CHAR(20) NOT NULL, last_update TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (language_id));
    CREATE TABLE film (
      film_id INTEGER PRIMARY KEY,
      title VARCHAR(255) NOT NULL,
      description BLOB SUB_TYPE TEXT DEFAULT NULL,
      release_year VARCHAR(4) DEFAULT NULL,
      language_id SMALLINT NOT NULL,
      original_language_id SMALLINT DEFAULT NULL,
      rental_rate DECIMAL(4,2) DEFAULT 4.99 NOT NULL,
      length SMALLINT DEFAULT NULL,
      rating VARCHAR(10) DEFAULT 'G',
      special_features VARCHAR(100) DEFAULT NULL,
      last_update TIMESTAMP NOT NULL,
      CONSTRAINT CHECK_features CHECK (special_features IS NULL OR special_features LIKE '%Trailers%'),
      CONSTRAINT CHECK_rating CHECK (rating IN ('G', 'PG', 'PG-13')),
      CONSTRAINT fk_language FOREIGN KEY (language_id) REFERENCES language (language_id) ON DELETE RESTRICT ON UPDATE CASCADE,
      CONSTRAINT fk_original FOREIGN KEY (original_language_id) REFERENCES language (language_id) ON DELETE SET DEFAULT
    );
    CREATE INDEX idx_title ON film (title);
    CREATE TABLE actor (actor_id NUMERIC NOT NULL PRIMARY KEY, first_name VARCHAR(45) NOT NULL, last_name VARCHAR(45) NOT NULL);
    CREATE TABLE film_actor (
      actor_id INT NOT NULL, film_id INT NOT NULL,
      PRIMARY KEY (actor_id, film_id),
      FOREIGN KEY (actor_id) REFERENCES actor (actor_id), FOREIGN KEY (film_id) REFERENCES film (film_id)
    );
    CREATE TABLE store (country TEXT, number INT, city TEXT, UNIQUE (country, number));
    CREATE TABLE inventory (
      inventory_id INTEGER PRIMARY KEY, film_id INT NOT NULL, country TEXT, number INT,
      FOREIGN KEY (country, number) REFERENCES store (country, number) ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED
    );
    CREATE VIEW film_list AS
      SELECT f.title AS title, group_concat(a.first_name || ' ' || a.last_name, ', ') AS actors, f.rental_rate
      FROM film AS f LEFT JOIN film_actor AS fa USING (film_id) LEFT JOIN actor AS a USING (actor_id) GROUP BY f.film_id;
    CREATE TRIGGER film_update AFTER UPDATE ON film BEGIN
      UPDATE film SET last_update = DATETIME('NOW') WHERE rowid = new.rowid;
    END;
    INSERT INTO language VALUES (1, 'English', '2006-02-15 05:02:19'), (2, 'French', '2006-02-15 05:02:19');
    INSERT INTO film (title, language_id, last_update, description) VALUES ('One', 1, '2020-01-01', 'text'), ('Two', 2, 12345, x'00');
    INSERT INTO actor VALUES (1, 'A', 'B'), (2.5, 'C', 'D');
    INSERT INTO film_actor VALUES (1, 1), (2.5, 2);
    INSERT INTO store VALUES ('FR', 1, 'Reims');
    INSERT INTO inventory VALUES (1, 1, 'FR', 1), (2, 1, NULL, NULL);
    """

  private static let browser = """
    CREATE TABLE meta (key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
    CREATE TABLE urls (
      id INTEGER PRIMARY KEY AUTOINCREMENT, url LONGVARCHAR, title LONGVARCHAR,
      visit_count INTEGER DEFAULT 0 NOT NULL, last_visit_time INTEGER NOT NULL, hidden INTEGER DEFAULT 0 NOT NULL
    );
    CREATE INDEX urls_url_index ON urls (url);
    CREATE TABLE visits (
      id INTEGER PRIMARY KEY, url INTEGER NOT NULL, visit_time INTEGER NOT NULL, from_visit INTEGER,
      transition INTEGER DEFAULT 0 NOT NULL, is_known BOOLEAN DEFAULT FALSE NOT NULL
    );
    CREATE INDEX visits_url_index ON visits (url);
    CREATE INDEX visits_time ON visits (visit_time DESC, (url + 1));
    CREATE TABLE cookies (
      creation_utc INTEGER NOT NULL, host_key TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
      encrypted_value BLOB NOT NULL DEFAULT x'', path TEXT NOT NULL DEFAULT "/", expires_utc INTEGER NOT NULL,
      is_secure INTEGER NOT NULL CHECK (is_secure IN (0, 1)), samesite INTEGER NOT NULL DEFAULT -1,
      source_scheme INTEGER DEFAULT +2
    );
    CREATE UNIQUE INDEX cookies_unique_index ON cookies (host_key, name, path);
    CREATE TABLE moz_places (
      id INTEGER PRIMARY KEY, url LONGVARCHAR, rev_host LONGVARCHAR, frecency INTEGER DEFAULT -1 NOT NULL,
      guid TEXT, foreign_count INTEGER DEFAULT (0) NOT NULL, url_hash INTEGER DEFAULT 0 NOT NULL
    );
    CREATE UNIQUE INDEX moz_places_guid ON moz_places (guid) WHERE guid <> '' AND frecency > 0;
    CREATE VIEW recent AS SELECT id, url, datetime(last_visit_time, 'unixepoch') AS seen FROM urls WHERE hidden = 0;
    INSERT INTO meta VALUES ('version', '58'), ('empty', NULL);
    INSERT INTO urls (url, title, last_visit_time) VALUES ('https://example.org/', 'Example', 13300000000000000);
    INSERT INTO visits VALUES (1, 1, 13300000000000000, 0, 805306368, 1);
    INSERT INTO cookies VALUES (1, '.example.org', 'a', '', x'763130', '/', 2, 1, 0, NULL);
    INSERT INTO moz_places (url, guid) VALUES ('x', 'abc'), ('y', NULL);
    """

  private static let mail = """
    CREATE TABLE mailbox (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, parent INTEGER REFERENCES mailbox (id));
    CREATE TABLE message (
      id INTEGER PRIMARY KEY, mailbox INTEGER NOT NULL REFERENCES mailbox ON DELETE CASCADE,
      subject TEXT NOT NULL, body TEXT, received REAL NOT NULL, flags INTEGER NOT NULL DEFAULT 0,
      size INTEGER AS (length(body)) VIRTUAL
    );
    CREATE VIRTUAL TABLE message_text USING fts5(subject, body, content='message', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');
    CREATE TRIGGER message_text_insert AFTER INSERT ON message BEGIN
      INSERT INTO message_text (rowid, subject, body) VALUES (new.id, new.subject, new.body);
    END;
    CREATE VIRTUAL TABLE note USING fts5(title, body, place UNINDEXED, prefix='2 3', tokenize='unicode61 tokenchars ''-_''', detail=column);
    CREATE VIRTUAL TABLE "draft" USING fts5("head", "text", tokenize = 'unicode61');
    CREATE VIRTUAL TABLE word USING fts5vocab(note, row);
    CREATE VIRTUAL TABLE place USING rtree(id, minX, maxX, minY, maxY, +name TEXT, +note BLOB);
    CREATE VIRTUAL TABLE grid USING rtree_i32(id, x0, x1);
    INSERT INTO mailbox VALUES (1, 'inbox', NULL), (2, 'inbox/a', 1);
    INSERT INTO message (mailbox, subject, body, received) VALUES (1, 'Hello', 'Searching words', 1.5), (2, 'Re', NULL, 2);
    INSERT INTO note VALUES ('a', 'b-c', 'd'), (NULL, 'e', 'f');
    INSERT INTO draft VALUES ('a', 'b');
    INSERT INTO place VALUES (1, 0, 1, 0, 1, 'here', x'01'), (2, -1, 1.5, 0, 2, NULL, NULL);
    INSERT INTO grid VALUES (1, 2, 3);
    """

  private static let compact = """
    CREATE TABLE word (word TEXT PRIMARY KEY, count INTEGER NOT NULL DEFAULT 1) WITHOUT ROWID;
    CREATE TABLE pair (a INT, b INT, weight REAL, PRIMARY KEY (b, a)) WITHOUT ROWID;
    CREATE TABLE number (n INTEGER PRIMARY KEY, name TEXT) WITHOUT ROWID;
    CREATE TABLE tag (item INTEGER, tag TEXT COLLATE NOCASE, PRIMARY KEY (item, tag)) STRICT, WITHOUT ROWID;
    CREATE TABLE descending (a TEXT, b TEXT, PRIMARY KEY (a DESC, b)) WITHOUT ROWID;
    INSERT INTO word VALUES ('a', 1), ('b', 2);
    INSERT INTO pair VALUES (1, 2, 0.5), (2, 1, NULL);
    INSERT INTO number VALUES (1, 'one');
    INSERT INTO tag VALUES (1, 'x'), (1, 'y');
    INSERT INTO descending VALUES ('a', 'b');
    """

  private static let computed = """
    CREATE TABLE line (
      id INTEGER PRIMARY KEY, price REAL NOT NULL, amount INTEGER NOT NULL,
      total REAL GENERATED ALWAYS AS (price * amount) STORED NOT NULL,
      label AS ('#' || id), upper_label TEXT AS (upper(label)) VIRTUAL,
      json TEXT NOT NULL DEFAULT ('{"a": [1, 2]}'), first INT GENERATED ALWAYS AS (json_extract(json, '$.a[0]'))
    );
    CREATE INDEX line_total ON line (total);
    CREATE INDEX line_first ON line (first DESC) WHERE first IS NOT NULL;
    CREATE TABLE event (id INTEGER PRIMARY KEY, day TEXT NOT NULL DEFAULT (date('now')), at DATETIME DEFAULT CURRENT_TIMESTAMP);
    INSERT INTO line (price, amount) VALUES (1.5, 2), (2, 3);
    INSERT INTO event (day) VALUES ('2020-01-01');
    """

  private static let keys = """
    CREATE TABLE text_key (code TEXT PRIMARY KEY, name TEXT);
    CREATE TABLE null_key (code TEXT PRIMARY KEY, name TEXT);
    CREATE TABLE int_key (id INT PRIMARY KEY, name TEXT);
    CREATE TABLE bigint_key (id BIGINT NOT NULL PRIMARY KEY, name TEXT);
    CREATE TABLE none (id INTEGER, name TEXT);
    CREATE TABLE null_pair (a TEXT, b INTEGER, PRIMARY KEY (a, b));
    CREATE TABLE pair (id INTEGER, primaryKey TEXT, PRIMARY KEY (id, primaryKey));
    CREATE TABLE child (a INTEGER, b TEXT, c TEXT REFERENCES text_key, FOREIGN KEY (a, b) REFERENCES pair (id, primaryKey), FOREIGN KEY (c) REFERENCES null_key (code));
    CREATE TABLE untyped_key (k PRIMARY KEY, v);
    CREATE TABLE blob_key (k BLOB PRIMARY KEY NOT NULL, real_key REAL UNIQUE);
    CREATE TABLE descending_key (id INTEGER PRIMARY KEY DESC, v TEXT);
    CREATE TABLE other_id (id TEXT, number INTEGER PRIMARY KEY);
    CREATE TABLE only_key (id INTEGER PRIMARY KEY);
    INSERT INTO text_key VALUES ('a', 'b');
    INSERT INTO null_key VALUES (NULL, 'b'), (NULL, 'c'), ('d', NULL);
    INSERT INTO int_key VALUES (1, 'a'), (NULL, 'b');
    INSERT INTO bigint_key VALUES (1, 'a');
    INSERT INTO none VALUES (1, 'a'), (1, 'a'), (NULL, NULL);
    INSERT INTO null_pair VALUES ('a', NULL), (NULL, 1);
    INSERT INTO pair VALUES (1, 'x');
    INSERT INTO child VALUES (1, 'x', 'a');
    INSERT INTO untyped_key VALUES (1, 'a'), ('b', 2.5), (x'00', NULL);
    INSERT INTO blob_key VALUES (x'01', 1.5);
    INSERT INTO descending_key VALUES (1, 'a');
    INSERT INTO other_id VALUES ('x', 1);
    INSERT INTO only_key VALUES (7);
    """

  private static let loose = """
    CREATE TABLE anything (a, b NOT NULL, c DEFAULT 5, d TEXT, e INTEGER, f REAL, g NUMERIC, h BLOB, i "odd type", j UNSIGNED BIG INT, k DATE, l BOOLEAN, m DOUBLE PRECISION NOT NULL DEFAULT 0);
    CREATE TABLE empty (day DATE, at DATETIME, done BOOL, price DECIMAL(8,2), data BLOB, real FLOAT, untyped, json JSON);
    CREATE TABLE huge (i INTEGER, n NUMERIC, r REAL);
    CREATE TABLE dates (a TEXT, b DATETIME, c TIMESTAMP, d DATETIME);
    INSERT INTO anything VALUES (1, 'x', NULL, 'text', 1, 1.5, 2, x'00', 'o', 1, '2020-01-01', 0, 1);
    INSERT INTO anything VALUES ('a', x'00', 'c', x'01', 'e', 'f', 'g', 'h', 5, 1.5, 20200101, 'yes', 2.5);
    INSERT INTO huge VALUES (9223372036854775807, 9007199254740993, 1e300), (-9223372036854775808, 1, 9007199254740993);
    INSERT INTO dates VALUES ('2020-01-01', '2020-01-01 00:00:00.000', 1577836800, '2020-01-01T00:00:00Z'), ('x', NULL, 1.5, NULL);
    """

  private static let names = """
    CREATE TABLE "select" ("from" TEXT, "where" INTEGER, "class" REAL, "init" TEXT, "self" TEXT, "default" TEXT DEFAULT 'x', "in" TEXT, "Type" TEXT);
    CREATE INDEX "index" ON "select" ("from", "self" DESC, "init");
    CREATE TABLE "table" (id INTEGER PRIMARY KEY, columns TEXT, schema TEXT, draft TEXT, bind TEXT, row TEXT, indexes TEXT, constraints TEXT, primaryKey TEXT, hash TEXT, description TEXT, insert_ TEXT, "update" TEXT, rowid TEXT, UNIQUE (columns, schema));
    CREATE TABLE "straße" ("größe" REAL CHECK ("größe" > 0), "日本" TEXT, "🙂" TEXT, "é" TEXT, "e\u{301}" TEXT, "a b" TEXT, "a-b" TEXT, "a_b" TEXT, "1st" TEXT, "quote""d" TEXT, "back\\slash" TEXT, 'string' TEXT, [bracket] TEXT, `tick` TEXT);
    CREATE TABLE "É" (a TEXT);
    CREATE TABLE "two
    lines" ("new
    line" TEXT, "tab\t" TEXT, "// comment */" TEXT, "\\(x)" TEXT);
    CREATE TABLE Data (Date TEXT, String INTEGER, Int64 TEXT);
    CREATE TABLE "order items" ("order" INTEGER REFERENCES "order" ("order id"), "unit price" REAL);
    CREATE TABLE "order" ("order id" INTEGER PRIMARY KEY, "É" TEXT, "é" TEXT);
    CREATE TABLE order_items (x TEXT);
    CREATE TABLE _private (_a TEXT, __ TEXT, _ TEXT);
    CREATE TABLE "123" ("456" TEXT);
    CREATE TABLE "!!!" ("???" TEXT, "…" TEXT);
    CREATE TABLE Names (a TEXT);
    CREATE TABLE "" ("" TEXT);
    CREATE TABLE hole ("" TEXT, a TEXT);
    CREATE VIEW "view" AS SELECT "from" AS "select", "class", count(*) AS "count(*)" FROM "select" GROUP BY 1;
    INSERT INTO "select" ("from", "class") VALUES ('a', 1.5);
    INSERT INTO "table" (columns, rowid) VALUES ('a', 'b');
    INSERT INTO "straße" VALUES (1.5, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm');
    INSERT INTO "É" VALUES ('x');
    INSERT INTO "two
    lines" VALUES ('a', 'b', 'c', 'd');
    INSERT INTO Data VALUES ('x', 1, 'y');
    INSERT INTO "order" VALUES (1, 'a', 'b');
    INSERT INTO "order items" VALUES (1, 2.5);
    INSERT INTO _private VALUES ('a', 'b', 'c');
    INSERT INTO "123" VALUES ('x');
    INSERT INTO "!!!" VALUES ('x', 'y');
    INSERT INTO hole VALUES ('x', 'y');
    """

  private static let views = """
    CREATE TABLE sale (id INTEGER PRIMARY KEY, shop TEXT NOT NULL, cents INTEGER NOT NULL, at TEXT);
    CREATE VIEW sale_euro AS SELECT id, shop, cents / 100.0 AS euro, at FROM sale;
    CREATE VIEW shop_total (shop, total, number) AS SELECT shop, sum(euro), count(*) FROM sale_euro GROUP BY shop;
    CREATE VIEW best AS WITH ranked AS (SELECT *, row_number() OVER (ORDER BY total DESC) AS place FROM shop_total) SELECT * FROM ranked WHERE place = 1;
    CREATE VIEW everything AS SELECT 1 AS a, 'x' AS b, NULL AS c, x'00' AS d UNION ALL SELECT 2.5, 3, NULL, x'01';
    CREATE VIEW doubled AS SELECT a.id, b.id, a.shop, b.shop FROM sale AS a, sale AS b;
    CREATE VIEW broken AS SELECT nope FROM sale;
    CREATE VIEW writable AS SELECT shop FROM sale;
    CREATE TRIGGER writable_insert INSTEAD OF INSERT ON writable BEGIN INSERT INTO sale (shop, cents) VALUES (new.shop, 0); END;
    INSERT INTO sale VALUES (1, 'a', 100, NULL), (2, 'a', 250, '2020-01-01'), (3, 'b', 50, NULL);
    """

  private static let conflicts = """
    CREATE TABLE replacing (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT REPLACE, size INTEGER);
    CREATE TABLE ignoring (a TEXT UNIQUE ON CONFLICT IGNORE, b TEXT UNIQUE, c TEXT NOT NULL ON CONFLICT IGNORE);
    CREATE TABLE failing (id INTEGER PRIMARY KEY ON CONFLICT FAIL, a TEXT CHECK (a <> ''));
    CREATE TABLE defaulting (
      "id" TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (lower(hex(randomblob(16)))),
      rank INTEGER NOT NULL ON CONFLICT ROLLBACK UNIQUE ON CONFLICT REPLACE) STRICT;
    CREATE TABLE pairing (a INTEGER, b TEXT, c, PRIMARY KEY (a, b) ON CONFLICT IGNORE,
      UNIQUE (b, c) ON CONFLICT REPLACE, UNIQUE (c, a)) WITHOUT ROWID;
    CREATE TABLE collated (name TEXT COLLATE unknown, other TEXT, UNIQUE (other COLLATE NOCASE));
    CREATE TABLE ordered (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE Unknown UNIQUE, other TEXT);
    CREATE INDEX ordered_name ON ordered (name DESC, other COLLATE unknown) WHERE other <> 'a' COLLATE unknown;
    CREATE TABLE ordering (word TEXT PRIMARY KEY NOT NULL COLLATE unknown) WITHOUT ROWID;
    CREATE TABLE selected AS SELECT 1 AS a, 'x' AS b, 2.5 AS c;
    CREATE TABLE altered (id INTEGER PRIMARY KEY);
    ALTER TABLE altered ADD COLUMN note TEXT DEFAULT 'none';
    ALTER TABLE altered RENAME COLUMN note TO remark;
    INSERT INTO replacing VALUES (1, 'a', 2), (2, NULL, 3);
    INSERT INTO ignoring VALUES ('a', 'b', 'c');
    INSERT INTO failing VALUES (1, 'a');
    INSERT INTO defaulting VALUES (NULL, 1), ('a', 2);
    INSERT INTO pairing VALUES (1, 'a', 'b'), (1, 'b', NULL);
    INSERT INTO collated VALUES ('a', 'b');
    INSERT INTO ordered VALUES (1, 'b', 'b'), (2, 'a', NULL);
    INSERT INTO ordering VALUES ('b'), ('a');
    INSERT INTO altered VALUES (1, 'x');
    """

  private static let strict = """
    CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT NOT NULL, balance REAL NOT NULL DEFAULT 0.0, photo BLOB, extra ANY, isActive INTEGER NOT NULL DEFAULT 1 CHECK (isActive IN (1, 0)), small INT DEFAULT 3) STRICT;
    CREATE TABLE setting (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT;
    CREATE TABLE counter (key INT PRIMARY KEY, value INTEGER) STRICT;
    CREATE INDEX account_extra ON account (extra, balance DESC);
    INSERT INTO account (name, photo, extra) VALUES ('a', x'00', 1), ('b', NULL, 'text');
    INSERT INTO setting VALUES ('a', 1), ('b', 'c');
    INSERT INTO counter VALUES (1, 2);
    PRAGMA user_version = 12;
    """

  private static let search = """
    CREATE TABLE article (key INTEGER PRIMARY KEY, title TEXT, body TEXT);
    CREATE VIRTUAL TABLE article_text USING fts5(title, body, content=article, content_rowid=key);
    CREATE VIRTUAL TABLE plain USING fts5(a, b);
    CREATE VIRTUAL TABLE trigrams USING fts5(a, tokenize='trigram case_sensitive 1');
    CREATE VIRTUAL TABLE keyless USING fts5(a, b, content='', contentless_delete=1);
    CREATE VIRTUAL TABLE old_keyless USING fts5(a, content='');
    CREATE VIRTUAL TABLE boxes USING rtree("id", "minX", "maxX");
    CREATE VIRTUAL TABLE strange USING fts5(a, tokenize='ascii separators ''x'' tokenchars ''-''', columnsize=0);
    INSERT INTO article VALUES (1, 'a', 'b');
    INSERT INTO plain VALUES ('a', 'b'), (1, NULL);
    INSERT INTO trigrams VALUES ('abc');
    INSERT INTO keyless (rowid, a, b) VALUES (1, 'a', 'b');
    INSERT INTO boxes VALUES (1, 2, 3);
    """
}
