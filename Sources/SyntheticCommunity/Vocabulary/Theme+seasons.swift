extension Theme {
    static let autumn = Theme(
        "autumn", topics: "seasons nature", tags: "autumn fall leaves foliage october orange gold trees",
        season: .autumn, places: [.region, .city], everywhere: false,
        [
            Wording("Autumn Leaves", "Leaves turning, falling and lying about, from the first gold to the last brown."),
            Wording("October Light", "Low sun, long shadows and warm colours."),
            Wording("Fall Foliage Report", "Where the colour is now: give the place and the date."),
            Wording("One Fallen Leaf", "A single leaf in the frame, nothing else."),
        ],
        inPlaces: [
            Wording("Autumn in {Place}", "The weeks when {place} turns gold."),
            Wording("{Place} in the Fall", "Fall colour in {place}, year after year."),
        ],
        subjects: [
            "maple leaves": "maple red japanesemaple", "pumpkins": "pumpkin halloween harvest",
            "misty autumn mornings": "mist fog morning", "vineyards in autumn": "vineyard harvest grapes",
            "golden larches": "larch golden alpine",
        ])

    static let blossom = Theme(
        "cherry blossom", topics: "spring flowers", tags: "cherryblossom sakura spring blossom pink petals april tree",
        season: .spring, places: [.city, .region], everywhere: false,
        [
            Wording("Hanami", "Cherry trees in bloom and the people under them."),
            Wording("First Signs of Spring", "Snowdrops, buds, lambs and the first warm bench."),
            Wording("Blossom Watch", "Which trees are out, and where: one photo per tree, please."),
        ],
        inPlaces: [
            Wording("Cherry Blossom in {Place}", "The short weeks of blossom in {place}."),
            Wording("Spring in {Place}", "{place} waking up, from the first crocus to the last blossom."),
        ],
        subjects: [
            "magnolias": "magnolia pink bud", "bluebell woods": "bluebell woodland may",
            "orchards in bloom": "orchard apple bloom", "snowdrops and crocuses": "snowdrop crocus bulb",
        ])

    static let beach = Theme(
        "beach", topics: "sea coast", tags: "beach sea sand coast waves summer ocean shore",
        season: .summer, places: [.region], everywhere: false,
        [
            Wording("Beach Days", "Towels, parasols, sandcastles and sunburn."),
            Wording("Salt and Sand", "The edge of the sea in any weather."),
            Wording("Seaside Nostalgia", "Piers, beach huts, ice-cream vans and faded paint."),
            Wording("Waves", "The sea in motion: barrels, breakers and backwash."),
        ],
        inPlaces: [
            Wording("Beaches of {place}", "Sand, shingle and sea in {place}."),
            Wording("{Place} by the Sea", "Summer days on the coast of {place}."),
        ],
        subjects: [
            "surfers": "surf surfing wave", "beach huts": "beachhut colourful",
            "lighthouses": "lighthouse beacon cliff",
            "tide pools": "tidepool rocks shell", "sea cliffs": "cliff coast path",
            "footprints in the sand": "footprints sand",
        ])

    static let snow = Theme(
        "winter", topics: "snow seasons", tags: "winter snow cold ice frost january white frozen",
        season: .winter, places: [.region, .city, .northern], everywhere: false,
        [
            Wording("Snow Day", "The whole town white and nobody at work."),
            Wording("Frost on Everything", "Hoar frost, rime and frozen windows, best before ten."),
            Wording("Quiet Winter", "Spare winter scenes with very little in them."),
            Wording("Blue Ice", "Frozen lakes, icicles, glaciers and the colour inside them."),
        ],
        inPlaces: [
            Wording("{Place} in Winter", "Short days, frost and now and then snow in {place}."),
            Wording("Snow in {Place}", "Proof that it snowed in {place}."),
        ],
        subjects: [
            "icicles": "icicle ice", "snowy forests": "forest snowy trees", "frozen lakes": "lake frozen ice",
            "footprints in snow": "footprints tracks", "snowflakes": "snowflake macro crystal",
        ])

    static let christmas = Theme(
        "christmas", topics: "holidays lights", tags: "christmas xmas lights december holiday festive bokeh tree",
        season: .christmas, hours: .night, places: [.city, .region],
        [
            Wording("Christmas Lights", "Streets, houses and trees lit up for Christmas."),
            Wording("Advent, One a Day", "Twenty-four photos in twenty-four days, December only."),
            Wording("Bokeh Trees", "Christmas lights thrown well out of focus."),
        ],
        inPlaces: [
            Wording("Christmas in {Place}", "Lights, markets and decorations in {place}."),
            Wording("{Place} Christmas Lights", "The best-lit streets of {place} in December."),
        ],
        subjects: [
            "christmas markets": "market stall gluhwein", "nativity scenes": "nativity crib",
            "shop windows in December": "window shop display", "baubles": "bauble ornament closeup",
        ])

    static let aurora = Theme(
        "aurora", topics: "night-sky north",
        tags: "aurora northernlights auroraborealis nightsky green stars north longexposure",
        season: .darkMonths, hours: .night, places: [.northern], everywhere: false,
        [
            Wording("Aurora Hunters", "Northern and southern lights, with place, time and settings."),
            Wording("Green Skies", "The aurora over landscapes worth looking at by themselves."),
            Wording("Aurora Alerts", "Last night's lights, posted while they are still news."),
        ],
        inPlaces: [
            Wording("Northern Lights over {Place}", "Aurora photographed in {place} between September and April."),
            Wording("{Place} Aurora", "Nights under the lights in {place}."),
        ],
        subjects: [
            "red auroras": "redaurora rare storm", "aurora reflections": "reflection lake fjord",
            "cabins under the aurora": "cabin snow", "aurora panoramas": "panorama arc",
        ])
}
