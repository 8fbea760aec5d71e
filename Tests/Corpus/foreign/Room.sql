-- The shape of a file of Android's Room.
-- https://developer.android.com/training/data-storage/room/defining-data
-- https://developer.android.com/training/data-storage/room/relationships
-- https://developer.android.com/reference/androidx/room/Fts4
-- Dates are milliseconds of a type converter. The full-text tables are FTS4, which the library cannot open:
-- one is a table of its own, one follows the table clip by triggers, so that clip cannot be written.
-- module fts4 clip_fts note_fts
-- unwritable clip

CREATE TABLE android_metadata (locale TEXT);
CREATE TABLE IF NOT EXISTS `playlist` (`playlistId` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `title` TEXT NOT NULL, `created` INTEGER NOT NULL, `rating` REAL, `cover` BLOB, `isPinned` INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX IF NOT EXISTS `index_playlist_title` ON `playlist` (`title`);
CREATE TABLE IF NOT EXISTS `song` (`songId` TEXT NOT NULL COLLATE NOCASE, `name` TEXT, `seconds` INTEGER NOT NULL, `artist_first` TEXT, `artist_last` TEXT, PRIMARY KEY(`songId`));
CREATE TABLE IF NOT EXISTS `playlist_song` (`playlistId` INTEGER NOT NULL, `songId` TEXT NOT NULL, `position` INTEGER NOT NULL, PRIMARY KEY(`playlistId`, `songId`), FOREIGN KEY(`playlistId`) REFERENCES `playlist`(`playlistId`) ON UPDATE NO ACTION ON DELETE CASCADE , FOREIGN KEY(`songId`) REFERENCES `song`(`songId`) ON UPDATE CASCADE ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED);
CREATE INDEX IF NOT EXISTS `index_playlist_song_songId` ON `playlist_song` (`songId` ASC, `position` DESC);
CREATE TABLE IF NOT EXISTS `clip` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `text` TEXT NOT NULL);
CREATE TABLE room_master_table (id INTEGER PRIMARY KEY,identity_hash TEXT);
CREATE VIEW `long_playlist` AS SELECT p.playlistId, p.title, count(*) AS songs FROM playlist AS p INNER JOIN playlist_song AS s ON p.playlistId = s.playlistId GROUP BY p.playlistId;
-- The tables that FTS4 makes for the full-text tables.
CREATE TABLE IF NOT EXISTS 'clip_fts_segments'(blockid INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE IF NOT EXISTS 'clip_fts_segdir'(level INTEGER,idx INTEGER,start_block INTEGER,leaves_end_block INTEGER,end_block INTEGER,root BLOB,PRIMARY KEY(level, idx));
CREATE TABLE IF NOT EXISTS 'clip_fts_docsize'(docid INTEGER PRIMARY KEY, size BLOB);
CREATE TABLE IF NOT EXISTS 'clip_fts_stat'(id INTEGER PRIMARY KEY, value BLOB);
CREATE TABLE IF NOT EXISTS 'note_fts_content'(docid INTEGER PRIMARY KEY, 'c0title', 'c1body');
CREATE TABLE IF NOT EXISTS 'note_fts_segments'(blockid INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE IF NOT EXISTS 'note_fts_segdir'(level INTEGER,idx INTEGER,start_block INTEGER,leaves_end_block INTEGER,end_block INTEGER,root BLOB,PRIMARY KEY(level, idx));
CREATE TABLE IF NOT EXISTS 'note_fts_docsize'(docid INTEGER PRIMARY KEY, size BLOB);
CREATE TABLE IF NOT EXISTS 'note_fts_stat'(id INTEGER PRIMARY KEY, value BLOB);

INSERT INTO android_metadata VALUES ('en_US');
INSERT INTO room_master_table (id,identity_hash) VALUES(42, '0123456789abcdef0123456789abcdef');
INSERT INTO playlist VALUES (1, 'Morning', 1714979289123, 4.5, NULL, 0), (2, 'Evening', 0, 3.0, x'89504e47', 1), (9, '', -1, NULL, x'', 0);
INSERT INTO song VALUES ('Nocturne-1', 'Nocturne', 331, 'Frédéric', 'Chopin'), ('b', NULL, 0, NULL, NULL);
INSERT INTO playlist_song VALUES (1, 'nocturne-1', 1), (1, 'b', 2), (2, 'B', 1);
INSERT INTO clip VALUES (1, 'copied'), (2, '');
INSERT INTO clip_fts_docsize VALUES (1, x'01'), (2, x'00');
INSERT INTO clip_fts_stat VALUES (0, x'020106');
INSERT INTO note_fts_content VALUES (1, 'Title', 'body'), (2, NULL, 'rest');
INSERT INTO note_fts_docsize VALUES (1, x'0101'), (2, x'0001');
INSERT INTO note_fts_stat VALUES (0, x'0203');

CREATE TRIGGER room_fts_content_sync_clip_fts_BEFORE_DELETE BEFORE DELETE ON `clip` BEGIN DELETE FROM `clip_fts` WHERE `docid`=OLD.`rowid`; END;
CREATE TRIGGER room_fts_content_sync_clip_fts_BEFORE_UPDATE BEFORE UPDATE ON `clip` BEGIN DELETE FROM `clip_fts` WHERE `docid`=OLD.`rowid`; END;
CREATE TRIGGER room_fts_content_sync_clip_fts_AFTER_UPDATE AFTER UPDATE ON `clip` BEGIN INSERT INTO `clip_fts`(`docid`, `text`) VALUES (NEW.`rowid`, NEW.`text`); END;
CREATE TRIGGER room_fts_content_sync_clip_fts_AFTER_INSERT AFTER INSERT ON `clip` BEGIN INSERT INTO `clip_fts`(`docid`, `text`) VALUES (NEW.`rowid`, NEW.`text`); END;
PRAGMA user_version = 7;
PRAGMA writable_schema = ON;
INSERT INTO sqlite_schema VALUES
  ('table', 'clip_fts', 'clip_fts', 0, 'CREATE VIRTUAL TABLE `clip_fts` USING FTS4(`text` TEXT NOT NULL, content=`clip`)'),
  ('table', 'note_fts', 'note_fts', 0, 'CREATE VIRTUAL TABLE `note_fts` USING FTS4(`title` TEXT, `body` TEXT, tokenize=unicode61)');
