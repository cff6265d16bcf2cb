"""Text stays text, wherever it stands."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from eval.markup import element, page


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)


def read(markup):
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])), st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_any_text_comes_out_as_it_went_in(text, attribute):
    """As content and as an attribute, and makes no further element."""
    reader = read(element("p", text, title=attribute).markup)
    assert reader.tags == ["p"]
    assert "".join(reader.texts) == text
    assert reader.attributes == [("title", attribute)]


def test_elements_stand_in_elements():
    """Numbers are short, names of attributes are those of HTML."""
    made = element("g", element("line", x1=1.0, y1=2.345, class_="axis"), 0.5, text_anchor="end")
    assert made.markup == '<g text-anchor="end"><line x1="1" y1="2.35" class="axis"></line>0.5</g>'


def test_a_page_loads_nothing():
    """Its policy forbids scripts, images and foreign hosts; the title is escaped."""
    reader = read(page("<script>", "p {}", "text"))
    assert "script" not in reader.tags
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in reader.attributes
