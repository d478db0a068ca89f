extension Theme {
    static let portraits = Theme(
        "portraits", topics: "people faces", tags: "portrait people face eyes model bokeh studio expression",
        places: [.city],
        [
            Wording("Faces", "Portraits of people who agreed to be photographed."),
            Wording("One Hundred Strangers", "Ask, talk, shoot: one hundred portraits of people you did not know."),
            Wording("Available Light Portraits", "No flash, no studio: windows, lamps and open shade."),
            Wording("Hands at Work", "Portraits of craftspeople, often without the face."),
            Wording("Family Album", "Everyday portraits of those closest to us."),
        ],
        inPlaces: [Wording("Portraits from {Place}", "The faces of {place}, with a line about each person.")],
        subjects: [
            "window light portraits": "windowlight natural", "children at play": "children play kid",
            "elderly faces": "elderly wrinkles age", "studio portraits": "studio strobe backdrop",
            "couples": "couple love wedding", "dancers": "dance movement stage",
        ])

    static let selfPortraits = Theme(
        "self-portraits", topics: "people projects", tags: "selfportrait me 365 project mirror selfie tripod remote",
        techniques: false,
        [
            Wording("365: The Original", "A self-portrait every day for a year, excuses included."),
            Wording("Self-Portrait Sunday", "You, by you, once a week."),
            Wording("In the Mirror", "Self-portraits in mirrors, shop windows and spoons."),
        ],
        subjects: [
            "self-portraits with cats": "cat pet", "shadows of ourselves": "shadow ground",
            "faceless self-portraits": "faceless hidden",
            "conceptual self-portraits": "conceptual surreal",
        ])

    static let concerts = Theme(
        "live music", topics: "concerts stage", tags: "concert music live stage band gig lights performance",
        hours: .night, places: [.city],
        [
            Wording("First Three Songs, No Flash", "Concert photography by those in the pit and those behind it."),
            Wording("Small Venue Gigs", "Back rooms, bad light, great bands."),
            Wording("Jazz in the Frame", "Clubs, horns and concentration."),
        ],
        inPlaces: [Wording("{Place} Gigs", "Bands seen live in {place}, from stadium to cellar.")],
        subjects: [
            "drummers": "drums drummer", "guitarists": "guitar guitarist solo",
            "festival crowds": "festival crowd summer",
            "singers": "singer vocalist microphone", "orchestras": "orchestra classical",
        ])

    static let sport = Theme(
        "sport", topics: "action people", tags: "sport action sports motion athlete competition speed game",
        places: [.city, .region],
        [
            Wording("Peak Action", "The top of the jump, the moment of contact."),
            Wording("Grassroots Football", "Sunday leagues, muddy pitches, three spectators."),
            Wording("Panning Practice", "Sharp athlete, blurred background, keep trying."),
        ],
        inPlaces: [Wording("Sport in {Place}", "Matches, races and training in {place}.")],
        subjects: [
            "skateboarders": "skateboard skate trick", "cyclists racing": "cycling race peloton",
            "runners": "running marathon race",
            "rugby matches": "rugby scrum tackle", "horse riders": "horse equestrian jump",
        ])

    static let travel = Theme(
        "travel", topics: "places culture", tags: "travel journey trip vacation explore culture road adventure",
        places: [.city, .region, .northern], everywhere: false,
        [
            Wording("Slow Travel", "Trains, ferries and walking; stories welcome."),
            Wording("Postcards Home", "The one photo that you would have sent."),
            Wording("Off the Beaten Track", "Places without a gift shop."),
            Wording("Road Trip", "Windscreens, motels, petrol stations and long straight roads."),
        ],
        inPlaces: [
            Wording("Discover {Place}", "{place} through the eyes of visitors."),
            Wording("Three Days in {Place}", "Short trips to {place}: what you saw, ate and missed."),
            Wording("Hidden {Place}", "Corners of {place} that the guidebooks leave out."),
        ],
        subjects: [
            "airports": "airport terminal departure", "hotel rooms": "hotel room window",
            "old towns": "oldtown cobbles",
            "views from trains": "train window blur", "islands": "island sea ferry", "camper vans": "campervan vanlife",
        ])

    static let food = Theme(
        "food", topics: "still-life kitchen",
        tags: "food foodphotography delicious cooking kitchen table plate homemade",
        hours: .online, places: [.city, .region], everywhere: false,
        [
            Wording("What's for Dinner", "Tonight's plate, before it gets cold."),
            Wording("Food on a Dark Table", "Moody food photography: one window, one board, one onion."),
            Wording("Bakers' Corner", "Crumb, crust and cake, from real kitchens."),
        ],
        inPlaces: [Wording("Eating {Place}", "Street food, cafés and home cooking in {place}.")],
        subjects: [
            "breads": "bread sourdough crust", "coffees": "coffee espresso latteart", "cakes": "cake dessert chocolate",
            "fruit bowls": "fruit bowl fresh", "street food": "streetfood stall noodles", "cheeses": "cheese board",
        ])

    static let stillLife = Theme(
        "still life", topics: "studio objects",
        tags: "stilllife objects table light composition indoor vintage arrangement",
        hours: .online,
        [
            Wording("Still Life Studio", "Arranged objects and deliberate light."),
            Wording("After the Dutch Masters", "Pewter, lemon peel, dark cloth and light from the left."),
            Wording("Ordinary Objects", "Things from the drawer, taken seriously."),
        ],
        subjects: [
            "old books": "book pages vintage", "glass bottles": "bottle glass refraction",
            "teapots and cups": "tea cup porcelain",
            "keys and clocks": "key clock brass", "candles": "candle flame",
        ])

    static let toys = Theme(
        "toys", topics: "fun objects", tags: "toy toys toyphotography figure miniature play plastic fun",
        hours: .online,
        [
            Wording("Toys in the Wild", "Toys outdoors, doing what we cannot."),
            Wording("Brick by Brick", "Scenes made of plastic bricks and small yellow people."),
            Wording("Tilt-Shift Towns", "Real places that look like models, and models that look real."),
        ],
        subjects: [
            "teddy bears": "teddybear plush", "toy soldiers": "soldier plastic", "dolls' houses": "dollhouse miniature",
            "model railways": "modelrailway diorama", "robots": "robot tin retro",
        ])
}
