"""Texts that show the conversion how large activations get, written for this project.

Many subjects, lengths and manners: what they leave out is rounded too coarsely.
"""

TEXTS = (
    "How do I reset my password?",
    "refund policy for annual plans",
    "What is the difference between a lease and a licence?",
    "Invoice 20417 was paid twice; please credit the second payment of EUR 1,249.50 to the customer's account.",
    "Employees accrue 2.5 days of paid leave for every full month of service. Leave that is not taken by 31 March "
    "of the following year lapses, unless the line manager has agreed in writing to carry it over. Part-time staff "
    "accrue leave in proportion to their contracted hours, and leave during a notice period is taken in agreement "
    "with the team.",
    "To install the agent on Linux, download the archive, unpack it into /opt and run ./install.sh --user monitor. "
    "The service starts on port 9100. If the port is taken, set METRICS_PORT in /etc/default/agent and restart the "
    "service.",
    "def total(orders):\n    return sum(order.price * order.quantity for order in orders if not order.cancelled)",
    "Error 0x80070005: access is denied. Run the installer as an administrator or ask your IT department for rights.",
    "The heart of an adult at rest beats between sixty and one hundred times a minute. Athletes often have lower "
    "rates, since a trained heart moves more blood with every stroke.",
    "In a double-blind trial with 412 participants, the treatment lowered systolic pressure by 7.2 mmHg (95% CI "
    "4.9 to 9.5; p < 0.001) against placebo over twelve weeks. Adverse events were mild and equally frequent in "
    "both groups, and eleven participants left the study for reasons unrelated to it.",
    "Take one tablet twice a day with food. Do not drive until you know how this medicine affects you.",
    "Mitochondria carry their own circular DNA, inherited almost only from the mother, which makes them useful for "
    "tracing maternal lines over thousands of years.",
    "Die Lieferung erfolgt innerhalb von drei Werktagen, sofern die Ware auf Lager ist.",
    "Le contrat peut être résilié à tout moment avec un préavis de trente jours.",
    "¿Cuáles son los requisitos para solicitar la beca y cuándo termina el plazo?",
    "会议改到星期四下午三点,请大家提前准备季度报告。",
    "يمكن للموظفين العمل من المنزل يومين في الأسبوع بعد موافقة المدير.",
    "Договор вступает в силу с момента подписания обеими сторонами.",
    "この製品の保証期間は購入日から二年間です。",
    "The bridge was opened in 1894 after eight years of work. Its two bascules, each weighing more than a thousand "
    "tons, were raised by steam until electric motors replaced the engines some eighty years later. Today it opens "
    "about eight hundred times a year, and road traffic must always wait for the ships.",
    "Whisk four eggs with a pinch of salt, fold in the grated cheese and pour the mixture into a hot, buttered "
    "pan. Turn the heat down as soon as the edges set.",
    "A recession is commonly described as two consecutive quarters of falling output, but most statistical offices "
    "look at employment, income and industrial production as well before they name one.",
    "Bond prices fall when yields rise: a fixed coupon is worth less once newer paper pays more. The longer the "
    "time to maturity, the stronger the effect, which is what duration measures.",
    "Revenue grew 14% year on year to $3.2 billion, while operating margin narrowed from 21.4% to 19.8% because of "
    "higher freight and energy costs. The board proposes a dividend of $0.42 per share and expects "
    "mid-single-digit growth in the coming fiscal year.",
    "Section 12.3: Neither party is liable for a failure to perform that is caused by events beyond its reasonable "
    "control, including strikes, floods, epidemics, acts of government and failures of public networks, provided "
    "that it informs the other party without delay and resumes performance as soon as it can.",
    "The tenant shall return the premises in the condition in which they were received, fair wear and tear excepted.",
    "Who signed the treaty, and in which year did it come into force?",
    "GET /api/items?limit=50&cursor=eyJpZCI6NDJ9 HTTP/1.1 returns 200 with a list of items and the next cursor, or "
    "429 with Retry-After when the client has sent too many requests.",
    "SELECT customer_id, COUNT(*) AS orders FROM orders WHERE created_at >= '2024-01-01' GROUP BY customer_id "
    "HAVING COUNT(*) > 3 ORDER BY orders DESC;",
    "A deadlock needs four things at once: mutual exclusion, holding one resource while waiting for another, no "
    "preemption, and a circle of processes each waiting for the next. Taking locks in one fixed order breaks the "
    "circle.",
    "Photosynthesis turns carbon dioxide and water into sugar and oxygen, driven by light.",
    "Water boils at 100 °C at sea level, but at 3,000 m it boils near 90 °C, so pasta takes longer.",
    "The moon's gravity raises two bulges of water on opposite sides of the Earth. As the planet turns beneath "
    "them, most coasts see two high and two low tides a day; when sun and moon pull along one line, the range is "
    "largest.",
    "Our support desk answers on weekdays from 8:00 to 18:00. Outside these hours, call the emergency number "
    "printed on the back of your device only if production stands still.",
    "Hi team, quick reminder that the release is frozen from Thursday noon. Hotfixes need two approvals and a "
    "rollback plan. Anything else goes into next week's train. Thanks! - Mara",
    "lol the printer is on fire again (not literally) can someone from facilities come up to the 4th floor pls",
    "Meeting notes: 1. Budget approved with minor changes. 2. Hiring for the data team paused until June. 3. Ines "
    "drafts the new travel policy. 4. Next meeting on the 14th in the small conference room.",
    "The returns portal asks for your order number and postcode. Print the label, put it on the parcel and leave "
    "it at any collection point. We refund the purchase price within five days after the parcel has arrived.",
    "Wipe the sensor with a soft, dry cloth. Never use solvents, as they cloud the lens and void the warranty.",
    "Torque the M8 bolts to 25 Nm in a crosswise pattern, wait ten minutes, then check them once more.",
    "Before working on the pump, close both valves, switch off the mains, lock the switch and hang up the warning "
    "sign. Release the pressure through the bleed screw and wait until the gauge shows zero. Wear gloves and "
    "goggles: residual fluid may be hot. After the repair, open the suction valve first, vent the housing, and "
    "only then start the motor and open the discharge valve slowly.",
    "She closed the book, listened to the rain for a while and decided that the letter could wait until morning.",
    "The old lighthouse keeper knew every ship by the sound of its horn. On foggy nights he would name them aloud, "
    "one after another, to the dog that slept beside the stove, and the dog, who knew only one ship, lifted its "
    "head when the ferry came.",
    "Bach wrote the Goldberg Variations as an aria with thirty variations over the same bass line; every third one "
    "is a canon, and the interval grows by a step each time.",
    "Impressionist painters left the studio to catch changing light, set pure colours side by side and let the eye "
    "mix them.",
    "The home side equalised in the 89th minute from a free kick and won 4-2 on penalties.",
    "Offside: a player is penalised only if involved in active play when the ball is passed by a teammate.",
    "The empire's roads carried soldiers first and merchants afterwards. Milestones told the distance to the next "
    "town, and relay stations kept fresh horses, so that a dispatch could cross two hundred kilometres in a day.",
    "In 1848, revolts broke out in Paris, Vienna, Berlin and Milan within weeks of one another.",
    "Kant distinguishes acting from duty from merely acting in accordance with it.",
    "The committee rejected the proposal by seven votes to five, with two abstentions.",
    "Clouds form when rising air cools below its dew point and vapour condenses on dust or salt. Whether they rain "
    "depends on how large the droplets grow; ice crystals speed this up, which is why tall clouds pour.",
    "Magnitude 6.1 earthquake, depth 34 km, no tsunami warning was issued.",
    "Plant garlic in October, five centimetres deep with the tip upwards, and mulch it before the first hard frost.",
    "A vaccine shows the immune system a harmless part of a germ, so that memory cells are ready for the real one.",
    "Graph neural networks pass messages along edges: each node gathers its neighbours' vectors, combines them "
    "with its own and updates its state. After k rounds a node has seen everything within k steps, yet too many "
    "rounds make all nodes look alike, a failure known as over-smoothing. Residual connections and normalisation "
    "help to delay it.",
    "We consider a Hilbert space H and a bounded self-adjoint operator T; its spectrum is real, compact and non-empty.",
    "If f is continuous on [a, b] and f(a) < 0 < f(b), then f(c) = 0 for some c between a and b.",
    "ISO 27001 A.8.13 Backup copies of information, software and systems shall be maintained and regularly tested.",
    "Personal data are deleted when they are no longer needed for the purpose they were collected for, at the "
    "latest three years after the end of the business relationship, unless the law demands a longer retention. "
    "Data subjects may ask for a copy, for correction or for deletion by writing to the data protection officer.",
    "Name: Dr. A. Okafor | Dept: Radiology | Ext: 5512 | On call: Tue, Fri | Pager: 0207-114",
    "Product,Size,Colour,Stock\nTrail shoe,42,grey,17\nTrail shoe,43,grey,0\nRain jacket,M,navy,8",
    "😀 Thanks so much!!! Best service EVER :-) 10/10 would order again",
    "xk-4471/b rev. C",
    "BACKGROUND: Whether early mobilisation after hip surgery shortens recovery is disputed. METHODS: We randomly "
    "assigned 186 patients aged 65 or over to walk on the day of the operation or on the second day after it. The "
    "primary outcome was the timed up-and-go test at six weeks; secondary outcomes were pain, length of stay and "
    "readmission within 90 days. RESULTS: Patients who walked early were 2.1 s faster (95% CI 0.6-3.6, P = 0.007) "
    "and went home a day sooner. Pain scores, falls and readmissions did not differ. CONCLUSIONS: Walking on the "
    "day of surgery is safe in older patients and speeds functional recovery.",
    "Loss of the kinase ATR sensitises p53-deficient tumour cells to cisplatin. Using a CRISPR-Cas9 screen in "
    "HCT116 and RPE1 lines we identified TOPBP1, CLASPIN and RAD17 as synthetic-lethal partners; phosphorylation "
    "of CHK1 at Ser345 was abolished, and gamma-H2AX foci increased three-fold (n = 4, mean +/- SD). In xenografts "
    "the combination delayed growth without loss of body weight, which suggests a therapeutic window for ATR "
    "inhibitors in BRCA1-proficient carcinomas.",
    "Time: 2026-03-09 18:40\nPriya: hey!! are we still on for climbing tonight? 🧗\nTom: yes! might be 10 min late, "
    "my train's delayed again 🙄\nPriya: no worries, I'll grab us a locker. Did you bring the blue rope or should "
    "I?\nTom: I've got it, plus snacks 😋\nPriya: legend. See you at the entrance then!",
    "# Getting started\n\n## Requirements\n\n- Python 3.11 or newer\n- 2 GB of free memory\n\n## Install\n\n"
    '```bash\npip install example-client\nexport EXAMPLE_API_KEY="sk-..."\n```\n\n## First request\n\nCreate a '
    "client and send a message. The response streams token by token; set `stream=False` to wait for all of it. See "
    "**Rate limits** for what your plan allows, and [Errors](https://docs.example.com/errors) for the status codes.",
    "Limits by tier\n\nTier | Requests per minute | Tokens per minute | Tokens per day\nFree | 5 | 20,000 | "
    "300,000\nBuild | 50 | 40,000 | 1,000,000\nScale | 1,000 | 80,000 | 2,500,000\n\nIf you exceed a limit you get "
    "a 429 error with a message that says which one, and a retry-after header with the seconds to wait. Limits "
    "apply to the whole organization, not to each key.",
    "Year Award Category Result\n2015 12th Northern Film Awards Best Newcomer Won\n2017 National Stage Prize Best "
    "Supporting Actress Nominated\n2018 Golden Reel Best Actress (tied with M. Laurent) Won\nShe appeared in 214 "
    "episodes over nine seasons before leaving the show in May 2021.",
    "From: Leila Haddad <leila@example.org>\nTo: All staff\nSubject: RE: RE: Office move - what happens on "
    "Monday?\n\nDear all,\n\nthe boxes arrive on Friday at 9 a.m. Please label yours with your name, room (e.g. "
    "B-2.17) and 'fragile' where needed. IT will disconnect the screens from 3 p.m. onwards; laptops stay with "
    "you. On Monday the new building opens at 7:30.\n\nBest,\nLeila",
    'Traceback (most recent call last):\n  File "main.py", line 42, in <module>\n    '
    "run(load_config(sys.argv[1]))\nKeyError: 'database_url'\n\nThe key is missing from config.yaml. Copy the line "
    "from config.example.yaml, fill in host, port and password, and start the program again.",
)
