-- The mapping of Pixelfed, in words that PostgreSQL and MariaDB share.
WITH people AS (
    SELECT p.id, p.username, p.is_private, p.unlisted, p.cw,
        p.is_private OR p.unlisted OR NOT coalesce(u.show_profile_following, TRUE) AS is_unlisted
    FROM profiles AS p
    LEFT JOIN user_settings AS u ON u.user_id = p.user_id
    WHERE p.status IS NULL AND p.deleted_at IS NULL
), pictures AS (
    SELECT s.id, s.profile_id, s.created_at
    FROM statuses AS s
    JOIN people AS p ON p.id = s.profile_id
    WHERE s.type IN ('photo', 'photo:album') AND s.scope = 'public' AND s.visibility = 'public'
        AND s.deleted_at IS NULL AND s.in_reply_to_id IS NULL AND s.reblog_of_id IS NULL
        AND NOT p.is_private AND NOT p.unlisted AND (@NSFW@ OR NOT (s.is_nsfw OR p.cw))
), names AS (
    -- Private photos make hashtags, too: only those of public photos are read.
    SELECT id, slug, name, created_at
    FROM hashtags
    WHERE NOT is_banned AND (@NSFW@ OR NOT is_nsfw) AND octet_length(slug) BETWEEN 1 AND 255
        AND id IN (SELECT l.hashtag_id FROM status_hashtags AS l JOIN pictures AS s ON s.id = l.status_id)
), entries AS (
    SELECT h.slug, s.id AS photo, s.profile_id, s.created_at
    FROM status_hashtags AS l
    JOIN names AS h ON h.id = l.hashtag_id
    JOIN pictures AS s ON s.id = l.status_id
)

-- groups: group_id title visibility created_at
SELECT slug AS group_id, name AS title, 'public' AS visibility, created_at FROM names;

-- users: user_id name listed
SELECT id AS user_id, username AS name, CASE WHEN is_unlisted THEN 'no' ELSE 'yes' END AS listed FROM people;

-- photos: photo_id user_id visibility uploaded_at tags
SELECT s.id AS photo_id, s.profile_id AS user_id, 'public' AS visibility, s.created_at AS uploaded_at, t.slugs AS tags
FROM pictures AS s
LEFT JOIN (
    SELECT l.status_id, @TAGS@ AS slugs
    FROM status_hashtags AS l
    JOIN names AS h ON h.id = l.hashtag_id
    GROUP BY l.status_id
) AS t ON t.status_id = s.id;

-- memberships: group_id user_id joined_at
SELECT slug AS group_id, profile_id AS user_id, min(created_at) AS joined_at
FROM (
    SELECT slug, profile_id, created_at FROM entries
    UNION ALL
    SELECT h.slug, f.profile_id, f.created_at
    FROM hashtag_follows AS f
    JOIN names AS h ON h.id = f.hashtag_id
    JOIN people AS p ON p.id = f.profile_id
) AS members
GROUP BY slug, profile_id;

-- pools: group_id photo_id added_at
SELECT slug AS group_id, photo AS photo_id, created_at AS added_at FROM entries;

-- favourites: user_id photo_id added_at
SELECT l.profile_id AS user_id, l.status_id AS photo_id, l.created_at AS added_at
FROM likes AS l
JOIN pictures AS s ON s.id = l.status_id
JOIN people AS p ON p.id = l.profile_id
WHERE l.deleted_at IS NULL AND l.profile_id <> s.profile_id;

-- follows: user_id followed_id since
SELECT f.profile_id AS user_id, f.following_id AS followed_id, f.created_at AS since
FROM followers AS f
JOIN people AS p ON p.id = f.profile_id
JOIN people AS q ON q.id = f.following_id;

-- left-out: what count
SELECT 'hashtags that are banned, not safe for work, too long, or of no public photo' AS what,
    (SELECT count(*) FROM hashtags) - (SELECT count(*) FROM names) AS count
UNION ALL
SELECT 'profiles that are deleted, disabled or suspended',
    (SELECT count(*) FROM profiles) - (SELECT count(*) FROM people)
UNION ALL
SELECT 'statuses that are no public photos, or of what is left out above',
    (SELECT count(*) FROM statuses) - (SELECT count(*) FROM pictures);
