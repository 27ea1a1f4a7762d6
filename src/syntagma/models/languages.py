"""Languages of models by their codes, and those that have a package in `languages/`."""

from __future__ import annotations

from typing import Final

# Codes and names as in Universal Dependencies.
NAMES: Final = {
    "af": "Afrikaans",
    "akk": "Akkadian",
    "am": "Amharic",
    "ar": "Arabic",
    "az": "Azerbaijani",
    "be": "Belarusian",
    "bg": "Bulgarian",
    "bho": "Bhojpuri",
    "bm": "Bambara",
    "bn": "Bengali",
    "br": "Breton",
    "bxr": "Buryat",
    "ca": "Catalan",
    "cop": "Coptic",
    "cs": "Czech",
    "cu": "Old Church Slavonic",
    "cy": "Welsh",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "eo": "Esperanto",
    "es": "Spanish",
    "et": "Estonian",
    "eu": "Basque",
    "fa": "Persian",
    "fi": "Finnish",
    "fo": "Faroese",
    "fr": "French",
    "fro": "Old French",
    "ga": "Irish",
    "gd": "Scottish Gaelic",
    "gl": "Galician",
    "gn": "Guarani",
    "got": "Gothic",
    "grc": "Ancient Greek",
    "gsw": "Swiss German",
    "gu": "Gujarati",
    "gv": "Manx",
    "ha": "Hausa",
    "hbo": "Ancient Hebrew",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hsb": "Upper Sorbian",
    "ht": "Haitian Creole",
    "hu": "Hungarian",
    "hy": "Armenian",
    "hyw": "Western Armenian",
    "id": "Indonesian",
    "is": "Icelandic",
    "it": "Italian",
    "ja": "Japanese",
    "jv": "Javanese",
    "ka": "Georgian",
    "kk": "Kazakh",
    "kmr": "Northern Kurdish",
    "ko": "Korean",
    "ky": "Kyrgyz",
    "la": "Latin",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "lzh": "Classical Chinese",
    "mk": "Macedonian",
    "ml": "Malayalam",
    "mr": "Marathi",
    "mt": "Maltese",
    "myv": "Erzya",
    "nb": "Norwegian Bokmål",
    "nl": "Dutch",
    "nn": "Norwegian Nynorsk",
    "no": "Norwegian",
    "orv": "Old East Slavic",
    "pcm": "Naija",
    "pl": "Polish",
    "pt": "Portuguese",
    "qpm": "Pomak",
    "ro": "Romanian",
    "ru": "Russian",
    "sa": "Sanskrit",
    "se": "Northern Sami",
    "si": "Sinhala",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sq": "Albanian",
    "sr": "Serbian",
    "sv": "Swedish",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tl": "Tagalog",
    "tr": "Turkish",
    "tt": "Tatar",
    "ug": "Uyghur",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "uz": "Uzbek",
    "vi": "Vietnamese",
    "wo": "Wolof",
    "xcl": "Classical Armenian",
    "yo": "Yoruba",
    "yue": "Cantonese",
    "zh": "Chinese",
}

# The languages that have a package, by the names of the models.
LANGUAGES: Final = {code: NAMES[code] for code in ("fr", "id", "ko", "pt", "ru", "vi", "zh")}


def name_of(stated: str) -> str:
    """The name of a language that is stated by its code, as the header of a model does; whatever
    else is stated stays.

    >>> name_of("de"), name_of("pt-BR"), name_of("English"), name_of("tlh")
    ('German', 'Portuguese', 'English', 'tlh')
    """
    code = stated.replace("_", "-").partition("-")[0].lower()
    return NAMES.get(code, stated)


def name_with_code(stated: str) -> str:
    """The same with the code as it is stated.

    >>> name_with_code("de"), name_with_code("pt-BR"), name_with_code("English"), name_with_code("")
    ('German (de)', 'Portuguese (pt-BR)', 'English', '')
    """
    name = name_of(stated)
    return stated if name == stated else f"{name} ({stated})"
