extension Theme {
    static let street = Theme(
        "street", topics: "street-photography people",
        tags: "street streetphotography candid urban people city shadow light",
        places: [.city],
        [
            Wording("Street Candid", "Unposed moments in public places; be kind to the people in them."),
            Wording("The Decisive Moment", "One frame, one instant, no staging."),
            Wording("Strangers Passing", "People we will never meet again."),
            Wording("Hard Light", "Street photos built from sun and deep shadow."),
            Wording("Corner of the Eye", "Layered, odd and easily missed scenes from the street."),
        ],
        inPlaces: [
            Wording("Street Photography in {Place}", "Daily life in the streets of {place}."),
            Wording("{Place} Street", "Candid photos from {place}; one a day, no selfies."),
            Wording("{Place} Streets and Faces", "The people of {place}, met in passing."),
        ],
        subjects: [
            "commuters": "commuter train rush", "street musicians": "busker music",
            "long shadows": "shadow sun contrast",
            "crosswalks": "crosswalk zebra crossing", "people waiting": "waiting bench bus",
            "lone figures": "alone figure silhouette",
        ])

    static let architecture = Theme(
        "architecture", topics: "buildings design",
        tags: "architecture building facade lines geometry city design structure",
        places: [.city],
        [
            Wording("Architecture Now", "Buildings of the last thirty years, architects named if possible."),
            Wording("Concrete and Brutal", "Brutalism, loved and unloved, before it is pulled down."),
            Wording("Looking Straight Up", "Towers, atriums and ceilings from the ground."),
            Wording("Lines and Curves", "Buildings cropped until only geometry is left."),
        ],
        inPlaces: [
            Wording("{Place} Architecture", "Old and new buildings of {place}."),
            Wording("Modern {Place}", "What has been built in {place} since the fifties."),
        ],
        subjects: [
            "spiral staircases": "staircase spiral stairs", "facades": "facade windows pattern",
            "art deco buildings": "artdeco deco 1930s", "glass towers": "skyscraper glass reflection",
            "train stations": "station concourse", "libraries": "library books interior",
        ])

    static let skylines = Theme(
        "cityscapes", topics: "city urban", tags: "cityscape skyline city urban panorama downtown lights view",
        places: [.city],
        [
            Wording("Skylines of the World", "Cities seen whole, by day and by night."),
            Wording("Rooftops", "The city from above, legally."),
            Wording("City at Blue Hour", "Twenty minutes between day and night, windows lit."),
        ],
        inPlaces: [
            Wording("{Place} Skyline", "{place} from a distance, from a hill or from the other bank."),
            Wording("Everyday {Place}", "{place} as those who live there know it."),
            Wording("{Place} Then and Now", "The same spots in {place}, years apart."),
        ],
        subjects: [
            "rooftops and chimneys": "roof chimney tiles", "aerial views": "aerial drone above",
            "empty streets": "empty quiet sunday", "city parks": "park bench green", "alleys": "alley lane narrow",
        ])

    static let night = Theme(
        "night", topics: "low-light city", tags: "night nightphotography lowlight lights dark neon city handheld",
        hours: .night, places: [.city],
        [
            Wording("After Dark", "Photos made between dusk and dawn, without flash."),
            Wording("Neon and Rain", "Signs, wet streets and colour in the dark."),
            Wording("Night Walkers", "What is still open, still lit, still moving at two in the morning."),
            Wording("Handheld at Night", "High ISO, steady hands, no tripod."),
        ],
        inPlaces: [
            Wording("Night in {Place}", "{place} between dusk and dawn."),
            Wording("{Place} After Dark", "Lit windows, late trams and night shifts in {place}."),
        ],
        subjects: [
            "neon signs": "neon sign glow", "light trails": "lighttrails traffic motion",
            "street lamps": "lamp streetlight fog",
            "fireworks": "fireworks newyear display", "petrol stations at night": "gasstation petrol fluorescent",
        ])

    static let bridges = Theme(
        "bridges", topics: "architecture engineering",
        tags: "bridge river span steel arch engineering crossing suspension",
        places: [.city, .region],
        [
            Wording("Bridges Big and Small", "From plank to suspension bridge, all are welcome."),
            Wording("Under the Bridge", "The side that nobody paints."),
            Wording("Viaducts", "Rows of arches, with or without a train on top."),
        ],
        inPlaces: [Wording("Bridges of {place}", "Every bridge in {place}, sooner or later.")],
        subjects: [
            "footbridges": "footbridge pedestrian", "suspension bridges": "suspension cables",
            "stone bridges": "stone arch old",
            "railway bridges": "railway viaduct iron",
        ])

    static let doors = Theme(
        "doors and windows", topics: "architecture details",
        tags: "door window entrance facade old colour shutters wall",
        places: [.city, .region],
        [
            Wording("Doors, Doors, Doors", "Closed, open, bricked up: one door per photo."),
            Wording("Windows Watching", "Windows from outside, looking in."),
            Wording("Knock Knock", "Knockers, handles, bells and letter boxes."),
        ],
        inPlaces: [Wording("Doors of {place}", "Front doors, church doors and garage doors of {place}.")],
        subjects: [
            "blue doors": "blue paint", "shutters": "shutter faded", "balconies": "balcony laundry iron",
            "stained glass windows": "stainedglass colour", "keyholes and locks": "keyhole lock rust",
        ])

    static let streetArt = Theme(
        "street art", topics: "graffiti urban", tags: "streetart graffiti mural wall urbanart paint stencil spray",
        places: [.city],
        [
            Wording("Walls That Talk", "Murals, stencils and paste-ups, with the artist's name if known."),
            Wording("Graffiti Archive", "Pieces photographed before they are painted over."),
            Wording("Sticker Hunters", "The small stuff: stickers, tiles and tiny figures on lamp posts."),
        ],
        inPlaces: [
            Wording("{Place} Street Art", "Murals and graffiti of {place}, dated, because they vanish."),
            Wording("Walls of {place}", "What is painted, pasted and scratched on the walls of {place}."),
        ],
        subjects: [
            "murals": "mural largescale", "stencils": "stencil spraypaint", "paste-ups": "pasteup wheatpaste paper",
            "painted shutters": "shutter shopfront",
        ])

    static let signs = Theme(
        "signs", topics: "typography urban", tags: "sign typography lettering letters shop vintage type words",
        places: [.city],
        [
            Wording("Ghost Signs", "Faded painted advertisements on brick."),
            Wording("Found Type", "Letters and numbers found in the street."),
            Wording("Lost in Translation", "Signs that say more than they meant to."),
        ],
        inPlaces: [Wording("Signs of {place}", "Shop fronts, street names and hand lettering in {place}.")],
        subjects: [
            "hand-painted signs": "handpainted signwriting", "shop fronts": "shopfront storefront",
            "street numbers": "number enamel",
            "neon letters": "neon letters glow",
        ])

    static let markets = Theme(
        "markets", topics: "food people", tags: "market stall food people colour vendor street trade",
        places: [.city],
        [
            Wording("Market Day", "Stalls, sellers and everything on the scales."),
            Wording("Flea Market Finds", "Junk, treasure and the people haggling over it."),
            Wording("Fish, Fruit, Flowers", "Market colours from all over the world."),
        ],
        inPlaces: [Wording("Markets of {place}", "Food halls, street markets and flea markets of {place}.")],
        subjects: [
            "fish markets": "fish ice catch", "spice stalls": "spices colour", "flower stalls": "flowers bouquet",
            "bookstalls": "books secondhand",
        ])

    static let churches = Theme(
        "sacred places", topics: "architecture history",
        tags: "church cathedral temple sacred interior history stone light",
        places: [.city, .region],
        [
            Wording("Sacred Spaces", "Churches, mosques, temples and shrines, photographed with respect."),
            Wording("Vaults and Ceilings", "Look up: fans, ribs, domes and painted skies."),
            Wording("Quiet Churchyards", "Yews, lichen and leaning stones."),
        ],
        inPlaces: [Wording("Churches of {place}", "Cathedrals, chapels and monasteries of {place}.")],
        subjects: [
            "cathedrals": "cathedral gothic nave", "cloisters": "cloister arcade monastery",
            "temples": "temple shrine incense",
            "wayside chapels": "chapel rural", "bell towers": "belltower campanile",
        ])
}
