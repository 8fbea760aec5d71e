-- The shape of files of apps with FMDB, which write their SQL by hand.
-- https://github.com/ccgus/fmdb
-- https://ccgus.github.io/fmdb/html/Classes/FMDatabase.html
-- A date is bound as seconds since 1970, which NUMERIC stores as an integer if they are whole. The version is 0.
-- moment articles.datePublished = datePublished
-- moment articles.dateModified = dateModified
-- moment statuses.dateArrived = dateArrived
-- moment authors.created = unixepoch(created)

create table if not exists articles (articleID TEXT NOT NULL PRIMARY KEY, feedID TEXT NOT NULL, uniqueID TEXT NOT NULL, title TEXT, contentHTML TEXT, url TEXT, datePublished DATE, dateModified DATE, price NUMERIC, weight, thumbnail BLOB);
create index if not exists articles_feedID_datePublished_articleID on articles (feedID, datePublished, articleID);
create table if not exists statuses (articleID TEXT NOT NULL PRIMARY KEY, read BOOL NOT NULL DEFAULT 0, starred BOOL NOT NULL DEFAULT 0, dateArrived DATE NOT NULL DEFAULT 0);
create index if not exists statuses_starred_index on statuses (starred) where starred = 1;
create table if not exists authors (authorID integer primary key, name text unique on conflict ignore, url TEXT, created timestamp default current_timestamp);
create table if not exists authorsLookup (authorID integer not null, articleID text not null, primary key (authorID, articleID));
create table if not exists log (line text, level int);
create trigger if not exists articles_after_delete_trigger after delete on articles begin
  delete from statuses where articleID = old.articleID;
  delete from authorsLookup where articleID = old.articleID;
end;
create view if not exists unread as select a.articleID, a.title, s.dateArrived from articles a, statuses s where a.articleID = s.articleID and s.read = 0;

insert into articles values
  ('a1', 'f1', 'u1', 'First', '<p>1</p>', NULL, 1714979289.0, 1714979289.123, 10.0, 5, NULL),
  ('a2', 'f1', 'u2', NULL, '', 'https://example.org/', 1714979290.5, NULL, 0.5, 2.5, x'ffd8'),
  ('A1', 'f2', 'u3', '', NULL, NULL, NULL, 0.0, NULL, 'heavy', x'');
insert into statuses values ('a1', 1, 0, 1714979300.0), ('a2', 0, 1, 1714979301.25), ('A1', 0, 0, 0);
insert into authors values (1, 'Ada', NULL, '2024-05-06 07:08:09'), (2, NULL, 'https://example.org/', '2024-05-06 07:08:10');
insert into authorsLookup values (2, 'a2'), (1, 'a2'), (1, 'a1');
insert into log values ('started', 1), (NULL, NULL), ('started', 1), ('', 2);
