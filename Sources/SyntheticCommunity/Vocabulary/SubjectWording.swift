/// Titles for groups about one subject of a theme, each with sentences that go with it.
enum SubjectWording {
    /// The subject itself.
    static let plain = [
        Theme.Wording("{Subject}", "All about {subject}: up to three photos a day."),
        Theme.Wording("{Subject}", "Your best photos of {subject}, old and new."),
        Theme.Wording("{Subject}", "A home for photos of {subject}, with comments that go beyond \"nice shot\"."),
        Theme.Wording("{Subject}", "Show us {subject}; say where and when, if you like."),
        Theme.Wording("{Subject}", "For photos in which {subject} are the main thing, not the background."),
        Theme.Wording("{Subject}", "{subject}, {subject} and more {subject}."),
    ]

    /// Good for any subject.
    static let adorned = [
        Theme.Wording("I Love {Subject}", "For everyone who stops for {subject}, whatever the others say."),
        Theme.Wording("Just {Subject}", "Nothing here but {subject}; off-topic photos are removed."),
        Theme.Wording("{Subject} Everywhere", "Once you start to look, there are {subject} wherever you go."),
        Theme.Wording("{Subject} of the World", "A collection of {subject} from every country; please add the place."),
        Theme.Wording(
            "The Art of {Subject}", "Considered, carefully composed photos of {subject}; quality before quantity."),
        Theme.Wording("A Year of {Subject}", "Twelve months of {subject}, with a new album every month."),
        Theme.Wording("Simply {Subject}", "Plain, honest photos of {subject}, without frames or heavy editing."),
        Theme.Wording("In Search of {Subject}", "We go out looking for {subject} and show what we found."),
        Theme.Wording("Addicted to {Subject}", "You know who you are: one more photo of {subject} will not hurt."),
        Theme.Wording("{Subject} & Co.", "Mostly {subject}, and whatever keeps them company."),
        Theme.Wording("{Subject} Weekly", "One photo of {subject} each per week, and a vote on Sundays."),
        Theme.Wording("The {Subject} Pool", "A shared pool of {subject}, open to all levels."),
        Theme.Wording("Beautiful {Subject}", "The most beautiful {subject} that you have come across."),
        Theme.Wording("My Kind of {Subject}", "Personal takes on {subject}; surprise us."),
        Theme.Wording("{Subject}: Best Of", "Only the best photos of {subject}, chosen by the members."),
        Theme.Wording("Friends of {Subject}", "A friendly place to show {subject} and talk about them."),
        Theme.Wording("{Subject} (No Limits)", "As many photos of {subject} as you like, every day."),
        Theme.Wording("{Subject} Unedited", "Photos of {subject} straight out of the camera."),
        Theme.Wording("Ten Thousand {Subject}", "Help us to collect ten thousand photos of {subject}."),
        Theme.Wording("Unusual {Subject}", "Strange, rare and funny {subject}; ordinary ones have other groups."),
    ]

    /// Subject and technique: only where the theme is not a technique itself.
    static let techniques = [
        Theme.Wording("{Subject} on Film", "Photos of {subject} made on film of any format; no digital."),
        Theme.Wording("{Subject} in Black and White", "Photos of {subject} in monochrome only."),
        Theme.Wording("{Subject} with a 50mm", "One subject, {subject}, and one focal length."),
        Theme.Wording("{Subject} in Square Format", "Photos of {subject} cropped or shot square."),
        Theme.Wording("{Subject} by Phone", "Photos of {subject} taken with a phone."),
        Theme.Wording("{Subject} in Colour", "Strong, natural colour and {subject}; no monochrome."),
    ]

    /// Subject and place.
    static let places = [
        Theme.Wording("{Subject} of {place}", "A collection of {subject} found in {place}."),
        Theme.Wording("{Subject} in {place}", "Photos of {subject} taken in or near {place}."),
        Theme.Wording("{Place}: {Subject}", "Everything around {subject} in {place}, by locals and visitors."),
    ]

    /// What sets a group apart when thousands share a theme: an end of the title and of the sentence.
    static let narrowings = [
        Theme.Wording(" on Film", "film only"), Theme.Wording(" in Black and White", "monochrome only"),
        Theme.Wording(" in Spring", "taken from March to May"),
        Theme.Wording(" in Summer", "taken from June to August"),
        Theme.Wording(" in Autumn", "taken from September to November"),
        Theme.Wording(" in Winter", "taken from December to February"),
        Theme.Wording(" at Dawn", "before the sun is up"),
        Theme.Wording(" for Beginners", "beginners welcome"),
        Theme.Wording(" (Comment on 3)", "comment on three for each you post"),
        Theme.Wording(" (Invited Photos)", "by invitation of the administrators"),
        Theme.Wording(" Masters", "experienced members only"),
        Theme.Wording(" Circle", "a small circle of regulars"),
        Theme.Wording(" Society", "with a meeting once a month"),
        Theme.Wording(" 2.0", "a fresh start after the first group fell asleep"),
        Theme.Wording(" 365", "one for every day of the year"),
        Theme.Wording(" by Women", "by women photographers"),
        Theme.Wording(" with Vintage Lenses", "with old glass on new cameras"),
        Theme.Wording(" in Square Format", "square format"), Theme.Wording(" (No Limits)", "no daily limit"),
        Theme.Wording(" Archive", "older photos are welcome"), Theme.Wording(" Close Up", "the closer, the better"),
        Theme.Wording(" Exhibition", "the best go into an online exhibition"),
        Theme.Wording(" Workshop", "with friendly critique"),
    ]

    /// Titles of a group founded beside one that exists already.
    static let duplicates = [
        Theme.Wording("{Subject}!", "Another home for the same photos, with fewer rules."),
        Theme.Wording("The {Subject} Group", "The same subject with a different crowd."),
        Theme.Wording("{Subject} (New)", "A successor to the older group of this name, whose administrators are away."),
        Theme.Wording("{Subject} - Unlimited", "As in the group of nearly the same name, but without a daily limit."),
        Theme.Wording("★ {Subject} ★", "The same subject, with stars."),
        Theme.Wording("{Subject} Too", "For those who found the first group too large."),
    ]
}
