-- Tables of Discourse with the columns that matter, and what is private under names with "secret".
CREATE TABLE schema_migrations (version varchar PRIMARY KEY);
INSERT INTO schema_migrations VALUES ('20200601111500'), ('20250429100235');
CREATE TABLE users (id int PRIMARY KEY, username varchar, name varchar DEFAULT 'secret name', created_at timestamp,
    active bool DEFAULT true, staged bool DEFAULT false, suspended_till timestamp, silenced_till timestamp);
CREATE TABLE user_emails (id int PRIMARY KEY, user_id int, email varchar);
CREATE TABLE anonymous_users (id int PRIMARY KEY, user_id int, master_user_id int, active bool);
CREATE TABLE categories (id int PRIMARY KEY, name varchar, slug varchar, description text, topic_id int,
    read_restricted bool DEFAULT false, parent_category_id int, created_at timestamp DEFAULT '2024-01-01 10:00');
CREATE TABLE category_users (id serial PRIMARY KEY, category_id int, user_id int, notification_level int);
CREATE TABLE topics (id int PRIMARY KEY, title varchar, category_id int, user_id int, created_at timestamp,
    deleted_at timestamp, visible bool DEFAULT true, archetype varchar DEFAULT 'regular');
CREATE TABLE uploads (id int PRIMARY KEY, width int, height int, secure bool DEFAULT false, url varchar DEFAULT 'secret');
CREATE TABLE posts (id int PRIMARY KEY, user_id int, topic_id int, post_number int, raw text DEFAULT 'secret text',
    created_at timestamp DEFAULT '2024-05-01 10:00', deleted_at timestamp, hidden bool DEFAULT false,
    user_deleted bool DEFAULT false, post_type int DEFAULT 1, image_upload_id bigint);
CREATE TABLE post_actions (id serial PRIMARY KEY, post_id int, user_id int, post_action_type_id int,
    deleted_at timestamp, created_at timestamp DEFAULT '2024-06-01 10:00');
CREATE TABLE tags (id int PRIMARY KEY, name varchar);
CREATE TABLE topic_tags (topic_id int, tag_id int);
CREATE TABLE tag_group_memberships (tag_id int, tag_group_id int);
CREATE TABLE tag_group_permissions (tag_group_id int, group_id int, permission_type int);

INSERT INTO users (id, username) VALUES (-1, 'secret system'), (1, 'ann'), (2, 'bob'), (3, 'cat'), (8, 'secret anonymous');
INSERT INTO users (id, username, active, staged, suspended_till, silenced_till) VALUES
    (4, 'secret inactive', false, false, NULL, NULL), (5, 'secret staged', true, true, NULL, NULL),
    (6, 'secret suspended', true, false, '2999-01-01', NULL), (7, 'secret silenced', true, false, NULL, '2999-01-01'),
    (9, 'eve', true, false, '2024-01-01', NULL);
INSERT INTO user_emails VALUES (1, 1, 'secret@a.example');
INSERT INTO anonymous_users VALUES (1, 8, 1, true);
INSERT INTO categories (id, name, description, topic_id, read_restricted, parent_category_id) VALUES
    (1, 'Owls 🦉', E'two\nlines\\', 90, false, NULL), (2, 'Birds', NULL, NULL, false, 1),
    (3, 'secret staff', NULL, NULL, true, NULL), (4, 'secret below staff', NULL, NULL, false, 3);
INSERT INTO category_users (category_id, user_id, notification_level) VALUES (2, 9, 3), (2, 3, 0), (1, 3, 1), (3, 1, 3),
    (1, 6, 3);
INSERT INTO topics (id, title, category_id, archetype, visible, deleted_at) VALUES (1, 'a', 1, 'regular', true, NULL),
    (2, 'b', 2, 'regular', true, NULL), (3, 'secret', 3, 'regular', true, NULL),
    (4, 'secret', NULL, 'private_message', true, NULL), (5, 'secret', 1, 'regular', false, NULL),
    (6, 'secret', 1, 'regular', true, '2024-05-01'), (90, 'secret about', 1, 'regular', true, NULL);
INSERT INTO uploads (id, width, height) VALUES (1, 800, 600), (2, NULL, NULL), (66, 1, 1);
INSERT INTO uploads (id, secure) VALUES (67, true);
INSERT INTO posts (id, user_id, topic_id, post_number, image_upload_id) VALUES (1, 1, 1, 1, 1), (2, 2, 1, 2, NULL),
    (3, 2, 2, 1, 1), (4, 3, 2, 2, 2), (5, 1, 3, 1, 66), (6, 1, 4, 1, 66), (7, 1, 5, 1, 66), (8, 1, 6, 1, 66),
    (9, 6, 1, 3, 66), (10, 8, 1, 4, 66), (16, 1, 90, 1, 66);
INSERT INTO posts (id, user_id, topic_id, post_number, image_upload_id, created_at) VALUES
    (11, 1, 1, 5, 67, '2024-05-01 11:00');
INSERT INTO posts (id, user_id, topic_id, post_number, image_upload_id, deleted_at, hidden, user_deleted, post_type)
    VALUES (12, 1, 1, 6, 66, '2024-05-01', false, false, 1), (13, 1, 1, 7, 66, NULL, true, false, 1),
    (14, 1, 1, 8, 66, NULL, false, true, 1), (15, 1, 1, 9, 66, NULL, false, false, 4);
INSERT INTO post_actions (post_id, user_id, post_action_type_id, deleted_at) VALUES (1, 2, 2, NULL), (3, 2, 2, NULL),
    (1, 3, 2, '2024-06-02'), (1, 9, 3, NULL), (4, 6, 2, NULL), (4, 9, 2, NULL);
INSERT INTO tags VALUES (1, 'night'), (2, 'secret-tag'), (3, 'open-tag');
INSERT INTO topic_tags VALUES (1, 1), (1, 2), (1, 3);
INSERT INTO tag_group_memberships VALUES (2, 1), (3, 2);
INSERT INTO tag_group_permissions VALUES (1, 3, 1), (2, 0, 1);
