import pytest

from model.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("今天天气不错", "zh"),
        ("我用 iPhone 拍的 你看 this is it", "zh"),
        ("打开Google Maps去School", "zh"),
        ("下午 3 点", "zh"),
        ("ja dat klopt", "nl"),
        ("we gaan nu weg toch", "nl"),
        ("zo'n foto's heb ik thuis", "nl"),
        ("in de week was het water over de dijk", "nl"),
        ("bloeddruk stabiel wondverzorging uitgevoerd", "nl"),
        ("how are you today", "en"),
        ("please turn it off", "en"),
        ("we had it in the week that was", "en"),
        ("THIS IS A TEST", "en"),
        ("quarterly earnings strengthening", "en"),
        ("the meeting about 北京 was long and we all want to go home", "en"),
    ],
)
def test_languages(text, language):
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["", " ", "😀", "3.5", "α и ع"])
def test_any_text_has_some_language(text):
    assert detect_language(text) in ("zh", "nl", "en")
