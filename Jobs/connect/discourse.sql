-- The mapping of Discourse. Its times have no zone, and are UTC.
WITH communities AS (
    SELECT id, name, description, created_at
    FROM categories
    WHERE NOT read_restricted
        AND NOT EXISTS (SELECT FROM categories AS p WHERE p.id = categories.parent_category_id AND p.read_restricted)
), people AS (
    SELECT id, username
    FROM users
    WHERE id > 0 AND active AND NOT staged
        AND (suspended_till IS NULL OR suspended_till < now() AT TIME ZONE 'UTC')
        AND (silenced_till IS NULL OR silenced_till < now() AT TIME ZONE 'UTC')
        AND NOT EXISTS (SELECT FROM anonymous_users AS a WHERE a.user_id = users.id)
), discussions AS (
    SELECT id, category_id
    FROM topics
    WHERE deleted_at IS NULL AND visible AND archetype = 'regular'
        AND category_id IN (SELECT id FROM communities)
        AND NOT EXISTS (SELECT FROM categories AS c WHERE c.topic_id = topics.id)
), messages AS (
    SELECT p.id, p.user_id, p.topic_id, d.category_id, p.post_number, p.image_upload_id,
        p.created_at AT TIME ZONE 'UTC' AS at
    FROM posts AS p
    JOIN discussions AS d ON d.id = p.topic_id
    WHERE p.deleted_at IS NULL AND NOT p.hidden AND NOT p.user_deleted AND p.post_type = 1
        AND p.user_id IN (SELECT id FROM people)
), pictures AS (
    SELECT m.id, m.user_id, m.topic_id, m.category_id, m.at, u.id AS photo, u.width, u.height
    FROM messages AS m
    JOIN uploads AS u ON u.id = m.image_upload_id
    WHERE NOT u.secure
), public_tags AS (
    SELECT id, name
    FROM tags
    WHERE NOT EXISTS (
        SELECT FROM tag_group_memberships AS m
        WHERE m.tag_id = tags.id AND NOT EXISTS (
            SELECT FROM tag_group_permissions AS r WHERE r.tag_group_id = m.tag_group_id AND r.group_id = 0))
)

-- groups: group_id title description visibility created_at
SELECT id, name, left(description, 4000), 'public', created_at AT TIME ZONE 'UTC' FROM communities;

-- users: user_id name listed
-- The categories that somebody watches are not public, so nobody is suggested as a contact.
SELECT id, username, 'no' FROM people;

-- photos: photo_id user_id visibility uploaded_at tags width height
SELECT f.photo, f.user_id, 'public', f.at, g.names, f.width, f.height
FROM (SELECT DISTINCT ON (photo) * FROM pictures ORDER BY photo, at, id) AS f
LEFT JOIN (
    SELECT l.topic_id, string_agg(t.name, ';' ORDER BY t.name) AS names
    FROM topic_tags AS l
    JOIN public_tags AS t ON t.id = l.tag_id
    GROUP BY l.topic_id
) AS g USING (topic_id);

-- memberships: group_id user_id joined_at
-- Levels 2 to 4 are tracking, watching, and watching first posts.
SELECT category_id, user_id, min(at)
FROM (
    SELECT category_id, user_id, at FROM messages
    UNION ALL
    SELECT category_id, user_id, NULL
    FROM category_users
    WHERE notification_level IN (2, 3, 4) AND category_id IN (SELECT id FROM communities)
        AND user_id IN (SELECT id FROM people)
) AS members
GROUP BY category_id, user_id;

-- pools: group_id photo_id added_at
SELECT category_id, photo, min(at) FROM pictures GROUP BY category_id, photo;

-- favourites: user_id photo_id added_at
SELECT a.user_id, p.photo, min(a.created_at AT TIME ZONE 'UTC')
FROM post_actions AS a
JOIN pictures AS p ON p.id = a.post_id
WHERE a.post_action_type_id = 2 AND a.deleted_at IS NULL AND a.user_id <> p.user_id
    AND a.user_id IN (SELECT id FROM people)
GROUP BY a.user_id, p.photo;

-- posts: group_id user_id posted_at answers
SELECT category_id, user_id, at, CASE WHEN post_number > 1 THEN 'yes' END
FROM messages
WHERE at BETWEEN '1970-01-01' AND now();

-- left-out: what count
SELECT 'categories that not everybody may read', (SELECT count(*) FROM categories) - (SELECT count(*) FROM communities)
UNION ALL
SELECT 'members who are suspended, silenced, staged, not active, or bots',
    (SELECT count(*) FROM users) - (SELECT count(*) FROM people)
UNION ALL
SELECT 'posts that are deleted, hidden or personal messages, or of what is left out above',
    (SELECT count(*) FROM posts) - (SELECT count(*) FROM messages);
