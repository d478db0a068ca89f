extension Theme {
    static let sunsets = Theme(
        "sunsets", topics: "sky landscape", tags: "sunset sky dusk orange clouds goldenhour evening silhouette",
        hours: .twilight, places: [.region, .city, .northern], everywhere: false,
        [
            Wording("Sunsets and Sunrises", "The sun near the horizon, coming or going."),
            Wording("Golden Hour", "The hour after sunrise and the hour before sunset, nothing else."),
            Wording("Sky on Fire", "Those few minutes when the clouds catch."),
            Wording("Early Risers", "Sunrises by people who really got up for them."),
        ],
        inPlaces: [
            Wording("Sunsets over {Place}", "The end of the day as seen from {place}."),
            Wording("{Place} at Dawn", "First light in {place}, before the others are awake."),
        ],
        subjects: [
            "silhouettes": "silhouette backlight contrast", "sunrises": "sunrise dawn morning",
            "purple skies": "purple pink afterglow", "sun stars": "sunstar aperture flare",
            "blue hours": "bluehour twilight dusk",
        ])

    static let mountains = Theme(
        "mountains", topics: "hiking landscape", tags: "mountain mountains peak alpine hiking summit ridge rock",
        places: [.region, .northern], everywhere: false,
        [
            Wording("Above the Tree Line", "Mountains from high up: rock, ice and thin air."),
            Wording("Summit Club", "Photos from the very top, with the name and the height."),
            Wording("Hut to Hut", "Long-distance walks in the mountains, and the huts between."),
            Wording("Alpenglow", "Peaks in the last and the first pink light."),
        ],
        inPlaces: [
            Wording("Mountains of {place}", "Peaks, ridges and passes in {place}."),
            Wording("Hiking in {Place}", "Trails of {place} as walkers see them."),
        ],
        subjects: [
            "mountain lakes": "lake tarn reflection", "glaciers": "glacier ice crevasse",
            "climbers": "climbing rope rock",
            "alpine meadows": "meadow pasture alpine", "mountain huts": "hut refuge cabin",
        ])

    static let water = Theme(
        "water", topics: "nature rivers", tags: "water river stream waterfall nature flow rocks wet",
        places: [.region, .northern], everywhere: false,
        [
            Wording("Waterfalls", "Falling water, from trickle to thunder, silky or frozen in flight."),
            Wording("Rivers and Streams", "Running water and its banks."),
            Wording("Liquid Shapes", "Splashes, swirls and ripples that look like something else."),
        ],
        inPlaces: [
            Wording("Waterfalls of {place}", "Every fall in {place}, with directions where access is allowed."),
            Wording("Rivers of {place}", "Running water in {place}, from the source to the mouth."),
        ],
        subjects: [
            "mountain streams": "stream creek mossy", "lakes at dawn": "lake dawn calm", "splashes": "splash highspeed",
            "marshes and wetlands": "marsh wetland reeds", "canals": "canal towpath lock",
        ])

    static let weather = Theme(
        "weather", topics: "sky atmosphere", tags: "weather rain fog storm clouds mood wet sky",
        places: [.city, .region], everywhere: false,
        [
            Wording("Rainy Windows", "Rain on glass, and whatever is blurred behind it."),
            Wording("Fog Lovers Anonymous", "Fog, mist and haze; sunshine is off topic."),
            Wording("Cloud Appreciation", "Clouds for their own sake, named if you know the names."),
            Wording("Storm Watch", "Lightning, shelf clouds and skies that mean business."),
        ],
        inPlaces: [
            Wording("{Place} in the Rain", "Wet pavements and umbrellas in {place}."),
            Wording("Fog over {Place}", "Mornings when {place} disappears."),
        ],
        subjects: [
            "umbrellas": "umbrella rain street", "rainbows": "rainbow shower", "lightning": "lightning thunderstorm",
            "puddles": "puddle reflection wet", "foggy mornings": "fog mist morning",
        ])

    static let astronomy = Theme(
        "astrophotography", topics: "night-sky stars",
        tags: "astrophotography stars nightsky milkyway space galaxy tracker darksky",
        hours: .night, places: [.region],
        [
            Wording("Milky Way Chasers", "Our own galaxy over land or sea; say where it was dark enough."),
            Wording("Deep Sky", "Nebulae, galaxies and clusters, with total exposure time."),
            Wording("Backyard Astronomers", "The sky from home, light pollution and all."),
            Wording("Moon of the Month", "One full moon, one photo each."),
        ],
        inPlaces: [
            Wording("Dark Skies of {place}", "Stars above {place}, and where to find them.")
        ],
        subjects: [
            "star trails": "startrails rotation polaris", "nebulae": "nebula hubblepalette",
            "meteor showers": "meteor perseids",
            "moonrises": "moon fullmoon moonrise", "planets": "jupiter saturn planet", "comets": "comet tail",
        ])

    static let boats = Theme(
        "boats", topics: "harbour sea", tags: "boat boats harbour sea ship sailing port marina",
        places: [.region, .city],
        [
            Wording("Boats and Harbours", "Anything that floats, and where it ties up."),
            Wording("Tall Ships", "Masts, rigging and regattas."),
            Wording("Rust and Rope", "Working boats with their scars."),
        ],
        inPlaces: [
            Wording("Harbours of {place}", "Quays, cranes and moorings of {place}."),
            Wording("{Place} from the Water", "{place} photographed from boats, ferries and kayaks."),
        ],
        subjects: [
            "fishing boats": "fishing trawler nets", "ferries": "ferry crossing deck",
            "rowing boats": "rowboat oars lake",
            "sailing boats": "sail regatta wind", "cargo ships": "cargo container freighter",
        ])

    static let gardens = Theme(
        "gardens", topics: "plants flowers", tags: "garden gardening plants green botanical summer flowers park",
        season: .summer, places: [.city, .region],
        [
            Wording("Over the Garden Gate", "Gardens large and small, your own or open to the public."),
            Wording("Botanical Gardens", "Glasshouses, labels and plants a long way from home."),
            Wording("The Allotment", "Beans, sheds, compost and the occasional triumph."),
        ],
        inPlaces: [Wording("Gardens of {place}", "Parks, courtyards and private gardens in {place}.")],
        subjects: [
            "glasshouses": "greenhouse glasshouse palm", "japanese gardens": "japanesegarden zen koi",
            "kitchen gardens": "vegetables harvest", "topiary": "topiary hedge",
        ])
}
