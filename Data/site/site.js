const groups = document.querySelector('coterie-groups');
await customElements.whenDefined('coterie-groups');

// The site's own backend knows who has signed in, and makes the token. It never stands in the page.
groups.token = async () => {
    const answer = await fetch('/token');
    if (!answer.ok) throw new Error('not signed in');
    return answer.text();
};

// What the site knows of a photo: here, only how it was drawn.
groups.describe = ({ photoId }, { title }) => ({ alt: `A drawing for ${title}`, url: `/photos/${photoId}_b.svg` });

// Here the site does what joining means to it, such as asking the moderators.
groups.addEventListener('coterie-join', event => console.log('joined', event.detail.groupId));
