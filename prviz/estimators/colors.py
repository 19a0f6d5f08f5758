"""One colour per family, wherever it is drawn."""

# Okabe and Ito's colour-blind-safe hues. Orange, vermillion and sky blue are darkened until every colour has
# a contrast of at least 3:1 on white and on the dark page rgb(14, 17, 23); vermillion a little more than it
# needs, which keeps it apart from the orange under simulated protanopia and deuteranopia.
FAMILY_COLORS = {
    "knn": "#0072B2",
    "kde": "#C48A00",
    "ipr": "#B84A00",
    "coverage": "#009E73",
    "hub": "#CC79A7",
    "cluster": "#8C6D31",
    "classifier": "#E0457B",
    "classifier-boosting": "#0F8F9C",
    "classifier-mlp": "#5B7FFF",
    "tightest": "#6642F5",
    "eas": "#9B4B4B",
    "prc": "#A72AA2",
    "ppr": "#E42FF4",
}
