"""Makes the texts that the tokenizer goldens are about: many languages, code, emoji, control characters, runs of spaces.

Everything comes from the sentences below and one seeded generator, so that every run gives the same list.
"""
import random

SENTENCES = [
    "All human beings are born free and equal in dignity and rights.",
    "Tous les êtres humains naissent libres et égaux en dignité et en droits.",
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren; größer, süß.",
    "Todos los seres humanos nacen libres e iguales en dignidad y derechos. ¿Y mañana?",
    "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Não?",
    "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.",
    "Все люди рождаются свободными и равными в своём достоинстве и правах.",
    "Всі люди народжуються вільними і рівними у своїй гідності та правах.",
    "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.",
    "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.",
    "Tüm insanlar özgür, onur ve haklar bakımından eşit doğar. İstanbul ısı.",
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια.",
    "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
    "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق، ١٢٣٤٥.",
    "تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند ۴۵۶.",
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। १२३",
    "সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে।",
    "மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்.",
    "మానవులందరు స్వతంత్రులుగా, సమానులుగా జన్మించారు.",
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ๑๒๓",
    "မြန်မာစာ စမ်းသပ်ချက်",
    "មនុស្សទាំងអស់កើតមកមានសេរីភាព",
    "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi.",
    "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心。",
    "人人生而自由﹐在尊嚴和權利上一律平等。",
    "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。カタカナ１２３",
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama.",
    "Watu wote wamezaliwa huru, hadhi na haki zao ni sawa.",
    "Ყველა ადამიანი იბადება თავისუფალი. ყველა",
    "Բոլոր մարդիկ ծնվում են ազատ ու հավասար:",
    "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።",
    "ᏂᎦᏓ ᎠᏂᏴᏫ ᏂᎨᎫᏓᎸᎾ", "ᐃᓅᔪᓕᒫᑦ ᐊᓂᖅᑎᕆᔪᓕᒫᑦ", "𐌰𐌻𐌻𐌰𐌹 𐌼𐌰𐌽𐌽𐌰", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛 ½ ⅓ Ⅷ ² ³ ①②",
    "I'm sure they're here, we've won, he'd say, I'll go, it's fine, don't. I'M SURE THEY'RE HERE, WE'VE DON'T. ’s ‘t ʼs",
    "it'ſ the Kelvin K sign, 'ſ 'S 'Kelvin 'LL 'Ll 'lL 'VE 'rE",
    "e\u0301 cafe\u0301 A\u030a \u1112\u1161\u11ab n\u0303 \u0344 \u212b \ufb01 \u1e9b\u0323 q\u0307\u0323 \u0f73 \u0915\u093c",
]

CODE = [
    "def f(x, y=1):\n    \"\"\"Doc.\"\"\"\n    return {k: v**2 for k, v in x.items() if k != y}\n",
    "#include <vector>\nint main(int argc, char **argv) {\n\tstd::vector<int> v{1, 2, 3};\n\treturn v[0] << 4 | 0xFF;\n}\n",
    "for (let i = 0; i < n; ++i) { a[i] += `${b}`; }  // comment\r\n/* block */\r\n",
    "SELECT a.id, COUNT(*) AS n FROM t a WHERE a.x >= 10.5 AND b IN ('x','y') GROUP BY 1;",
    "{\"key\": [1, 2.5e-10, null, true], \"nested\": {\"a\\n\": \"\\u00e9\"}}",
    "<div class=\"a b\">&nbsp;<p>Hello</p></div>\n\n\n<!-- x -->\n",
    "fn main() { let x: Vec<u8> = vec![0; 16]; println!(\"{:?}\", &x[..4]); }",
    "$ ls -la | grep '^d' && echo \"done\" > /tmp/a.txt 2>&1\n",
    "https://example.org/a/b?c=d&e=f#g user@example.com 192.168.0.1 2024-01-31T12:34:56Z",
    "\\frac{a}{b} \\sum_{i=0}^{n} x_i^2 $\\alpha$",
]

EMOJI = ["😀", "👍🏽", "👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "❤️", "🏳️‍🌈", "🤷🏻‍♀️", "1️⃣", "✅", "™", "☕", "𓀀", "🫠", "🪿"]

SPACES = [" ", "  ", "   ", "    ", "\t", "\n", "\n\n", "\r\n", "\r", " \n", "\n ", "\t\t ", "\u00a0", "\u3000", "\u2003",
          "\u200b", "\u2028", "\u0085", "\u180e", "\u1680", "\u202f", "\ufeff", "\x0b", "\x0c", "\x1c", "\x1f"]

WORDS = ["a", "I", "the", "Hello", "world", "HTTPServer", "snake_case", "don't", "x1y2", "naïve", "Straße", "ÀÉ", "дом",
         "水", "كتاب", "नमस्ते", "안녕", "0", "7", "42", "365", "1000", "31415926535", "3.14", "1,000,000", "-5", "½", "Ⅳ",
         "!", "?!", "...", "(", ")", "[x]", "{}", "==", "=>", "->", "//", "/*", "#", "@", "$", "%", "^", "&", "*", "_",
         "<", ">", "|", "~", "`", "\"", "'", "\\", "—", "…", "«", "»", "。", "、", "₹", "€", "\x00", "\x01", "\x1b[0m", "\x7f",
         "\u0301", "\u200d", "\u00ad", "\ue000", "\ufffd", "\U0010ffff", "\u2581", "\u2581a", "<s>", "<|im_start|>"]


def texts():
    rng = random.Random(20240229)
    out = list(SENTENCES) + list(CODE)
    out += [" ".join(EMOJI), "".join(EMOJI), "", " ", "  ", "\n", "\t", "\x00", " a", "a ", "  a  ", "\n\n\n a\n"]
    # runs of spaces before digits, letters, punctuation and the end
    for run in (1, 2, 3, 4, 7, 8, 16, 33):
        for tail in ("1", "12", "123", "1234", "a", ".", "\n", ""):
            out.append(" " * run + tail)
        out.append("x" + " " * run + "42" + " " * run + "y" + " " * run)
    out += ["=" * 50, "a" * 200, "ab" * 70, "1" * 67, "\n" * 40, " " * 120, "😀" * 20, "\t" * 17 + "1", "水" * 50, "\u0301" * 12]
    for _ in range(320):
        parts = []
        for _ in range(rng.randint(2, 9)):
            kind = rng.random()
            if kind < 0.35:
                parts.append(rng.choice(WORDS))
            elif kind < 0.75:
                parts.append(rng.choice(SPACES))
            elif kind < 0.85:
                parts.append(rng.choice(EMOJI))
            else:
                parts.append(rng.choice(rng.choice(SENTENCES).split(" ")))
        out.append("".join(parts))
    # any character at all, surrogates left out
    for _ in range(60):
        out.append("".join(chr(c) for c in (rng.choice([rng.randrange(0x250), rng.randrange(0x3000), rng.randrange(0xd800),
                                                        rng.randrange(0xe000, 0x30000)]) for _ in range(12))
                           if not 0xd800 <= c < 0xe000))
    return out


def training_texts():
    return SENTENCES * 4 + CODE * 4 + texts()


if __name__ == "__main__":
    import json, sys
    json.dump(texts(), sys.stdout, ensure_ascii=True)
