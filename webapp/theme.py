"""The looks: one calm theme, light and dark, from fonts that the machine has."""

from typing import Final

import gradio as gr
from gradio.themes.utils.colors import Color

# Plain strings are taken from the system; gr.themes.GoogleFont would ask an outside host.
TEXT_FONTS: Final = (
    "system-ui",
    "Segoe UI",
    "Helvetica Neue",
    "Noto Sans",
    "Noto Sans CJK SC",
    "PingFang SC",
    "Microsoft YaHei",
    "sans-serif",
)
MONO_FONTS: Final = ("ui-monospace", "SFMono-Regular", "Consolas", "monospace")

_INK: Final = Color(
    name="ink",
    c50="#eef4f5",
    c100="#d9e7e9",
    c200="#b5d0d4",
    c300="#86b2b9",
    c400="#56909a",
    c500="#34747f",
    c600="#245f6a",
    c700="#1f4e57",
    c800="#1c4048",
    c900="#19353c",
    c950="#0d2126",
)
_PAPER: Final = Color(
    name="paper",
    c50="#fafaf8",
    c100="#f3f3f0",
    c200="#e6e5e1",
    c300="#d2d1cb",
    c400="#a3a29c",
    c500="#75746f",
    c600="#575652",
    c700="#3f3f3c",
    c800="#282927",
    c900="#1c1d1c",
    c950="#131413",
)


def make_theme() -> gr.themes.Base:
    """Return the theme of all pages."""
    return gr.themes.Base(
        primary_hue=_INK,
        secondary_hue=_INK,
        neutral_hue=_PAPER,
        font=TEXT_FONTS,
        font_mono=MONO_FONTS,
        text_size=gr.themes.sizes.text_md,
        radius_size=gr.themes.sizes.radius_sm,
        spacing_size=gr.themes.sizes.spacing_md,
    ).set(
        body_background_fill="*neutral_50",
        body_background_fill_dark="*neutral_950",
        body_text_color="*neutral_900",
        body_text_color_dark="*neutral_100",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_400",
        background_fill_primary="white",
        background_fill_primary_dark="*neutral_900",
        background_fill_secondary="*neutral_100",
        background_fill_secondary_dark="*neutral_800",
        block_background_fill="white",
        block_background_fill_dark="*neutral_900",
        block_border_color="*neutral_200",
        block_border_color_dark="*neutral_800",
        block_label_background_fill="transparent",
        block_label_background_fill_dark="transparent",
        block_label_border_width="0px",
        block_label_text_color="*neutral_600",
        block_label_text_color_dark="*neutral_400",
        block_title_text_color="*neutral_700",
        block_title_text_color_dark="*neutral_300",
        block_shadow="none",
        border_color_primary="*neutral_200",
        border_color_primary_dark="*neutral_700",
        input_background_fill="white",
        input_background_fill_dark="*neutral_800",
        input_border_color="*neutral_300",
        input_border_color_dark="*neutral_700",
        button_primary_background_fill="*primary_600",
        button_primary_background_fill_hover="*primary_700",
        button_primary_background_fill_dark="*primary_500",
        button_primary_background_fill_hover_dark="*primary_400",
        button_primary_text_color="white",
        button_primary_text_color_dark="white",
        button_secondary_background_fill="white",
        button_secondary_background_fill_hover="*neutral_100",
        button_secondary_background_fill_dark="*neutral_800",
        button_secondary_background_fill_hover_dark="*neutral_700",
        button_secondary_border_color="*neutral_300",
        button_secondary_border_color_dark="*neutral_700",
        input_border_width="1px",
        input_border_width_dark="1px",
        button_border_width="1px",
        button_large_text_size="*text_md",
        button_large_text_weight="500",
        button_large_padding="*spacing_md calc(2 * *spacing_lg)",
        button_transition="none",
        link_text_color="*primary_600",
        link_text_color_dark="*primary_300",
    )
