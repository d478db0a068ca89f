extension Theme {
    static let cats = Theme(
        "cats", topics: "pets animals", tags: "cat kitty pet animal whiskers feline fur cute", hours: .online,
        places: [.city],
        [
            Wording("Cats, Cats, Cats", "Cats; no further explanation needed."),
            Wording("Whiskers and Windows", "Cats looking out, and now and then in."),
            Wording("Black Cats Only", "Proper exposure for a neglected colour."),
            Wording("The Cat Is Not Impressed", "Expressions of doubt, boredom and contempt."),
        ],
        inPlaces: [Wording("Street Cats of {place}", "The cats of {place} that belong to nobody and everybody.")],
        subjects: [
            "kittens": "kitten baby tiny", "sleeping cats": "sleeping nap curled", "tabbies": "tabby stripes",
            "bookshop cats": "bookshop shop", "ginger cats": "ginger orange",
        ])

    static let dogs = Theme(
        "dogs", topics: "pets animals", tags: "dog puppy pet animal canine walk fetch cute", places: [.city, .region],
        [
            Wording("Good Dogs", "Every dog is one; prove it with a photo."),
            Wording("Dogs in Motion", "Mid-air, mid-shake, mid-zoomies."),
            Wording("Noses", "Wet, cold and right up against the lens."),
            Wording("Grey Muzzles", "Old dogs, with love."),
        ],
        inPlaces: [Wording("Dogs of {place}", "Dogs out and about in {place}.")],
        subjects: [
            "puppies": "puppy baby", "sheepdogs": "bordercollie sheepdog farm", "greyhounds": "greyhound whippet",
            "dogs on the beach": "beach sea", "sleeping dogs": "sleeping sofa", "rescue dogs": "rescue adopted",
        ])

    static let trains = Theme(
        "trains", topics: "railways transport", tags: "train railway rail locomotive station tracks transport railroad",
        places: [.city, .region],
        [
            Wording("Trains and Tracks", "Anything on rails, from narrow gauge to high speed."),
            Wording("Steam Today", "Locomotives in steam: heritage lines, specials and the last workers."),
            Wording("Platform Life", "Stations and those who wait in them."),
            Wording("Underground", "Metros, tubes and subways of the world."),
        ],
        inPlaces: [
            Wording("Railways of {place}", "Trains, stations and signal boxes in {place}."),
            Wording("{Place} Transit", "Trams, buses, metros and ferries of {place}."),
        ],
        subjects: [
            "steam locomotives": "steam steamengine heritage", "trams": "tram streetcar",
            "freight trains": "freight wagons diesel",
            "metro stations": "metro subway underground", "signal boxes": "signalbox semaphore",
        ])

    static let cars = Theme(
        "cars", topics: "vehicles design", tags: "car cars auto automobile vintage chrome classic wheels",
        places: [.city, .region],
        [
            Wording("Classic Cars", "Cars of thirty years and older, parked or driven."),
            Wording("Chrome and Fins", "American cars of the fifties, in detail."),
            Wording("Left to Rust", "Cars that will never start again."),
        ],
        inPlaces: [Wording("Parked in {Place}", "Interesting cars found by the kerb in {place}.")],
        subjects: [
            "old Volkswagens": "vw beetle bus", "vintage trucks": "truck pickup",
            "hood ornaments": "ornament mascot chrome",
            "racing cars": "racing motorsport track", "rusty cars": "rust wreck junkyard",
        ])

    static let aircraft = Theme(
        "aviation", topics: "aircraft transport", tags: "aircraft plane aviation airplane jet airport flight spotting",
        places: [.city],
        [
            Wording("Plane Spotters", "Registration, type and airport, please."),
            Wording("Window Seat", "The view past the wing."),
            Wording("Warbirds", "Historic aircraft, preserved and flying."),
        ],
        inPlaces: [Wording("Spotting at {Place}", "Arrivals and departures at the airports of {place}.")],
        subjects: [
            "helicopters": "helicopter rotor", "air displays": "airshow formation smoke", "gliders": "glider soaring",
            "hot-air balloons": "hotairballoon balloon festival", "propeller planes": "propeller vintage",
        ])

    static let bicycles = Theme(
        "bicycles", topics: "cycling city", tags: "bicycle bike cycling wheels ride city saddle commute",
        places: [.city, .region],
        [
            Wording("Bicycles Leaning on Things", "Walls, fences, trees and each other."),
            Wording("Two Wheels Good", "Bicycles and the people who ride them."),
            Wording("Bikepacking Diaries", "Loaded bikes, long days, small tents."),
        ],
        inPlaces: [Wording("Cycling {Place}", "By bike in and around {place}.")],
        subjects: [
            "cargo bikes": "cargobike delivery", "abandoned bikes": "abandoned chained", "road bikes": "roadbike climb",
            "bike baskets": "basket flowers",
        ])

    static let abandoned = Theme(
        "abandoned places", topics: "urbex history", tags: "abandoned urbex decay derelict ruin rust forgotten empty",
        places: [.region, .city],
        [
            Wording("Abandoned Places", "Left behind: take only photos, and never say how to get in."),
            Wording("Peeling Paint", "Layers of colour coming off."),
            Wording("Nature Takes It Back", "Trees through roofs, ivy through windows."),
            Wording("Industrial Ruins", "Works, mills and mines after the last shift."),
        ],
        inPlaces: [Wording("Forgotten {Place}", "Disused, boarded up and overgrown: what {place} left behind.")],
        subjects: [
            "abandoned factories": "factory industrial machine", "empty hospitals": "hospital ward corridor",
            "ghost towns": "ghosttown desert", "derelict farmhouses": "farmhouse barn",
            "closed cinemas": "cinema theatre seats",
        ])
}
