-- The mapping of Lemmy. The names of its tables are in lemmy-0.19.sql and lemmy-1.0.sql.
, discussions AS (
    SELECT t.id, t.at, t.creator_id, p.address AS person, t.community_id, c.address AS community,
        CASE WHEN octet_length(t.url) <= 255 THEN t.url ELSE 'md5:' || md5(t.url) END AS photo
    FROM threads AS t
    JOIN communities AS c ON c.id = t.community_id
    JOIN people AS p ON p.id = t.creator_id
    LEFT JOIN bans AS b ON b.community_id = t.community_id AND b.person_id = t.creator_id
    WHERE b.person_id IS NULL
), pictures AS (
    -- The first post with an address stands for all posts with it.
    SELECT id, at, creator_id, community_id, min(id) OVER (PARTITION BY photo COLLATE "C") AS photo_key
    FROM discussions
    WHERE photo IS NOT NULL
)

-- groups: group_id title description visibility created_at
SELECT address, title, left(description, 4000), 'public', at FROM communities;

-- users: user_id name listed
-- Subscriptions are not public on Lemmy, so nobody is suggested as a contact.
SELECT address, name, 'no' FROM people;

-- photos: photo_id user_id visibility uploaded_at
SELECT d.photo, d.person, 'public', d.at FROM discussions AS d JOIN pictures AS f ON f.id = d.id WHERE f.id = f.photo_key;

-- memberships: group_id user_id joined_at
SELECT c.address, p.address, s.at
FROM subscriptions AS s
JOIN communities AS c ON c.id = s.community_id
JOIN people AS p ON p.id = s.person_id
LEFT JOIN bans AS b ON b.community_id = s.community_id AND b.person_id = s.person_id
WHERE b.person_id IS NULL;

-- pools: group_id photo_id added_at
SELECT c.address, d.photo, e.at
FROM (SELECT community_id, photo_key, min(at) AS at FROM pictures GROUP BY community_id, photo_key) AS e
JOIN communities AS c ON c.id = e.community_id
JOIN discussions AS d ON d.id = e.photo_key;

-- favourites: user_id photo_id added_at
-- Lemmy votes for one's own posts by itself.
SELECT p.address, d.photo, e.at
FROM (
    SELECT v.person_id, f.photo_key, min(v.at) AS at
    FROM votes AS v
    JOIN pictures AS f ON f.id = v.post_id
    LEFT JOIN bans AS b ON b.community_id = f.community_id AND b.person_id = v.person_id
    WHERE v.person_id <> f.creator_id AND b.person_id IS NULL
    GROUP BY v.person_id, f.photo_key
) AS e
JOIN people AS p ON p.id = e.person_id
JOIN discussions AS d ON d.id = e.photo_key;

-- follows: user_id followed_id since
SELECT p.address, q.address, f.at
FROM follows AS f
JOIN people AS p ON p.id = f.follower_id
JOIN people AS q ON q.id = f.followed_id;

-- posts: group_id user_id posted_at answers
-- Another instance can give any time, even infinity: a post needs one that can be compared.
SELECT community, person, at, NULL FROM discussions WHERE at BETWEEN '1970-01-01' AND now()
UNION ALL
SELECT d.community, p.address, k.at, 'yes'
FROM comments AS k
JOIN discussions AS d ON d.id = k.post_id
JOIN people AS p ON p.id = k.creator_id
LEFT JOIN bans AS b ON b.community_id = d.community_id AND b.person_id = k.creator_id
WHERE b.person_id IS NULL AND k.at BETWEEN '1970-01-01' AND now();

-- left-out: what count
SELECT 'communities that are private, removed, deleted, or not safe for work',
    (SELECT count(*) FROM community) - (SELECT count(*) FROM communities)
UNION ALL
SELECT 'members who are banned, deleted, or bots', (SELECT count(*) FROM person) - (SELECT count(*) FROM people)
UNION ALL
SELECT 'posts that are removed or deleted, or of what is left out above',
    (SELECT count(*) FROM post) - (SELECT count(*) FROM discussions);
