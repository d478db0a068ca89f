-- Tables of Pixelfed with the columns that matter, and what is private under names with "secret".
CREATE TABLE migrations (id int PRIMARY KEY, migration varchar(255), batch int);
INSERT INTO migrations VALUES (1, '2022_12_27_013417_add_can_trend_to_hashtags_table', 1),
    (2, '2025_03_19_022553_add_pinned_columns_statuses_table', 2);
CREATE TABLE users (id int PRIMARY KEY, username varchar(255), email varchar(255), password varchar(255));
CREATE TABLE profiles (id bigint PRIMARY KEY, user_id int, username varchar(255), status varchar(255),
    is_private bool DEFAULT false, unlisted bool DEFAULT false, cw bool DEFAULT false, deleted_at timestamp NULL);
CREATE TABLE user_settings (id int PRIMARY KEY, user_id int, show_profile_following bool DEFAULT true);
CREATE TABLE hashtags (id bigint PRIMARY KEY, name varchar(255), slug varchar(255), is_nsfw bool DEFAULT false,
    is_banned bool DEFAULT false, created_at timestamp NULL);
CREATE TABLE statuses (id bigint PRIMARY KEY, profile_id bigint, type varchar(255), caption text,
    is_nsfw bool DEFAULT false, scope varchar(255) DEFAULT 'public', visibility varchar(255) DEFAULT 'public',
    in_reply_to_id bigint, reblog_of_id bigint, created_at timestamp NULL, deleted_at timestamp NULL);
CREATE TABLE status_hashtags (id int PRIMARY KEY, status_id bigint, hashtag_id bigint);
CREATE TABLE hashtag_follows (id int PRIMARY KEY, profile_id bigint, hashtag_id bigint, created_at timestamp NULL);
CREATE TABLE followers (id int PRIMARY KEY, profile_id bigint, following_id bigint, created_at timestamp NULL);
CREATE TABLE likes (id int PRIMARY KEY, profile_id bigint, status_id bigint, created_at timestamp NULL,
    deleted_at timestamp NULL);

INSERT INTO users VALUES (1, 'ann', 'secret@a.example', 'secret password');
INSERT INTO profiles (id, user_id, username, is_private, status, deleted_at) VALUES
    (900719925474099301, 1, 'ann', false, NULL, NULL), (2, 2, 'bob', true, NULL, NULL), (3, NULL, '@cat@b.example', false,
    NULL, NULL), (4, NULL, 'secret suspended', false, 'suspended', NULL), (5, NULL, 'secret gone', false, NULL,
    '2024-01-01 10:00:00'), (6, 6, 'hides', false, NULL, NULL);
INSERT INTO user_settings VALUES (1, 1, true), (6, 6, false);
INSERT INTO hashtags VALUES (1, 'Owls🦉', 'owls', false, false, '2024-01-01 10:00:00'),
    (2, 'Birds "1"', 'birds', false, false, NULL), (3, 'secret', 'secret-banned', false, true, NULL),
    (4, 'Nudes', 'nudes', true, false, NULL);
INSERT INTO statuses (id, profile_id, type, caption, created_at) VALUES
    (900719925474099901, 900719925474099301, 'photo', 'secret caption', '2024-05-01 10:00:00'),
    (12, 3, 'photo:album', NULL, '2024-05-02 10:00:00'), (13, 3, 'text', NULL, '2024-05-03 10:00:00'),
    (14, 4, 'photo', NULL, '2024-05-03 10:00:00'), (15, 2, 'photo', NULL, '2024-05-03 10:00:00');
INSERT INTO statuses (id, profile_id, type, is_nsfw, scope, visibility, in_reply_to_id, reblog_of_id, deleted_at) VALUES
    (21, 3, 'photo', true, 'public', 'public', NULL, NULL, NULL),
    (22, 3, 'photo', false, 'private', 'private', NULL, NULL, NULL),
    (23, 3, 'photo', false, 'archived', 'public', NULL, NULL, NULL),
    (24, 3, 'photo', false, 'public', 'unlisted', NULL, NULL, NULL),
    (25, 3, 'photo', false, 'public', 'public', 12, NULL, NULL),
    (26, 3, 'photo', false, 'public', 'public', NULL, 12, NULL),
    (27, 3, 'photo', false, 'public', 'public', NULL, NULL, '2024-05-01 10:00:00');
INSERT INTO status_hashtags VALUES (1, 900719925474099901, 1), (2, 900719925474099901, 2), (3, 900719925474099901, 3),
    (4, 12, 1), (5, 14, 1), (6, 15, 1), (7, 22, 1), (8, 23, 1), (9, 24, 1), (10, 25, 1), (11, 26, 1), (12, 27, 1),
    (13, 21, 1);
INSERT INTO hashtag_follows VALUES (1, 2, 2, '2024-03-01 10:00:00'), (2, 4, 2, NULL), (3, 3, 3, NULL), (4, 6, 1, NULL);
INSERT INTO followers VALUES (1, 900719925474099301, 3, '2024-03-01 10:00:00'), (2, 4, 3, NULL), (3, 3, 5, NULL);
INSERT INTO likes VALUES (1, 3, 900719925474099901, '2024-06-01 10:00:00', NULL), (2, 3, 12, NULL, NULL),
    (3, 2, 12, NULL, '2024-06-01 10:00:00'), (4, 4, 12, NULL, NULL), (5, 6, 22, NULL, NULL), (6, 2, 21, NULL, NULL);

-- A hashtag that only a private photo has, one that is too long for an id, and a member whom an administrator unlisted.
INSERT INTO hashtags VALUES (5, 'secret wedding', 'secret-wedding', false, false, NULL),
    (6, 'secret long', repeat('写', 124), false, false, NULL);
INSERT INTO profiles (id, username, unlisted) VALUES (7, 'off the lists', true);
INSERT INTO statuses (id, profile_id, type) VALUES (31, 7, 'photo');
INSERT INTO status_hashtags VALUES (14, 22, 5), (15, 12, 6), (16, 31, 1);
INSERT INTO hashtag_follows VALUES (5, 3, 5, NULL);
