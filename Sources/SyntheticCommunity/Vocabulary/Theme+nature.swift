extension Theme {
    static let landscape = Theme(
        "landscape", topics: "nature outdoors", tags: "landscape nature scenery view outdoors sky clouds countryside",
        places: [.region, .northern], everywhere: false,
        [
            Wording("Light on the Land", "Landscapes in which the light is the subject, from first glow to last."),
            Wording("The Big View", "Wide landscapes with room to breathe, one photo a day for each member."),
            Wording("Intimate Landscapes", "Small scenes within the big one: roots, ripples, a corner of a field."),
            Wording("Layers and Haze", "Ridge behind ridge, softened by distance, mist or heat."),
            Wording("Landscape Critique Corner", "Post one landscape and leave two honest comments for others."),
        ],
        inPlaces: [
            Wording("Landscapes of {place}", "The land and its light in {place}, through all four seasons."),
            Wording("{Place} Landscapes", "A shared album of landscapes from {place}, by locals and visitors."),
            Wording("Wild {Place}", "The wilder corners of {place}, far from car parks and crowds."),
        ],
        subjects: [
            "rolling hills": "hills rolling green", "country roads": "road lane rural",
            "lone trees": "tree solitary field",
            "open fields": "field farmland wheat", "deserts and dunes": "desert dunes sand",
            "stone walls": "drystone wall pasture",
        ])

    static let birds = Theme(
        "birds", topics: "wildlife nature", tags: "bird birds avian feathers wings nature wildlife birding telephoto",
        places: [.region, .northern, .city],
        [
            Wording("Feathers", "Wild birds only, sharp where it matters, named where you can."),
            Wording("Birds in Flight", "Wings open, feet off the ground: birds caught in the air."),
            Wording("Birds on a Wire", "Silhouettes, gatherings and quarrels on cables, fences and posts."),
            Wording("The Patient Birder", "For photos that took a long wait in a hide or a very cold marsh."),
            Wording("Backyard Birds", "Visitors to the feeder, the hedge and the balcony."),
        ],
        inPlaces: [
            Wording("Birds of {place}", "Wild birds photographed in {place}; please give the species."),
            Wording("Birding Around {Place}", "Sightings, rarities and everyday birds from {place}."),
        ],
        subjects: [
            "owls": "owl nocturnal tawny", "birds of prey": "raptor hawk eagle kestrel",
            "waders": "wader shorebird mudflat",
            "kingfishers": "kingfisher river blue", "garden birds": "robin tit sparrow finch",
            "ducks and geese": "duck goose mallard pond", "seabirds": "puffin gannet gull cliff",
        ])

    static let macro = Theme(
        "macro", topics: "close-up details",
        tags: "macro closeup bokeh detail tiny depthoffield magnification focusstacking",
        [
            Wording("Macro Mondays", "One close-up every Monday, to a theme that changes each week."),
            Wording("Closer Than Life", "Life size and beyond: tell us the lens, the light and the ratio."),
            Wording("Tiny Worlds", "Scenes smaller than a coin that look like another planet."),
            Wording("Focus Stackers", "Stacked close-ups, and plain talk about how many frames it took."),
            Wording("Kitchen Table Macro", "Close-ups made at home with whatever lay on the table."),
        ],
        subjects: [
            "water drops": "waterdrop droplets refraction", "stamens and petals": "petal stamen pollen",
            "textures": "texture surface abstract", "eyes": "eye iris lashes",
            "threads and fabrics": "fabric thread weave",
            "soap bubbles": "bubble soap iridescent",
        ])

    static let flowers = Theme(
        "flowers", topics: "nature plants", tags: "flower flowers bloom petals botanical plant nature colour",
        season: .summer, places: [.region, .city],
        [
            Wording("Flower Power", "Any flower, any colour, one a day from each member."),
            Wording("Wildflowers", "Flowers that nobody planted, found on verges, meadows and mountains."),
            Wording("Petals and Bokeh", "Soft backgrounds, one flower in focus."),
            Wording("Faded Flowers", "Blooms past their best, and lovelier for it."),
            Wording("A Vase on the Sill", "Cut flowers, window light and a little patience."),
        ],
        inPlaces: [
            Wording("Wildflowers of {place}", "What blooms in {place}, with names and dates where you know them.")
        ],
        subjects: [
            "roses": "rose red garden", "poppies": "poppy red field", "orchids": "orchid exotic",
            "tulips": "tulip spring bulb",
            "sunflowers": "sunflower yellow summer", "daisies": "daisy white meadow",
        ])

    static let wildlife = Theme(
        "wildlife", topics: "animals nature", tags: "wildlife animal nature wild mammal telephoto fauna",
        places: [.region, .northern], everywhere: false,
        [
            Wording("Wild and Free", "Animals in the wild: no zoos, no pets, no bait."),
            Wording("Eye to Eye", "Wildlife at eye level, looking straight back at you."),
            Wording(
                "Animals in Their Landscape", "The animal small in the frame and the place it lives all around it."),
            Wording("Urban Wildlife", "Foxes, deer and others who moved to town."),
        ],
        inPlaces: [
            Wording("Wildlife of {place}", "Wild animals seen in {place}, from the common to the once-in-a-lifetime.")
        ],
        subjects: [
            "foxes": "fox redfox", "deer": "deer stag rut", "squirrels": "squirrel acorn", "bears": "bear grizzly",
            "seals": "seal coast pup", "hares": "hare field", "big cats": "lion leopard safari",
        ])

    static let insects = Theme(
        "insects", topics: "macro nature", tags: "insect insects macro nature bug wings closeup invertebrate",
        season: .summer, places: [.region], everywhere: false,
        [
            Wording("Six Legs", "Insects of every kind, alive and unharmed."),
            Wording("Butterflies and Moths", "Wings by day and by night; species names are welcome."),
            Wording("Bugs at Breakfast", "Insects found before eight in the morning, dew included."),
            Wording("The Pollinators", "Bees, hoverflies and others at work on a flower."),
        ],
        inPlaces: [
            Wording("Butterflies of {place}", "A shared record of the butterflies of {place}, month by month.")
        ],
        subjects: [
            "dragonflies": "dragonfly damselfly odonata", "bees": "bee bumblebee pollen", "beetles": "beetle ladybird",
            "moths": "moth nocturnal", "jumping spiders": "spider jumpingspider eyes",
            "grasshoppers": "grasshopper cricket",
        ])

    static let forests = Theme(
        "forests", topics: "trees nature", tags: "forest trees woods woodland nature green path bark",
        places: [.region], everywhere: false,
        [
            Wording("Into the Woods", "Paths, glades and tangled places under trees."),
            Wording("Tree of the Week", "One tree a week, looked at properly."),
            Wording("Woodland in Mist", "Simple woodland scenes on the mornings when fog tidies them up."),
            Wording("Bark and Leaf", "Trees up close: bark, buds, leaves, galls and moss."),
        ],
        inPlaces: [Wording("Forests of {place}", "Woodland in {place}, from old growth to the wood behind the house.")],
        subjects: [
            "ancient oaks": "oak old veteran", "birches": "birch silver", "ferns": "fern undergrowth",
            "forest paths": "path trail walk", "mossy stumps": "moss stump lichen",
        ])

    static let fungi = Theme(
        "fungi", topics: "nature forest", tags: "mushroom fungi fungus forest autumn macro toadstool woodland",
        season: .autumn, places: [.region], everywhere: false,
        [
            Wording("Fungi Finders", "Mushrooms where they grow; please do not pick them for the photo."),
            Wording("Mushroom Season", "What came up after the rain, from September to the first frost."),
            Wording("Under the Cap", "Gills, pores and spines, seen from a worm's point of view."),
        ],
        inPlaces: [Wording("Fungi of {place}", "Mushrooms and their kin in {place}, with help for naming them.")],
        subjects: [
            "slime moulds": "slimemould myxomycete", "fly agarics": "flyagaric amanita red",
            "bracket fungi": "bracket polypore deadwood", "bonnets and inkcaps": "mycena inkcap gills",
        ])

    static let underwater = Theme(
        "underwater", topics: "ocean diving", tags: "underwater diving ocean sea reef scuba blue marine",
        season: .summer,
        [
            Wording("Below the Surface", "Anything photographed with the camera under water."),
            Wording("Split Shots", "Half above, half below, with a dome port and a calm sea."),
            Wording("Reef Life", "Fish, corals and everything that hides between them."),
        ],
        subjects: [
            "nudibranchs": "nudibranch seaslug macro", "sea turtles": "turtle seaturtle",
            "jellyfish": "jellyfish drift",
            "coral reefs": "coral reef tropical", "shipwrecks": "wreck dive rust",
        ])
}
